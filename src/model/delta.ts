// Defines the delta contract: the types of the steps of a streamed answer. Version 0 is frozen; version 1 adds optional
// fields and the kinds `refusal`, `seal`, `annotation`, `media` and `part`.
import type { Message } from "./message.ts";
import type { Annotation, Executor, Extra, Logprob, MediaPart, Part, Seal, ToolFormat } from "./parts.ts";
import type { FinishReason, UnifiedFinishReason } from "./finish-reason.ts";
import type { Usage } from "./usage.ts";

/** The version of the delta contract that this release writes. */
export const CONTRACT_VERSION = 1;

/** The identity of a part within one choice of one answer. Parts are ordered by first appearance. */
export type PartKey = string | number;

/** The fields that the payload of every kind of delta can have. */
export interface PayloadBase {
  /**
   * The key of the part that the delta belongs to. Default: the last part of the choice. Deltas that older releases
   * wrote have this field under the name `part`.
   */
  partKey?: PartKey;
  /** The index of the choice in an answer with several choices (n > 1). Default 0. */
  choice?: number;
  /**
   * The residue that the delta adds. It is merged by key into the part, for `usage` into the usage, and for `start`,
   * `done` and `error` into the response; later values win.
   */
  extra?: Extra;
}

/** The fields of a message besides role and parts. */
export type MessageFields = Pick<Message, "id" | "name" | "extra" | "metadata">;

/** The payload of `start`, the first delta of an answer. */
export interface StartPayload extends PayloadBase {
  modelId: string;
  /** The provider's id of the response; it becomes `ModelResponse.id`. */
  requestId: string;
  /** The version of the delta contract that the writer used. Default 0. */
  contractVersion?: number;
  createdAt?: string;
  message?: MessageFields;
}
/** The payload of `text` and `refusal`: a fragment of the text. */
export interface TextPayload extends PayloadBase {
  textDelta: string;
  logprobs?: Logprob[];
}
/** The payload of `thinking`: a fragment of the reasoning. */
export interface ThinkingPayload extends PayloadBase {
  textDelta: string;
  /**
   * The index, in the list of summaries of the reasoning part, of the summary that the text continues; absent if the
   * text is raw reasoning.
   */
  summary?: number;
}
/** The payload of `tool_call_start`. */
export interface ToolCallStartPayload extends PayloadBase {
  toolCallId: string;
  toolName: string;
  executor?: Executor;
  format?: ToolFormat;
  tool?: string;
  /**
   * True if the wire has the arguments as an object instead of a text. The assembled call then has `inputText` only if
   * parsing the text of the arguments changes a number (B80).
   */
  objectArgs?: boolean;
}
/** The payload of `tool_call_args`: a fragment of the arguments' text. */
export interface ToolCallArgsPayload extends PayloadBase {
  toolCallId: string;
  argsTextDelta: string;
}
/** The payload of `tool_call_end`. */
export interface ToolCallEndPayload extends PayloadBase {
  toolCallId: string;
  /** The last fragment of the arguments. */
  argsTextDelta?: string;
  /**
   * True if the provider cut the call off, even if its arguments are valid JSON. Such a call must never be executed
   * (B31).
   */
  invalid?: boolean;
}
/** The payload of `usage`: any subset of the fields of a usage. The last present value of each field wins (B65). */
export type UsagePayload = PayloadBase & Partial<Omit<Usage, "extra">>;

/**
 * The finish reason and the message fields of one choice after the first, in an answer with several choices (n > 1).
 */
export interface DoneAlternative {
  finishReason: UnifiedFinishReason;
  raw?: string;
  extra?: Extra;
  message?: MessageFields;
}
/** The payload of `done`, the last delta of a complete answer. */
export interface DonePayload extends PayloadBase {
  finishReason: UnifiedFinishReason;
  raw?: string;
  /** The ends of the choices after the first, in order of their indexes. */
  alternatives?: DoneAlternative[];
  message?: MessageFields;
}
/** The payload of `error`, the last delta of a failed answer. */
export interface ErrorPayload extends PayloadBase {
  errorCode: string;
  message?: string;
  retryable?: boolean;
  status?: number;
  retryAfterMs?: number;
  raw?: unknown;
  /** The finish reason that the provider sent before the failure, if any. */
  finish?: FinishReason;
  alternatives?: DoneAlternative[];
}
/** The payload of `seal`. */
export interface SealPayload extends PayloadBase {
  /** The seal to add to the part. It replaces an earlier seal of the same dialect and kind. */
  seal: Seal;
}
/** The payload of `annotation`. */
export interface AnnotationPayload extends PayloadBase {
  annotation: Annotation;
}
/** The payload of `media`: a fragment of base64 data or of a transcript. */
export interface MediaPayload extends PayloadBase {
  /** The type of the media part. Default: derived from the MIME type. */
  type?: MediaPart["type"];
  mimeType?: string;
  /** Base64 text that is appended to the data. */
  dataDelta?: string;
  transcriptDelta?: string;
}
/** The payload of `part`: a complete part. */
export interface PartPayload extends PayloadBase {
  /** The complete part. */
  value: Part;
  /**
   * "tool" for a tool result of the client, which arrives between two answers of a run; absent for a part of an answer.
   */
  role?: "tool";
}

/** The payload type of each kind of delta. */
export interface DeltaPayloads {
  start: StartPayload;
  text: TextPayload;
  thinking: ThinkingPayload;
  tool_call_start: ToolCallStartPayload;
  tool_call_args: ToolCallArgsPayload;
  tool_call_end: ToolCallEndPayload;
  usage: UsagePayload;
  done: DonePayload;
  error: ErrorPayload;
  refusal: TextPayload;
  seal: SealPayload;
  annotation: AnnotationPayload;
  media: MediaPayload;
  part: PartPayload;
}
/** The value of a delta's `kind` field. */
export type DeltaKind = keyof DeltaPayloads;

interface BareDelta<Kind extends DeltaKind> {
  kind: Kind;
  payload: DeltaPayloads[Kind];
  /** The provider's event, for debugging only; no code reads it. */
  providerRaw?: unknown;
}
interface StampedDelta<Kind extends DeltaKind> extends BareDelta<Kind> {
  runId: string;
  /** The number of the delta; it increases strictly within a run. */
  seq: number;
  /** The time of the delta, in ISO 8601. */
  timestamp: string;
}

/**
 * A delta as a stream decoder returns it, without run id, `seq` and timestamp. Its `kind` determines the type of the
 * payload.
 */
export type Delta = { [Kind in DeltaKind]: BareDelta<Kind> }[DeltaKind];
/** A delta with run id, `seq` and timestamp. */
export type MessageDelta = { [Kind in DeltaKind]: StampedDelta<Kind> }[DeltaKind];

// The delta contract: the steps of a streamed answer. Version 0 is frozen; version 1 adds optional fields and the kinds
// `refusal`, `seal`, `annotation`, `media` and `part`.
import type { Message } from "./message.ts";
import type { Annotation, Executor, Extra, Logprob, MediaPart, Part, Seal, ToolFormat } from "./parts.ts";
import type { FinishReason, UnifiedFinishReason } from "./finish-reason.ts";
import type { Usage } from "./usage.ts";

/** The version of the delta contract that this release writes. */
export const CONTRACT_VERSION = 1;

/** The identity of a part within one choice of one answer. Parts are ordered by first appearance. */
export type PartKey = string | number;

/** The fields of every payload. */
export interface PayloadBase {
  /** The part that the delta belongs to; absent: the last part. Deltas written before version 1.0 have it as `part`. */
  partKey?: PartKey;
  /** The index of the choice in an answer with n > 1; absent means 0. */
  choice?: number;
  /** Residue, merged by key, later values win: into the part, or for `start` and `done` into the response. */
  extra?: Extra;
}

/** The fields of a message besides role and parts. */
export type MessageFields = Pick<Message, "id" | "name" | "extra" | "metadata">;

/** The payload of `start`, the first delta of an answer. */
export interface StartPayload extends PayloadBase {
  modelId: string;
  /** Becomes `ModelResponse.id`. */
  requestId: string;
  /** Absent means version 0. */
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
  /** The index of the summary that the text belongs to; absent for raw reasoning. */
  summary?: number;
}
/** The payload of `tool_call_start`. */
export interface ToolCallStartPayload extends PayloadBase {
  toolCallId: string;
  toolName: string;
  executor?: Executor;
  format?: ToolFormat;
  tool?: string;
  /** True if the complete wire form is an object: the text is stored only if parsing would change a number (B80). */
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
  /** True if the provider cut the call off, even if its arguments are valid JSON: never execute it (B31). */
  invalid?: boolean;
}
/** Any subset of a usage; the last present value of each field wins (B65). */
export type UsagePayload = PayloadBase & Partial<Omit<Usage, "extra">>;

/** The end of a further choice in an answer with n > 1. */
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
  /** One entry per further choice. */
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
  /** A later seal of the same dialect and kind replaces the earlier one of the part. */
  seal: Seal;
}
/** The payload of `annotation`. */
export interface AnnotationPayload extends PayloadBase {
  annotation: Annotation;
}
/** The payload of `media`: a fragment of base64 data or of a transcript. */
export interface MediaPayload extends PayloadBase {
  /** Absent: derived from the MIME type. */
  type?: MediaPart["type"];
  mimeType?: string;
  /** Base64 text, appended. */
  dataDelta?: string;
  transcriptDelta?: string;
}
/** The payload of `part`: a complete part. */
export interface PartPayload extends PayloadBase {
  /** A whole part at once. */
  value: Part;
  /** "tool": a tool result between two answers of a run. */
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
  /** Strictly increasing within a run. */
  seq: number;
  /** ISO 8601. */
  timestamp: string;
}

/** A delta as a stream decoder returns it, without run and time. Narrow on `kind`. */
export type Delta = { [Kind in DeltaKind]: BareDelta<Kind> }[DeltaKind];
/** A delta with its run, its sequence number and its time. */
export type MessageDelta = { [Kind in DeltaKind]: StampedDelta<Kind> }[DeltaKind];

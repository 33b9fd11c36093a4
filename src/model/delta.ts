// The delta contract: how an answer arrives piece by piece. Version 0 is frozen; version 1 adds optional fields and
// the kinds `refusal`, `seal`, `annotation`, `media` and `part`.
import type { Message } from "./message.ts";
import type { Annotation, Executor, Extra, Logprob, MediaPart, Part, Seal, ToolFormat } from "./parts.ts";
import type { FinishReason, UnifiedFinishReason } from "./finish.ts";
import type { Usage } from "./usage.ts";

/** The version of the delta contract that this Koine speaks. */
export const CONTRACT_VERSION = 1;

/** Identity of a part within one choice of one answer. Order of parts is the order of first appearance. */
export type PartKey = string | number;

/** What any payload may carry. */
export interface PayloadBase {
  part?: PartKey;
  /** Which choice of an answer with n > 1; absent is 0. */
  choice?: number;
  /** Residue, merged key by key, later wins: into the part, on `start` and `done` into the response. */
  extra?: Extra;
}

/** What a message says beside its parts. */
export type MessageFields = Pick<Message, "id" | "name" | "extra" | "metadata">;

export interface StartPayload extends PayloadBase {
  modelId: string;
  /** Becomes `Response.id`. */
  requestId: string;
  /** Absent means version 0. */
  contractVersion?: number;
  createdAt?: string;
  message?: MessageFields;
}
export interface TextPayload extends PayloadBase {
  textDelta: string;
  logprobs?: Logprob[];
}
export interface ThinkingPayload extends PayloadBase {
  textDelta: string;
  /** Index of the summary that the text belongs to; absent: the raw reasoning. */
  summary?: number;
}
export interface ToolCallStartPayload extends PayloadBase {
  toolCallId: string;
  toolName: string;
  executor?: Executor;
  format?: ToolFormat;
  tool?: string;
  /** The dialect's whole form is an object: the text matters only where parsing would change a number (B80). */
  objectArgs?: boolean;
}
export interface ToolCallArgsPayload extends PayloadBase {
  toolCallId: string;
  argsTextDelta: string;
}
export interface ToolCallEndPayload extends PayloadBase {
  toolCallId: string;
  /** A last piece of the arguments. */
  argsTextDelta?: string;
  /** The wire says that the call was cut off, whatever its arguments look like: never execute it (B31). */
  invalid?: boolean;
}
/** Any subset of a usage; per field the last present value wins (B65). */
export type UsagePayload = PayloadBase & Partial<Omit<Usage, "extra">>;

export interface DoneAlternative {
  finishReason: UnifiedFinishReason;
  raw?: string;
  extra?: Extra;
  message?: MessageFields;
}
export interface DonePayload extends PayloadBase {
  finishReason: UnifiedFinishReason;
  raw?: string;
  /** One entry per further choice. */
  alternatives?: DoneAlternative[];
  message?: MessageFields;
}
export interface ErrorPayload extends PayloadBase {
  errorCode: string;
  message?: string;
  retryable?: boolean;
  status?: number;
  retryAfterMs?: number;
  raw?: unknown;
  /** How the answer itself says that it ended, and its further choices, where it came that far. */
  finish?: FinishReason;
  alternatives?: DoneAlternative[];
}
export interface SealPayload extends PayloadBase {
  /** A later seal of the same dialect and kind on a part replaces the earlier one. */
  seal: Seal;
}
export interface AnnotationPayload extends PayloadBase {
  annotation: Annotation;
}
export interface MediaPayload extends PayloadBase {
  /** Absent: told from the mime type. */
  type?: MediaPart["type"];
  mimeType?: string;
  /** Base64 text, appended. */
  dataDelta?: string;
  transcriptDelta?: string;
}
export interface PartPayload extends PayloadBase {
  /** A whole part at once. */
  value: Part;
  /** "tool": a tool result between two answers of a run. */
  role?: "tool";
}

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
export type DeltaKind = keyof DeltaPayloads;

interface BareDelta<Kind extends DeltaKind> {
  kind: Kind;
  payload: DeltaPayloads[Kind];
  /** For debugging only: nothing reads it. */
  providerRaw?: unknown;
}
interface StampedDelta<Kind extends DeltaKind> extends BareDelta<Kind> {
  runId: string;
  /** Strictly increasing within a run. */
  seq: number;
  /** ISO 8601. */
  timestamp: string;
}

/** A bare delta, as dialects speak it. Narrow on `kind`. */
export type Delta = { [Kind in DeltaKind]: BareDelta<Kind> }[DeltaKind];
/** A delta as part of a run. */
export type MessageDelta = { [Kind in DeltaKind]: StampedDelta<Kind> }[DeltaKind];

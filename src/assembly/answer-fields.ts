// Collects the fields of an answer besides its parts (ids, finish reason, usage, residue) and builds the response.
import type { DonePayload, ErrorPayload, StartPayload, UsagePayload } from "../model/delta.ts";
import { copyExtra, mergeExtra } from "../model/merge-extra.ts";
import type { FinishReason, UnifiedFinishReason } from "../model/finish-reason.ts";
import { FINISH_REASONS } from "../model/finish-reason.ts";
import type { Message } from "../model/message.ts";
import type { Extra } from "../model/parts.ts";
import type { ProviderError, ProviderErrorKind } from "../model/provider-error.ts";
import { isRetryable, PROVIDER_ERROR_KINDS } from "../model/provider-error.ts";
import type { Alternative, ModelResponse } from "../model/response.ts";
import type { Usage } from "../model/usage.ts";
import { USAGE_COUNTS } from "../model/usage.ts";

/** The current state of an answer that is being streamed. */
export interface Snapshot {
  id: string;
  model: string;
  message: Message;
  /** The messages of the choices after the first choice, whose message is `message`. */
  alternatives?: Message[];
  usage?: Usage;
  finishReason?: FinishReason;
  /** True if the `done` delta has arrived. */
  complete: boolean;
}

/**
 * Converts the finish reason of a delta. An unknown reason becomes `other`, with the provider's value in `raw` (B62).
 */
function toFinishReason(word: string, raw: string | undefined): FinishReason {
  const known = (FINISH_REASONS as readonly string[]).includes(word);
  const reason: FinishReason = { unified: known ? (word as UnifiedFinishReason) : "other" };
  const rawReason = raw ?? (known ? undefined : word);
  if (rawReason !== undefined) reason.raw = rawReason;
  return reason;
}

export function toProviderError({
  errorCode,
  message,
  retryable,
  status,
  retryAfterMs,
  raw,
}: ErrorPayload): ProviderError {
  const known = (PROVIDER_ERROR_KINDS as readonly string[]).includes(errorCode);
  const error: ProviderError = {
    kind: known ? (errorCode as ProviderErrorKind) : "unknown",
    message: message ?? errorCode,
  };
  if (retryable !== undefined && retryable !== isRetryable(error)) error.retryable = retryable;
  if (status !== undefined) error.status = status;
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  // The error gets the `raw` value of the payload. If the payload has none, an error code that is not in
  // PROVIDER_ERROR_KINDS (its kind is "unknown") is preserved in `raw`.
  if (raw !== undefined) error.raw = raw;
  else if (!known) error.raw = { errorCode };
  return error;
}

const NO_FINISH: FinishReason = { unified: "error" };

export class AnswerFields {
  done: DonePayload | undefined;
  error: ErrorPayload | undefined;
  #started: StartPayload = { modelId: "", requestId: "" };
  #extra: Extra | undefined;
  #usage: Partial<Usage> | undefined;

  start(payload: StartPayload): void {
    this.#started = payload;
    if (payload.extra !== undefined) this.addExtra(payload.extra);
  }

  addExtra(extra: Extra): void {
    this.#extra = mergeExtra(this.#extra, extra);
  }

  fail(payload: ErrorPayload): void {
    this.error = payload;
    if (payload.extra !== undefined) this.addExtra(payload.extra);
  }

  /** Merges a usage payload; the last present value of each field wins (B65). */
  addUsage(payload: UsagePayload): void {
    this.#usage ??= {};
    for (const field of USAGE_COUNTS) if (payload[field] !== undefined) this.#usage[field] = payload[field];
    if (payload.raw !== undefined) this.#usage.raw = payload.raw;
    if (payload.extra !== undefined) this.#usage.extra = mergeExtra(this.#usage.extra, payload.extra);
  }

  #totalUsage(): Usage | undefined {
    if (this.#usage === undefined) return undefined;
    const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens, ...rest } = this.#usage;
    const usage: Usage = { inputTokens, outputTokens, totalTokens, ...rest };
    if (usage.extra !== undefined) usage.extra = copyExtra(usage.extra);
    return usage;
  }

  describeError(): string {
    const { errorCode, message } = this.error ?? { errorCode: "unknown" };
    return `The answer failed with ${errorCode}${message === undefined ? "" : `: ${message}`}.`;
  }

  snapshot([message, ...others]: Message[], complete: boolean): Snapshot {
    const snapshot: Snapshot = {
      id: this.#started.requestId,
      model: this.#started.modelId,
      // The cast is safe: the assembler always passes the message of choice 0.
      message: message as Message,
      complete,
    };
    const usage = this.#totalUsage();
    if (others.length > 0) snapshot.alternatives = others;
    if (usage !== undefined) snapshot.usage = usage;
    if (this.done !== undefined) snapshot.finishReason = toFinishReason(this.done.finishReason, this.done.raw);
    return snapshot;
  }

  response([message, ...others]: Message[]): ModelResponse {
    const { done, error } = this;
    const response: ModelResponse = {
      id: this.#started.requestId,
      model: this.#started.modelId,
      // The cast is safe: the assembler always passes the message of choice 0.
      message: message as Message,
      finishReason:
        done === undefined ? { ...(error?.finish ?? NO_FINISH) } : toFinishReason(done.finishReason, done.raw),
    };
    const usage = this.#totalUsage();
    if (others.length > 0) response.alternatives = others.map((other, index) => this.#alternative(other, index));
    if (usage !== undefined) response.usage = usage;
    if (this.#started.createdAt !== undefined) response.createdAt = this.#started.createdAt;
    if (error !== undefined) response.error = toProviderError(error);
    if (this.#extra !== undefined) response.extra = copyExtra(this.#extra);
    return response;
  }

  #alternative(message: Message, index: number): Alternative {
    const doneAlternative = (this.done ?? this.error)?.alternatives?.[index];
    const alternative: Alternative = {
      message,
      finishReason:
        doneAlternative === undefined
          ? { unified: this.done === undefined ? "error" : "other" }
          : toFinishReason(doneAlternative.finishReason, doneAlternative.raw),
    };
    if (doneAlternative?.extra !== undefined) alternative.extra = doneAlternative.extra;
    return alternative;
  }
}

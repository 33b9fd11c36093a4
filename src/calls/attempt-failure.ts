// Converts every failure of an attempt into an `AttemptFailure`, which has a `ProviderError`, the partial answer and
// the cause.
import { AssemblyError } from "../assembly/index.ts";
import type { Delta, ProviderError, ModelResponse } from "../model/index.ts";
import { isRetryable, PROVIDER_ERROR_KINDS } from "../model/index.ts";
import { TimeoutReachedError } from "./call-scope.ts";
import { ClientError } from "./errors.ts";
import { TransportError } from "./transport/transport-error.ts";

/** The failure of one attempt. It is internal: callers receive a `ClientError` with the same information. */
export class AttemptFailure extends Error {
  override readonly name = "AttemptFailure";
  readonly error: ProviderError;
  /** The partial answer, which may have no content; undefined if no delta was assembled. */
  readonly partial: ModelResponse | undefined;

  constructor(error: ProviderError, options: ErrorOptions & { partial?: ModelResponse | undefined } = {}) {
    super(error.message, "cause" in options ? { cause: options.cause } : undefined);
    this.error = error;
    this.partial = options.partial;
  }
}

/** Converts any exception of an attempt to an `AttemptFailure`; returns an `AttemptFailure` unchanged. */
export function toAttemptFailure(thrown: unknown): AttemptFailure {
  return thrown instanceof AttemptFailure ? thrown : new AttemptFailure(toProviderError(thrown), { cause: thrown });
}

function toProviderError(thrown: unknown): ProviderError {
  if (thrown instanceof TransportError) {
    const error: ProviderError = { kind: thrown.kind, message: thrown.message };
    if (thrown.retryable !== isRetryable(error)) error.retryable = thrown.retryable;
    return error;
  }
  if (thrown instanceof TimeoutReachedError) return { kind: "timeout", message: thrown.message };
  if (thrown instanceof ClientError && thrown.error !== undefined) return thrown.error;
  if (thrown instanceof AssemblyError) {
    return { kind: "server", message: `The deltas of the answer are invalid. ${thrown.message}`, retryable: false };
  }
  // A local provider may throw a provider error instead of yielding an `error` delta.
  if (isProviderError(thrown)) return copyProviderError(thrown);
  return { kind: "unknown", message: thrown instanceof Error ? thrown.message : String(thrown) };
}

function isProviderError(thrown: unknown): thrown is ProviderError {
  if (typeof thrown !== "object" || thrown === null) return false;
  const { kind, message } = thrown as { kind?: unknown; message?: unknown };
  return (PROVIDER_ERROR_KINDS as readonly unknown[]).includes(kind) && typeof message === "string";
}

/** Copies only the fields of `ProviderError`, because a thrown `Error` object also has a stack. */
function copyProviderError({ kind, message, status, retryAfterMs, retryable, raw }: ProviderError): ProviderError {
  const error: ProviderError = { kind, message };
  if (status !== undefined) error.status = status;
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  if (retryable !== undefined) error.retryable = retryable;
  if (raw !== undefined) error.raw = raw;
  return error;
}

/** Returns the `error` delta that ends a failed answer whose provider sent no error event. */
export function toErrorDelta(error: ProviderError): Delta {
  const { kind, ...rest } = error;
  return { kind: "error", payload: { errorCode: kind, retryable: isRetryable(error), ...rest } };
}

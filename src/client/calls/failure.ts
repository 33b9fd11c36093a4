// What ends an attempt, in one form: the provider's error in the common words, what had arrived, and the cause.
import { AssemblyError } from "../../assembly/index.ts";
import type { Delta, ProviderError, Response } from "../../model/index.ts";
import { isRetryable, PROVIDER_ERROR_KINDS } from "../../model/index.ts";
import { ClientError } from "../errors.ts";
import { TransportError } from "../transport/errors.ts";
import { TimeoutReachedError } from "./scope.ts";

/** Thrown inside the client only: callers see a `ClientError` that says all of it. */
export class AttemptFailure extends Error {
  override readonly name = "AttemptFailure";
  readonly error: ProviderError;
  /** What had arrived, perhaps without a word said. */
  readonly partial: Response | undefined;

  constructor(error: ProviderError, options: ErrorOptions & { partial?: Response | undefined } = {}) {
    super(error.message, "cause" in options ? { cause: options.cause } : undefined);
    this.error = error;
    this.partial = options.partial;
  }
}

/** Whatever was thrown while a provider was asked, in the common words. */
export function failureOf(thrown: unknown): AttemptFailure {
  return thrown instanceof AttemptFailure ? thrown : new AttemptFailure(providerErrorOf(thrown), { cause: thrown });
}

function providerErrorOf(thrown: unknown): ProviderError {
  if (thrown instanceof TransportError) {
    const error: ProviderError = { kind: thrown.kind, message: thrown.message };
    if (thrown.retryable !== isRetryable(error)) error.retryable = thrown.retryable;
    return error;
  }
  if (thrown instanceof TimeoutReachedError) return { kind: "timeout", message: thrown.message };
  if (thrown instanceof ClientError && thrown.error !== undefined) return thrown.error;
  if (thrown instanceof AssemblyError) {
    return { kind: "server", message: `The deltas of the answer break a rule. ${thrown.message}`, retryable: false };
  }
  // A local provider may throw what it would otherwise say in an `error` delta.
  if (isProviderError(thrown)) return plainError(thrown);
  return { kind: "unknown", message: thrown instanceof Error ? thrown.message : String(thrown) };
}

function isProviderError(thrown: unknown): thrown is ProviderError {
  if (typeof thrown !== "object" || thrown === null) return false;
  const { kind, message } = thrown as { kind?: unknown; message?: unknown };
  return (PROVIDER_ERROR_KINDS as readonly unknown[]).includes(kind) && typeof message === "string";
}

/** Only the fields of the type: an error object would bring its stack along. */
function plainError({ kind, message, status, retryAfterMs, retryable, raw }: ProviderError): ProviderError {
  const error: ProviderError = { kind, message };
  if (status !== undefined) error.status = status;
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  if (retryable !== undefined) error.retryable = retryable;
  if (raw !== undefined) error.raw = raw;
  return error;
}

/** The delta that ends an answer whose provider could not say itself that it failed. */
export function errorDelta(error: ProviderError): Delta {
  const { kind, ...rest } = error;
  return { kind: "error", payload: { errorCode: kind, retryable: isRetryable(error), ...rest } };
}

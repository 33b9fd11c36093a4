// Logs the attempts of a call with their times, usage and errors, and creates the errors that list all attempts.
import type { Loss, ProviderError, ProviderErrorKind, ModelResponse, Usage } from "../model/index.ts";
import { isRetryable } from "../model/index.ts";
import type { AttemptFailure } from "./attempt-failure.ts";
import type { CallScope } from "./call-scope.ts";
import type { ClientErrorDetails } from "./errors.ts";
import { ClientError } from "./errors.ts";
import { notifyListener } from "./notify.ts";
import type { Attempt } from "./types.ts";

/** The result of an attempt, without its times: its usage, and its error if it failed. */
export interface AttemptEnd {
  usage?: Usage | undefined;
  error?: ProviderError | undefined;
  aborted?: true;
  /** The partial answer of a failed attempt; undefined if no delta arrived. */
  partial?: ModelResponse | undefined;
}

/** Kinds of errors after which the provider may still have processed the request. */
const CUT_OFF_KINDS: ReadonlySet<ProviderErrorKind> = new Set(["network", "timeout", "truncated"]);

/**
 * True if the provider may charge for a failed attempt: it sent content, or accepted the request and broke off, or
 * received the request and never replied. A provider that replied with an error charges nothing.
 */
function mayBeBilled(
  { status, aborted, error }: Attempt,
  partial: ModelResponse | undefined,
  isSent: boolean,
): boolean {
  if (aborted === undefined && error === undefined) return false;
  if (nonEmptyPartial(partial) !== undefined) return true;
  // The provider accepted the request if it replied with 2xx, or if it received the request and never replied. A
  // connection that broke before any reply does not count: usually the server had already closed it while it was idle.
  const isAccepted = status === undefined ? isSent && error?.kind !== "network" : status >= 200 && status < 300;
  return (partial !== undefined || isAccepted) && (error === undefined || CUT_OFF_KINDS.has(error.kind));
}

/** The log entry of an attempt that has not ended. */
export class OpenAttempt {
  readonly #log: AttemptLog;
  readonly #attempt: Attempt;
  readonly #startedAt: number;
  #isEnded = false;
  #isSent = false;

  constructor(log: AttemptLog, attempt: Attempt, startedAt: number) {
    this.#log = log;
    this.#attempt = attempt;
    this.#startedAt = startedAt;
  }

  /** The losses of the attempt, as copies, because the reader of the answer may change them. */
  get losses(): Loss[] {
    return copyLosses(this.#attempt.losses);
  }

  /** Records whether the transport has sent the request; `mayBeBilled` depends on it. */
  markSent(isSent: boolean): void {
    this.#isSent = isSent;
  }

  /** Records the status and the provider's request id when the headers of the reply arrive. */
  markReplied(status: number, requestId: string | undefined): void {
    this.#attempt.status = status;
    if (requestId !== undefined) this.#attempt.requestId = requestId;
  }

  /** Ends the attempt and adds it to the log; later calls have no effect. */
  end({ usage, error, aborted, partial }: AttemptEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const attempt = this.#attempt;
    attempt.durationMs = this.#log.scope.now() - this.#startedAt;
    if (usage !== undefined) attempt.usage = usage;
    if (error !== undefined) attempt.error = error;
    if (aborted !== undefined) attempt.aborted = aborted;
    if (mayBeBilled(attempt, partial, this.#isSent)) attempt.mayBeBilled = true;
    this.#log.add(attempt);
  }
}

export class AttemptLog {
  readonly attempts: Attempt[] = [];
  readonly scope: CallScope;
  readonly #listener: ((attempt: Attempt) => void) | undefined;

  constructor(scope: CallScope, listener: ((attempt: Attempt) => void) | undefined) {
    this.scope = scope;
    this.#listener = listener;
  }

  begin(provider: string, model: string, waitedMs: number, losses: Loss[]): OpenAttempt {
    const now = this.scope.now();
    const attempt = {
      provider,
      model,
      startedAt: formatIsoTime(now),
      durationMs: 0,
      waitedMs,
      losses: copyLosses(losses),
    };
    return new OpenAttempt(this, attempt, now);
  }

  add(attempt: Attempt): void {
    this.attempts.push(attempt);
    const listener = this.#listener;
    if (listener !== undefined) void notifyListener(() => listener(attempt));
  }
}

function copyLosses(losses: readonly Loss[]): Loss[] {
  return losses.map((loss) => ({ ...loss }));
}

/** The most recently formatted time, cached because many attempts begin in the same millisecond under load. */
let lastIsoTime: { now: number; text: string } | undefined;

function formatIsoTime(now: number): string {
  if (lastIsoTime?.now !== now) lastIsoTime = { now, text: new Date(now).toISOString() };
  return lastIsoTime.text;
}

const ADVICE_BY_KIND: Readonly<Record<Exclude<ProviderErrorKind, "unknown">, string>> = {
  authentication: "Check the key of this provider.",
  permission: "The key does not permit this: check its rights, or use another model.",
  "not-found": "Check the name of the model and the base URL.",
  "invalid-request": "Change the request; `error.raw` is the provider's error.",
  "context-length": "Send fewer or shorter messages, or use a model with a larger context.",
  "content-filter":
    "The provider's content filter stopped the request or the answer; change the content, or use another model.",
  "rate-limit": "Call again later, allow more attempts, or add a fallback.",
  quota: "The account has no credit left: add credit, or add a fallback.",
  overloaded: "Call again later, allow more attempts, or add a fallback.",
  server: "Call again later, allow more attempts, or add a fallback.",
  timeout: "Call again later, or allow more time with `timeouts`.",
  network: "Check the base URL and the network, then call again.",
  truncated: "The partial answer is `partial`; call again.",
};

/** Returns the end of an error message: advice for the caller. It refers only to fields that the error has. */
function adviceFor({ error, partial, cause }: AttemptFailure): string {
  const isRetryableKind = isRetryable({ kind: error.kind, message: "" });
  if (error.kind === "invalid-request" && error.raw === undefined) return "Change the request.";
  const isHopeless = isRetryableKind && !isRetryable(error);
  if (!isHopeless && error.kind === "truncated" && nonEmptyPartial(partial) === undefined) return ADVICE_BY_KIND.server;
  if (!isHopeless && error.kind !== "unknown") return ADVICE_BY_KIND[error.kind];
  const fields = [error.raw !== undefined && "`error.raw`", cause !== undefined && "`cause`"].filter(Boolean);
  const details = fields.length === 0 ? "No details are known." : `Details are in ${fields.join(" and ")}.`;
  return isHopeless ? `A retry will not help. ${details}` : details;
}

/** Creates the error for a target whose attempts have failed; `remark` is inserted after the provider's message. */
export function targetFailedError(
  failure: AttemptFailure,
  target: { provider: string; model: string },
  attempts: readonly Attempt[],
  remark = "",
): ClientError {
  const { error, partial, cause } = failure;
  const { provider, model } = target;
  const status = error.status === undefined ? "" : `, status ${error.status}`;
  const count = attempts.length > 1 ? ` (attempt ${attempts.length})` : "";
  const sentence = /[.!?]["')\]]?$/.test(error.message) ? error.message : `${error.message}.`;
  const message = `${provider}/${model}: ${error.kind}${status}${count}: ${sentence}${remark} ${adviceFor(failure)}`;
  const details: ClientErrorDetails = { error, provider, model, attempts, partial: nonEmptyPartial(partial) };
  if (cause !== undefined) details.cause = cause;
  return new ClientError(error.kind, message, details);
}

/** Creates the error of a call that its caller has ended; `reason` is the reason of the abort signal. */
export function abortedError(
  reason: unknown,
  target: { provider: string; model: string },
  attempts: readonly Attempt[],
  partial?: ModelResponse,
): ClientError {
  const { provider, model } = target;
  const text = reason instanceof Error && reason.name !== "AbortError" ? reason.message.replace(/\.$/, "") : "";
  const why = text === "" ? "" : `: ${text}`;
  const arrived = nonEmptyPartial(partial);
  const rest = arrived === undefined ? "" : " The partial answer is on this error, as `partial`.";
  return new ClientError("aborted", `The call to ${provider}/${model} was ended by its caller${why}.${rest}`, {
    provider,
    model,
    attempts,
    partial: arrived,
    cause: reason,
  });
}

/** Returns the partial answer if it has content; undefined otherwise. */
function nonEmptyPartial(partial: ModelResponse | undefined): ModelResponse | undefined {
  const hasContent = partial !== undefined && (partial.message.parts.length > 0 || partial.alternatives !== undefined);
  return hasContent ? partial : undefined;
}

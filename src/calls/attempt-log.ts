// The log of a call's attempts with their times, cost and end, and the errors that report all of them.
import type { Loss, ProviderError, ProviderErrorKind, ModelResponse, Usage } from "../model/index.ts";
import { isRetryable } from "../model/index.ts";
import type { AttemptFailure } from "./attempt-failure.ts";
import type { CallScope } from "./call-scope.ts";
import type { ClientErrorDetails } from "./errors.ts";
import { ClientError } from "./errors.ts";
import { notifyListener } from "./notify.ts";
import type { Attempt } from "./types.ts";

/** The end of an attempt, without its times. */
export interface AttemptEnd {
  usage?: Usage | undefined;
  error?: ProviderError | undefined;
  aborted?: true;
  /** The partial answer. */
  partial?: ModelResponse | undefined;
}

/** Error kinds that do not exclude that the provider worked on the request. */
const CUT_OFF_KINDS: ReadonlySet<ProviderErrorKind> = new Set(["network", "timeout", "truncated"]);

/**
 * True if the provider may have worked on a failed attempt: it sent content, or accepted the request and broke off, or
 * received the request and never replied. A provider that replied with an error did no work.
 */
function mayBeBilled(
  { status, aborted, error }: Attempt,
  partial: ModelResponse | undefined,
  isSent: boolean,
): boolean {
  if (aborted === undefined && error === undefined) return false;
  if (nonEmptyPartial(partial) !== undefined) return true;
  // A connection that breaks before any reply was mostly an idle one that the server had already closed.
  const isAccepted = status === undefined ? isSent && error?.kind !== "network" : status >= 200 && status < 300;
  return (partial !== undefined || isAccepted) && (error === undefined || CUT_OFF_KINDS.has(error.kind));
}

/** An attempt that has not ended. */
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

  /** Copies: the answer's reader may change them. */
  get losses(): Loss[] {
    return copyLosses(this.#attempt.losses);
  }

  /** Records whether the request has gone out, as far as the transport knows. */
  markSent(isSent: boolean): void {
    this.#isSent = isSent;
  }

  /** Records the arrival of the reply's headers. */
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

/** A cache of the last time: under load, many attempts begin in the same millisecond. */
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
  "content-filter": "The provider's filter stopped it; change the content, or use another model.",
  "rate-limit": "Call again later, allow more attempts, or add a fallback.",
  quota: "The account has no credit left: add credit, or add a fallback.",
  overloaded: "Call again later, allow more attempts, or add a fallback.",
  server: "Call again later, allow more attempts, or add a fallback.",
  timeout: "Call again later, or allow more time with `timeouts`.",
  network: "Check the base URL and the network, then call again.",
  truncated: "The partial answer is `partial`; call again.",
};

/** Returns advice that refers only to fields which the error has. */
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

/** Creates the error for a target whose attempts have failed; `remark` is added to the provider's message. */
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

/** Creates the error for a caller that ended the call. */
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

/** Returns the partial answer if it has content. */
function nonEmptyPartial(partial: ModelResponse | undefined): ModelResponse | undefined {
  const hasContent = partial !== undefined && (partial.message.parts.length > 0 || partial.alternatives !== undefined);
  return hasContent ? partial : undefined;
}

// The record of a call: every attempt with its times, its cost and its end, and the error that tells all of it.
import type { Loss, ProviderError, ProviderErrorKind, Response, Usage } from "../../model/index.ts";
import { isRetryable } from "../../model/index.ts";
import type { ClientErrorDetails } from "../errors.ts";
import { ClientError } from "../errors.ts";
import { tell } from "../tell.ts";
import type { Attempt } from "../types.ts";
import type { AttemptFailure } from "./failure.ts";
import type { CallScope } from "./scope.ts";

/** How an attempt ended, beside its times. */
export interface Ending {
  usage?: Usage | undefined;
  error?: ProviderError | undefined;
  aborted?: true;
  /** What had arrived of an answer that is not whole. */
  partial?: Response | undefined;
}

/** Kinds of errors with which no provider says that it did nothing. */
const BROKEN_OFF: ReadonlySet<ProviderErrorKind> = new Set(["network", "timeout", "truncated"]);

/**
 * Whether a provider may have been at work: it had said something, or had accepted the request and then broke off, or had
 * been sent it and never replied. One that refuses has done nothing.
 */
function hasBegun({ status, aborted, error }: Attempt, partial: Response | undefined, isSent: boolean): boolean {
  if (aborted === undefined && error === undefined) return false;
  if (saidOf(partial) !== undefined) return true;
  // A connection that breaks before any reply was mostly an idle one that the other side had given up.
  const isTaken = status === undefined ? isSent && error?.kind !== "network" : status >= 200 && status < 300;
  return (partial !== undefined || isTaken) && (error === undefined || BROKEN_OFF.has(error.kind));
}

/** An attempt that is under way. */
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

  /** For whoever may change them. */
  get losses(): Loss[] {
    return copiesOf(this.#attempt.losses);
  }

  /** Whether the request has gone out, as far as the transport can tell. */
  sent(isSent: boolean): void {
    this.#isSent = isSent;
  }

  /** The headers of the reply have arrived. */
  replied(status: number, requestId: string | undefined): void {
    this.#attempt.status = status;
    if (requestId !== undefined) this.#attempt.requestId = requestId;
  }

  end({ usage, error, aborted, partial }: Ending): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const attempt = this.#attempt;
    attempt.durationMs = this.#log.scope.now() - this.#startedAt;
    if (usage !== undefined) attempt.usage = usage;
    if (error !== undefined) attempt.error = error;
    if (aborted !== undefined) attempt.aborted = aborted;
    if (hasBegun(attempt, partial, this.#isSent)) attempt.mayBeBilled = true;
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
    const attempt = { provider, model, startedAt: isoTime(now), durationMs: 0, waitedMs, losses: copiesOf(losses) };
    return new OpenAttempt(this, attempt, now);
  }

  add(attempt: Attempt): void {
    this.attempts.push(attempt);
    const listener = this.#listener;
    if (listener !== undefined) void tell(() => listener(attempt));
  }
}

function copiesOf(losses: readonly Loss[]): Loss[] {
  return losses.map((loss) => ({ ...loss }));
}

/** The last one that was told: under load, many attempts begin in the same millisecond. */
let told: { now: number; text: string } | undefined;

function isoTime(now: number): string {
  if (told?.now !== now) told = { now, text: new Date(now).toISOString() };
  return told.text;
}

/** What somebody who meets an error of a kind can do about it. */
const ADVICE: Readonly<Record<Exclude<ProviderErrorKind, "unknown">, string>> = {
  authentication: "Check the key of this provider.",
  permission: "The key may not do this: check its rights, or use another model.",
  "not-found": "Check the name of the model and the base URL.",
  "invalid-request": "The request itself must change; `error.raw` is what the provider said.",
  "context-length": "Send fewer or shorter messages, or use a model that takes more.",
  "content-filter": "The provider's filter stopped it; change what is said, or use another model.",
  "rate-limit": "Ask later, allow more attempts, or name a fallback.",
  quota: "The account has no credit left: add some, or name a fallback.",
  overloaded: "Ask later, allow more attempts, or name a fallback.",
  server: "Ask later, allow more attempts, or name a fallback.",
  timeout: "Ask later, or allow more time with `timeouts`.",
  network: "Check the base URL and the network; then ask again.",
  truncated: "What came is a part of the answer, see `partial`; ask again.",
};

/** What an error may point at, as far as it is there. */
function adviceOn({ error, partial, cause }: AttemptFailure): string {
  const mayPass = isRetryable({ kind: error.kind, message: "" });
  if (error.kind === "invalid-request" && error.raw === undefined) return "The request itself must change.";
  const isHopeless = mayPass && !isRetryable(error);
  if (!isHopeless && error.kind === "truncated" && saidOf(partial) === undefined) return ADVICE.server;
  if (!isHopeless && error.kind !== "unknown") return ADVICE[error.kind];
  const places = [error.raw !== undefined && "`error.raw`", cause !== undefined && "`cause`"].filter(Boolean);
  const known = places.length === 0 ? "Nothing more is known." : `What is known is in ${places.join(" and ")}.`;
  return isHopeless ? `Asking again will not help. ${known}` : known;
}

/** The error for the caller once a provider is given up. */
export function giveUp(
  failure: AttemptFailure,
  asked: { provider: string; model: string },
  attempts: readonly Attempt[],
  remark = "",
): ClientError {
  const { error, partial, cause } = failure;
  const { provider, model } = asked;
  const status = error.status === undefined ? "" : `, status ${error.status}`;
  const tried = attempts.length > 1 ? ` (attempt ${attempts.length})` : "";
  const said = /[.!?]["')\]]?$/.test(error.message) ? error.message : `${error.message}.`;
  const message = `${provider}/${model}: ${error.kind}${status}${tried}: ${said}${remark} ${adviceOn(failure)}`;
  const details: ClientErrorDetails = { error, provider, model, attempts, partial: saidOf(partial) };
  if (cause !== undefined) details.cause = cause;
  return new ClientError(error.kind, message, details);
}

/** The error for a caller who ended the call. */
export function abortedError(
  reason: unknown,
  asked: { provider: string; model: string },
  attempts: readonly Attempt[],
  partial?: Response,
): ClientError {
  const said = reason instanceof Error && reason.name !== "AbortError" ? reason.message.replace(/\.$/, "") : "";
  const why = said === "" ? "" : `: ${said}`;
  const arrived = saidOf(partial);
  const rest = arrived === undefined ? "" : " What had arrived is on this error, as `partial`.";
  return new ClientError(
    "aborted",
    `The call to ${asked.provider}/${asked.model} was ended by its caller${why}.${rest}`,
    {
      ...asked,
      attempts,
      partial: arrived,
      cause: reason,
    },
  );
}

/** A part of an answer in which something was said. */
function saidOf(partial: Response | undefined): Response | undefined {
  const isSaid = partial !== undefined && (partial.message.parts.length > 0 || partial.alternatives !== undefined);
  return isSaid ? partial : undefined;
}

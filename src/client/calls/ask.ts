// Asks until somebody answers: the same provider again where that may help, then the next model in line. Retries and
// fallbacks end where an answer has begun.
import type { ProviderError } from "../../model/index.ts";
import { ClientError } from "../errors.ts";
import { abortedError, giveUp } from "./attempts.ts";
import type { OpenAttempt } from "./attempts.ts";
import type { ModelCall, Ready, Target } from "./call.ts";
import type { AttemptFailure } from "./failure.ts";
import { failureOf } from "./failure.ts";
import { judge } from "./policy.ts";

/** One try: what it throws decides what is done next. */
export type Try<T> = (target: Target, ready: Ready, attempt: OpenAttempt) => Promise<T>;

/** What a try gave, and who gave it. */
export interface Answered<T> {
  value: T;
  target: Target;
  attempt: OpenAttempt;
}

/** Tries every target in its order. Throws the last one's error where none has answered. */
export async function ask<T>(call: ModelCall, stream: boolean, tryOnce: Try<T>): Promise<Answered<T>> {
  let last: ClientError | undefined;
  for (const target of call.targets) {
    if (last !== undefined) noteUnasked(call, last);
    try {
      const ready = call.prepare(target, stream);
      return await askTarget(call, target, ready, tryOnce);
    } catch (error) {
      if (!(error instanceof ClientError) || isFinal(error, call)) throw error;
      last = error;
    }
  }
  throw last;
}

/** Whether nobody else is to be asked: a request that is wrong in itself is wrong everywhere. */
function isFinal({ code, status }: ClientError, { scope }: ModelCall): boolean {
  if (scope.ended !== undefined) return true;
  return code === "invalid-request" && (status === undefined || INVALID.has(status));
}

/** The statuses that are about what a request says; others may be about where it was sent. */
const INVALID: ReadonlySet<number> = new Set([400, 422]);

/** A provider that was passed over without being asked is noted, too: whoever reads the answer should know why. */
function noteUnasked({ log }: ModelCall, { code, provider, model, message }: ClientError): void {
  if (code !== "untranslatable" || provider === undefined || model === undefined) return;
  const error: ProviderError = { kind: "invalid-request", message };
  log.begin(provider, model, 0, []).end({ error });
}

async function askTarget<T>(call: ModelCall, target: Target, ready: Ready, tryOnce: Try<T>): Promise<Answered<T>> {
  const { scope, log, session } = call;
  const { asked, retry, timeouts } = target;
  let waitedMs = 0;
  scope.beginTurn(target.turnMs);
  for (let n = 1; ; n += 1) {
    scope.begin(timeouts);
    refuseEnded(call, target);
    const attempt = log.begin(asked.provider, asked.model, waitedMs, ready.losses);
    let failure: AttemptFailure;
    try {
      return { value: await tryOnce(target, ready, attempt), target, attempt };
    } catch (thrown) {
      failure = noteFailure(call, target, attempt, thrown);
    }
    refuseEnded(call, target, failure);
    if (scope.turnEnded !== undefined) throw giveUp(failure, asked, log.attempts);
    const verdict = judge(failure.error, n, retry, session.effects);
    if (!verdict.again) throw giveUp(failure, asked, log.attempts, remarkOn(verdict.reason, failure, target));
    // To wait beyond the end would only hide what went wrong.
    if (scope.now() + verdict.waitMs >= scope.deadline) {
      throw giveUp(failure, asked, log.attempts, " There is no time left to ask again (timeouts.totalMs).");
    }
    waitedMs = verdict.waitMs;
    await pause(call, target, waitedMs);
  }
}

/** Notes how an attempt ended. What is the caller's mistake rather than the provider's failure is thrown. */
function noteFailure(call: ModelCall, target: Target, attempt: OpenAttempt, thrown: unknown): AttemptFailure {
  const failure = failureOf(thrown);
  const { partial } = failure;
  const usage = partial?.usage;
  if (call.scope.ended?.by === "caller") attempt.end({ usage, partial, aborted: true });
  else attempt.end({ usage, partial, error: failure.error });
  if (!(thrown instanceof ClientError) || thrown.error !== undefined) return failure;
  const { provider, model } = target.asked;
  throw new ClientError(thrown.code, thrown.message, {
    path: thrown.path,
    provider,
    model,
    attempts: call.log.attempts,
    cause: thrown,
  });
}

/** Nothing is asked any more once the caller has ended the call, or its time is over. */
function refuseEnded({ scope, log }: ModelCall, { asked }: Target, failure?: AttemptFailure): void {
  const { ended } = scope;
  if (ended === undefined) return;
  if (ended.by === "caller") throw abortedError(ended.reason, asked, log.attempts, failure?.partial);
  throw giveUp(failure ?? failureOf(ended.reason), asked, log.attempts);
}

async function pause(call: ModelCall, target: Target, ms: number): Promise<void> {
  try {
    await call.scope.sleep(ms);
  } catch (error) {
    refuseEnded(call, target);
    const { turnEnded } = call.scope;
    throw turnEnded === undefined ? error : giveUp(failureOf(turnEnded), target.asked, call.log.attempts);
  }
}

function remarkOn(reason: string, { error }: AttemptFailure, { retry }: Target): string {
  if (reason !== "retry-after") return "";
  return ` It wants us to wait ${error.retryAfterMs} ms, and we wait ${retry.retryAfterCapMs} ms at most (retry.retryAfterCapMs).`;
}

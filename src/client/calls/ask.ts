// Asks until somebody answers: the same provider again where that may help, then the next model in line. Retries and
// fallbacks end where an answer has begun.
import type { ProviderError } from "../../model/index.ts";
import type { ClientErrorDetails } from "../errors.ts";
import { ClientError } from "../errors.ts";
import { abortedError, giveUp } from "./attempts.ts";
import type { OpenAttempt } from "./attempts.ts";
import type { ModelCall, PreparedCall, Target } from "./call.ts";
import type { AttemptFailure } from "./failure.ts";
import { failureOf } from "./failure.ts";
import { decideRetry, shareOf } from "./policy.ts";
import { TimeoutReachedError } from "./scope.ts";

/** One try: what it throws decides what is done next. */
export type AttemptFunction<T> = (target: Target, ready: PreparedCall, attempt: OpenAttempt) => Promise<T>;

/** What a try gave, and who gave it. */
export interface AttemptResult<T> {
  value: T;
  target: Target;
  attempt: OpenAttempt;
}

/** Tries every target in its order. Throws the last one's error where none has answered. */
export async function runAttempts<T>(call: ModelCall, tryOnce: AttemptFunction<T>): Promise<AttemptResult<T>> {
  const failed: ClientError[] = [];
  for (const [index, target] of call.targets.entries()) {
    const last = failed.at(-1);
    if (last !== undefined) noteUnasked(call, last);
    try {
      const ready = call.prepare(target);
      return await askTarget(call, target, ready, tryOnce, call.targets.length - index);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (isFinal(error, call) || index === call.targets.length - 1) throw withEarlier(error, failed);
      failed.push(error);
    }
  }
  throw new Error("There was nobody to ask.");
}

/** The same error, and what failed before it elsewhere: the last one in line is seldom the one that matters. */
function withEarlier(last: ClientError, failed: readonly ClientError[]): ClientError {
  if (failed.length === 0 || last.code === "aborted") return last;
  const before = failed.map(({ provider, model, code }) => `${provider}/${model} failed: ${code}`).join("; ");
  const { path, error, provider, model, attempts, partial } = last;
  const details: ClientErrorDetails = { path, error, provider, model, attempts, partial };
  if (last.cause !== undefined) details.cause = last.cause;
  return new ClientError(last.code, `${last.message} Before it, ${before}.`, details);
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

/** `targetsLeft`: how many there are to ask, this one included. */
async function askTarget<T>(
  call: ModelCall,
  target: Target,
  ready: PreparedCall,
  tryOnce: AttemptFunction<T>,
  targetsLeft: number,
): Promise<AttemptResult<T>> {
  const { scope, log, session } = call;
  const { asked, retry, timeouts } = target;
  let waitedMs = 0;
  scope.beginTurn(target.turnMs, shareOf(scope.timeLeft, targetsLeft, target.turnMs));
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
    const isPassedOver = scope.turnEnded !== undefined || (targetsLeft > 1 && isUnanswered(failure));
    if (isPassedOver) throw giveUp(failure, asked, log.attempts);
    const verdict = decideRetry(failure.error, n, retry, session.effects);
    if (!verdict.again) throw giveUp(failure, asked, log.attempts, remarkOn(verdict.reason, failure, target));
    // To wait beyond the end would only hide what went wrong.
    if (scope.now() + verdict.waitMs >= scope.deadline) {
      throw giveUp(failure, asked, log.attempts, " There is no time left to ask again (timeouts.totalMs).");
    }
    waitedMs = verdict.waitMs;
    await pause(call, target, waitedMs);
  }
}

/** Whether no reply began in time: to wait that long again would take the time of whoever is next. */
function isUnanswered({ cause }: AttemptFailure): boolean {
  return cause instanceof TimeoutReachedError && cause.limit === "replyMs";
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

// Loops over targets and attempts: retries at the same target if a retry can help, then uses the next fallback. Neither
// a retry nor a fallback follows once an answer has begun.
import type { ProviderError } from "../model/index.ts";
import { toAttemptFailure } from "./attempt-failure.ts";
import type { AttemptFailure } from "./attempt-failure.ts";
import { abortedError, targetFailedError } from "./attempt-log.ts";
import type { OpenAttempt } from "./attempt-log.ts";
import { TimeoutReachedError } from "./call-scope.ts";
import type { ClientErrorDetails } from "./errors.ts";
import { ClientError } from "./errors.ts";
import type { ModelCall, PreparedCall, Target } from "./model-call.ts";
import { computeTimeShare, decideRetry } from "./retry-policy.ts";

/** Makes one attempt. If the attempt fails, the thrown exception decides whether a retry or a fallback follows. */
export type AttemptFunction<T> = (target: Target, preparedCall: PreparedCall, attempt: OpenAttempt) => Promise<T>;

/** The value of a successful attempt, with its target and its log entry. */
export interface AttemptResult<T> {
  value: T;
  target: Target;
  attempt: OpenAttempt;
}

/** Attempts the targets in order and returns the first success. Throws the error of the last target if all fail. */
export async function runAttempts<T>(call: ModelCall, attemptOnce: AttemptFunction<T>): Promise<AttemptResult<T>> {
  const failed: ClientError[] = [];
  for (const [index, target] of call.targets.entries()) {
    const last = failed.at(-1);
    if (last !== undefined) logSkippedTarget(call, last);
    try {
      const preparedCall = call.prepare(target);
      return await attemptTarget(call, target, preparedCall, attemptOnce, call.targets.length - index);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (isFinal(error, call) || index === call.targets.length - 1) throw withEarlierFailures(error, failed);
      failed.push(error);
    }
  }
  throw new Error("The call has no target.");
}

/**
 * Adds the failures of earlier targets to the error of the last target, because the first failure is usually the
 * relevant one.
 */
function withEarlierFailures(last: ClientError, failed: readonly ClientError[]): ClientError {
  if (failed.length === 0 || last.code === "aborted") return last;
  const before = failed.map(({ provider, model, code }) => `${provider}/${model} failed: ${code}`).join("; ");
  const { path, error, provider, model, attempts, partial } = last;
  const details: ClientErrorDetails = { path, error, provider, model, attempts, partial };
  if (last.cause !== undefined) details.cause = last.cause;
  return new ClientError(last.code, `${last.message} Earlier in this call, ${before}.`, details);
}

/**
 * True if no fallback can help: the call has ended, or its request is invalid by its content (status 400 or 422, or no
 * status).
 */
function isFinal({ code, status }: ClientError, { scope }: ModelCall): boolean {
  if (scope.ended !== undefined) return true;
  return code === "invalid-request" && (status === undefined || INVALID_REQUEST_STATUSES.has(status));
}

/** HTTP statuses that reject the content of a request. Other statuses can be caused by the target. */
const INVALID_REQUEST_STATUSES: ReadonlySet<number> = new Set([400, 422]);

/** Logs a target that was skipped because the request cannot be encoded for it, so that the answer shows the reason. */
function logSkippedTarget({ log }: ModelCall, { code, provider, model, message }: ClientError): void {
  if (code !== "untranslatable" || provider === undefined || model === undefined) return;
  const error: ProviderError = { kind: "invalid-request", message };
  log.begin(provider, model, 0, []).end({ error });
}

/** Attempts one target until it answers or a retry is ruled out. `targetsLeft` includes this target. */
async function attemptTarget<T>(
  call: ModelCall,
  target: Target,
  preparedCall: PreparedCall,
  attemptOnce: AttemptFunction<T>,
  targetsLeft: number,
): Promise<AttemptResult<T>> {
  const { scope, log, context } = call;
  const { info, retry, timeouts } = target;
  let waitedMs = 0;
  scope.beginTarget(target.targetMs, computeTimeShare(scope.timeLeft, targetsLeft, target.targetMs));
  for (let n = 1; ; n += 1) {
    scope.beginPhase(timeouts);
    throwIfEnded(call, target);
    const attempt = log.begin(info.provider, info.model, waitedMs, preparedCall.losses);
    let failure: AttemptFailure;
    try {
      return { value: await attemptOnce(target, preparedCall, attempt), target, attempt };
    } catch (thrown) {
      failure = endFailedAttempt(call, target, attempt, thrown);
    }
    throwIfEnded(call, target, failure);
    const isSkipped = scope.targetEnded !== undefined || (targetsLeft > 1 && isReplyTimeout(failure));
    if (isSkipped) throw targetFailedError(failure, info, log.attempts);
    const decision = decideRetry(failure.error, n, retry, context.effects);
    if (!decision.retry) {
      throw targetFailedError(failure, info, log.attempts, explainNoRetry(decision.reason, failure, target));
    }
    // If the wait would pass the deadline, the provider's error is thrown now; otherwise a timeout error would replace
    // it.
    if (scope.now() + decision.waitMs >= scope.deadline) {
      throw targetFailedError(failure, info, log.attempts, " There is no time left for a retry (timeouts.totalMs).");
    }
    waitedMs = decision.waitMs;
    await waitBeforeRetry(call, target, waitedMs);
  }
}

/**
 * True if no reply began within `replyMs`. The attempt is then not repeated, because a retry would wait as long again
 * and use up the time of the next target.
 */
function isReplyTimeout({ cause }: AttemptFailure): boolean {
  return cause instanceof TimeoutReachedError && cause.limit === "replyMs";
}

/**
 * Ends the attempt in the log and returns its failure. Throws if the failure is a mistake of the caller, such as an
 * invalid header.
 */
function endFailedAttempt(call: ModelCall, target: Target, attempt: OpenAttempt, thrown: unknown): AttemptFailure {
  const failure = toAttemptFailure(thrown);
  const { partial } = failure;
  const usage = partial?.usage;
  if (call.scope.ended?.by === "caller") attempt.end({ usage, partial, aborted: true });
  else attempt.end({ usage, partial, error: failure.error });
  if (!(thrown instanceof ClientError) || thrown.error !== undefined) return failure;
  const { provider, model } = target.info;
  throw new ClientError(thrown.code, thrown.message, {
    path: thrown.path,
    provider,
    model,
    attempts: call.log.attempts,
    cause: thrown,
  });
}

/** Throws if the caller has ended the call or the time limit of the call was reached. */
function throwIfEnded({ scope, log }: ModelCall, { info }: Target, failure?: AttemptFailure): void {
  const { ended } = scope;
  if (ended === undefined) return;
  if (ended.by === "caller") throw abortedError(ended.reason, info, log.attempts, failure?.partial);
  throw targetFailedError(failure ?? toAttemptFailure(ended.reason), info, log.attempts);
}

async function waitBeforeRetry(call: ModelCall, target: Target, ms: number): Promise<void> {
  try {
    await call.scope.sleep(ms);
  } catch (error) {
    throwIfEnded(call, target);
    const { targetEnded } = call.scope;
    if (targetEnded === undefined) throw error;
    throw targetFailedError(toAttemptFailure(targetEnded), target.info, call.log.attempts);
  }
}

function explainNoRetry(reason: string, { error }: AttemptFailure, { retry }: Target): string {
  if (reason !== "retry-after") return "";
  return ` The provider asks for a wait of ${error.retryAfterMs} ms; the limit is ${retry.retryAfterCapMs} ms (retry.retryAfterCapMs).`;
}

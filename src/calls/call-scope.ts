// Implements the scope of one call: its abort signal and its time limits. One timer serves all limits: the start of a
// read only stores the time, and when the timer fires, it is checked whether a limit was reached. `effects.timer` is
// separate from `effects.sleep`, so that a test can replace the waits between attempts and still use the real limits.
import { MAX_TIMER_MS, readClockMs } from "./effects.ts";
import type { Effects, Timeouts } from "./types.ts";

type TimeLimit = "totalMs" | "share" | "replyMs" | "gapMs";

const LIMIT_MESSAGES: Readonly<Record<TimeLimit, (ms: number) => string>> = {
  totalMs: (ms) => `The answer was not complete after ${ms} ms (timeouts.totalMs).`,
  share: (ms) => `No answer after ${ms} ms, the share of this provider while fallbacks are left (timeouts.totalMs).`,
  replyMs: (ms) => `No reply had begun after ${ms} ms (timeouts.replyMs).`,
  gapMs: (ms) => `Nothing arrived for ${ms} ms in the middle of the reply (timeouts.gapMs).`,
};

/** The error of a call or an attempt that reached a time limit. */
export class TimeoutReachedError extends Error {
  override readonly name = "TimeoutReachedError";
  readonly limit: TimeLimit;

  constructor(limit: TimeLimit, ms: number) {
    super(LIMIT_MESSAGES[limit](ms));
    this.limit = limit;
  }
}

export class CallScope {
  readonly #effects: Effects;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #totalMs: number;
  readonly #startedAt: number;
  /** Time at which the current target began. `#targetMs` is the limit for all attempts at this target. */
  #targetStartedAt: number;
  #targetMs = Infinity;
  /**
   * The time in milliseconds that the current target may use while fallbacks are left: its share of the call's time.
   * Infinity if no fallback is left.
   */
  #shareMs = Infinity;
  /** Aborts the current phase, which is an attempt or the wait before a retry. */
  #phase: AbortController | undefined;
  #gapMs = Infinity;
  /** The limit for the time in which no data arrives: `replyMs` before the reply begins, then `gapMs`. */
  #silence: { limit: "replyMs" | "gapMs"; ms: number } = { limit: "gapMs", ms: Infinity };
  /** Time since which a read has been waiting for data; undefined while no read is pending. */
  #silentSince: number | undefined;
  #cancelTimer: (() => void) | undefined;
  /** Time at which the timer fires; Infinity if no timer is set. */
  #timerAt = Infinity;
  #isClosed = false;
  /**
   * Set when a call ends before its answer is complete: whether its caller or its time limit ended it, and the reason.
   * Undefined otherwise.
   */
  ended: { by: "caller"; reason: unknown } | { by: "limit"; reason: TimeoutReachedError } | undefined;
  /** The error of the current target if its time limit was reached; undefined otherwise. */
  targetEnded: TimeoutReachedError | undefined;

  /** Called when `ended` or `targetEnded` is set. */
  onEnded: (() => void) | undefined;

  constructor(effects: Effects, callerSignal: AbortSignal | undefined, totalMs: number) {
    this.#effects = effects;
    this.#callerSignal = callerSignal;
    this.#totalMs = totalMs;
    this.#startedAt = this.now();
    this.#targetStartedAt = this.#startedAt;
    if (callerSignal?.aborted === true) this.endByCaller(callerSignal.reason);
    else callerSignal?.addEventListener("abort", this.#onCallerAbort, { once: true });
  }

  readonly #onCallerAbort = (): void => this.endByCaller(this.#callerSignal?.reason);

  /**
   * The abort signal of the caller. It is also checked after the call has ended, while the reader still reads buffered
   * deltas.
   */
  get callerSignal(): AbortSignal | undefined {
    return this.#callerSignal;
  }

  now(): number {
    return readClockMs(this.#effects);
  }

  get #callDeadline(): number {
    return this.#startedAt + this.#totalMs;
  }
  get #targetDeadline(): number {
    return this.#targetStartedAt + Math.min(this.#targetMs, this.#shareMs);
  }

  /** The time that is left for the call, in milliseconds. */
  get timeLeft(): number {
    return Math.max(0, this.#callDeadline - this.now());
  }

  /** The time of the clock, in milliseconds, by which the current target must have answered. */
  get deadline(): number {
    return Math.min(this.#callDeadline, this.#targetDeadline);
  }

  endByCaller(reason: unknown): void {
    if (!this.#isClosed) this.#finish({ by: "caller", reason });
  }

  #finish(ended: NonNullable<CallScope["ended"]>): void {
    if (this.ended !== undefined) return;
    this.ended = ended;
    this.#phase?.abort(ended.reason);
    this.onEnded?.();
  }

  /**
   * Begins the attempts at a target. When the target's limit (`ms`) or its share of the call's time (`shareMs`) is
   * reached, these attempts end, but not the call.
   */
  beginTarget(ms: number, shareMs: number): void {
    this.#targetStartedAt = this.now();
    this.#targetMs = ms;
    this.#shareMs = shareMs;
    this.targetEnded = undefined;
  }

  /** Removes the target's share of the time once it answers, because no fallback will need the rest of the time. */
  dropTimeShare(): void {
    this.#shareMs = Infinity;
  }

  /**
   * Begins a phase: an attempt or the wait before a retry. Returns a signal for this phase only, so that an abort of
   * the phase does not end the call.
   */
  beginPhase({ gapMs }: Pick<Timeouts, "gapMs">): AbortSignal {
    this.#gapMs = gapMs;
    const phase = new AbortController();
    this.#phase = phase;
    if (this.ended !== undefined) phase.abort(this.ended.reason);
    else if (this.targetEnded !== undefined) phase.abort(this.targetEnded);
    else this.resetSilence();
    return phase.signal;
  }

  get signal(): AbortSignal {
    return this.#phase?.signal ?? this.beginPhase({ gapMs: this.#gapMs });
  }

  async sleep(ms: number): Promise<void> {
    await this.#effects.sleep(ms, this.beginPhase({ gapMs: Infinity }));
  }

  /** Starts the wait for the headers of a reply, limited to `replyMs`. */
  awaitReply(replyMs: number): void {
    this.#silence = { limit: "replyMs", ms: replyMs };
    this.#silentSince = this.now();
    this.#arm();
  }

  /** Ends the wait for a reply. From now on, `gapMs` limits the time in which no data arrives. */
  resetSilence(): void {
    this.#silence = { limit: "gapMs", ms: this.#gapMs };
    this.#silentSince = undefined;
    this.#arm();
  }

  /**
   * Starts the gap limit at the start of a read. The time between reads does not count, because the reader may be slow.
   */
  startSilence(): void {
    this.#silentSince = this.now();
  }
  endSilence(): void {
    this.#silentSince = undefined;
  }

  /** Cancels the timer and removes the listener from the caller's signal. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#callerSignal?.removeEventListener("abort", this.#onCallerAbort);
  }

  /** Sets the timer for the earliest limit. If the timer fires before a limit is reached, `#onTimer` sets it again. */
  #arm(): void {
    const now = this.now();
    const due = Math.min(this.deadline, (this.#silentSince ?? now) + this.#silence.ms);
    if (due >= this.#timerAt || due === Infinity || this.#isClosed) return;
    this.#cancelTimer?.();
    const wait = Math.min(Math.max(1, due - now), MAX_TIMER_MS);
    this.#timerAt = now + wait;
    this.#cancelTimer = this.#effects.timer(this.#onTimer, wait);
  }

  readonly #onTimer = (): void => {
    this.#timerAt = Infinity;
    const now = this.now();
    const { limit, ms } = this.#silence;
    if (now >= this.#callDeadline)
      this.#finish({ by: "limit", reason: new TimeoutReachedError("totalMs", this.#totalMs) });
    else if (now >= this.#targetDeadline) this.#endTarget();
    else if (this.#silentSince !== undefined && now - this.#silentSince >= ms) {
      this.#phase?.abort(new TimeoutReachedError(limit, ms));
    } else this.#arm();
  };

  #endTarget(): void {
    const targetMs = this.#targetMs;
    const shareMs = this.#shareMs;
    this.targetEnded =
      shareMs < targetMs ? new TimeoutReachedError("share", shareMs) : new TimeoutReachedError("totalMs", targetMs);
    this.#phase?.abort(this.targetEnded);
    this.onEnded?.();
  }
}

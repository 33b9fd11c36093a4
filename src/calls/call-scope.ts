// The scope of one call: its abort signal and its time limits. One timer serves all limits: a read only records the time,
// and the timer checks which limit is due. The timer is an effect of its own (`effects.timer`), so that a test can replace
// the waits between attempts and still use the real limits.
import { MAX_TIMER_MS, readClockMs } from "./effects.ts";
import type { Effects, Timeouts } from "./types.ts";

type TimeLimit = "totalMs" | "share" | "replyMs" | "gapMs";

const LIMIT_MESSAGES: Readonly<Record<TimeLimit, (ms: number) => string>> = {
  totalMs: (ms) => `The answer was not complete after ${ms} ms (timeouts.totalMs).`,
  share: (ms) => `No answer after ${ms} ms, the share of this provider while fallbacks are left (timeouts.totalMs).`,
  replyMs: (ms) => `No reply had begun after ${ms} ms (timeouts.replyMs).`,
  gapMs: (ms) => `Nothing arrived for ${ms} ms in the middle of the reply (timeouts.gapMs).`,
};

/** A time limit of the call was reached. */
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
  /** Start and time limit of the current target. */
  #targetStartedAt: number;
  #targetMs = Infinity;
  /** The current target's share of the call's time while fallbacks are left. */
  #shareMs = Infinity;
  /** Aborts the current phase: an attempt or a wait. */
  #phase: AbortController | undefined;
  #gapMs = Infinity;
  /** The limit for the current silence. */
  #silence: { limit: "replyMs" | "gapMs"; ms: number } = { limit: "gapMs", ms: Infinity };
  /** Start of the current silence; undefined while no read is pending. */
  #silentSince: number | undefined;
  #cancelTimer: (() => void) | undefined;
  /** Time at which the timer fires. */
  #timerAt = Infinity;
  #isClosed = false;
  /** Set when the caller or the call's time limit ended the call. */
  ended: { by: "caller"; reason: unknown } | { by: "limit"; reason: TimeoutReachedError } | undefined;
  /** Set when the current target's time limit was reached. */
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

  /** The caller's signal. It also ends the reading of buffered deltas after the call itself is over. */
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

  /** The rest of the call's time. */
  get timeLeft(): number {
    return Math.max(0, this.#callDeadline - this.now());
  }

  /** The time by which the current target must have answered. */
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

  /** Begins a target with its limits, which end its attempts but not the call. */
  beginTarget(ms: number, shareMs: number): void {
    this.#targetStartedAt = this.now();
    this.#targetMs = ms;
    this.#shareMs = shareMs;
    this.targetEnded = undefined;
  }

  /** Removes the target's time share: it answers, so no fallback will need the rest of the time. */
  dropTimeShare(): void {
    this.#shareMs = Infinity;
  }

  /** Begins an attempt or a wait with a signal of its own, so that its end does not end the call. */
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

  /** Starts the limit for the wait until a reply begins. */
  awaitReply(replyMs: number): void {
    this.#silence = { limit: "replyMs", ms: replyMs };
    this.#silentSince = this.now();
    this.#arm();
  }

  /** Ends the wait for a reply; from now on, `gapMs` limits each silence. */
  resetSilence(): void {
    this.#silence = { limit: "gapMs", ms: this.#gapMs };
    this.#silentSince = undefined;
    this.#arm();
  }

  /** Starts a silence at the start of a read. The time between reads does not count: a slow reader is no silence. */
  startSilence(): void {
    this.#silentSince = this.now();
  }
  endSilence(): void {
    this.#silentSince = undefined;
  }

  /** Frees the timer and the listener on the caller's signal. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#callerSignal?.removeEventListener("abort", this.#onCallerAbort);
  }

  /** Sets the timer for the earliest limit. A timer that fires too early is set again by `#onTimer`. */
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

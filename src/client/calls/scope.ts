// The life of one call: who may end it, and how long it may take. One timer for all limits: a read only notes the time,
// and the timer, when it goes off, looks whether anything is really due. It is a real one even where waits are held by
// a test: limits are about connections that really are silent.
import { LONGEST_TIMER_MS, millisecondsOf } from "../effects.ts";
import type { Effects, Timeouts } from "../types.ts";

type Limit = "totalMs" | "share" | "replyMs" | "gapMs";

const REACHED: Readonly<Record<Limit, (ms: number) => string>> = {
  totalMs: (ms) => `The answer was not whole after ${ms} ms (timeouts.totalMs).`,
  share: (ms) => `No answer after ${ms} ms, its share of the time while others are left to ask (timeouts.totalMs).`,
  replyMs: (ms) => `No reply had begun after ${ms} ms (timeouts.replyMs).`,
  gapMs: (ms) => `Nothing came for ${ms} ms in the middle of the reply (timeouts.gapMs).`,
};

/** A limit of the client's own was reached. */
export class TimeoutReachedError extends Error {
  override readonly name = "LimitReached";
  readonly limit: Limit;

  constructor(limit: Limit, ms: number) {
    super(REACHED[limit](ms));
    this.limit = limit;
  }
}

export class CallScope {
  readonly #effects: Effects;
  readonly #outer: AbortSignal | undefined;
  readonly #totalMs: number;
  readonly #startedAt: number;
  /** Of the provider that is being asked, and its own limit. */
  #turnStartedAt: number;
  #turnMs = Infinity;
  /** What it may take of the call's time while others could still be asked. */
  #shareMs = Infinity;
  /** Of what is going on now: an attempt or a wait. */
  #current: AbortController | undefined;
  #gapMs = Infinity;
  /** The limit on the silence that is being waited through. */
  #silence: { limit: "replyMs" | "gapMs"; ms: number } = { limit: "gapMs", ms: Infinity };
  /** When that silence began; undefined while nothing is waited for. */
  #silentSince: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When it goes off. */
  #timerAt = Infinity;
  #isClosed = false;
  /** Why the whole call ended, where somebody or something ended it. */
  ended: { by: "caller"; reason: unknown } | { by: "limit"; reason: TimeoutReachedError } | undefined;
  /** The time of the provider that is being asked is over. */
  turnEnded: TimeoutReachedError | undefined;

  /** Told when the call, or the provider's part in it, has ended that way. */
  onEnded: (() => void) | undefined;

  constructor(effects: Effects, outer: AbortSignal | undefined, totalMs: number) {
    this.#effects = effects;
    this.#outer = outer;
    this.#totalMs = totalMs;
    this.#startedAt = this.now();
    this.#turnStartedAt = this.#startedAt;
    if (outer?.aborted === true) this.end(outer.reason);
    else outer?.addEventListener("abort", this.#followOuter, { once: true });
  }

  readonly #followOuter = (): void => this.end(this.#outer?.reason);

  /** The caller's signal: it counts also where the call is over, and somebody still reads what it gave. */
  get callerSignal(): AbortSignal | undefined {
    return this.#outer;
  }

  now(): number {
    return millisecondsOf(this.#effects);
  }

  get #callDeadline(): number {
    return this.#startedAt + this.#totalMs;
  }
  get #turnDeadline(): number {
    return this.#turnStartedAt + Math.min(this.#turnMs, this.#shareMs);
  }

  /** What is left of the call's time. */
  get timeLeft(): number {
    return Math.max(0, this.#callDeadline - this.now());
  }

  /** When the provider that is being asked must be done. */
  get deadline(): number {
    return Math.min(this.#callDeadline, this.#turnDeadline);
  }

  /** The caller ends the call. */
  end(reason: unknown): void {
    if (!this.#isClosed) this.#finish({ by: "caller", reason });
  }

  #finish(ended: NonNullable<CallScope["ended"]>): void {
    if (this.ended !== undefined) return;
    this.ended = ended;
    this.#current?.abort(ended.reason);
    this.onEnded?.();
  }

  /** A provider is asked from here on, however often; neither its own limit nor its share ends the call. */
  beginTurn(ms: number, shareMs: number): void {
    this.#turnStartedAt = this.now();
    this.#turnMs = ms;
    this.#shareMs = shareMs;
    this.turnEnded = undefined;
  }

  /** It answers, so that nobody else will be asked: the time of the others is its own now. */
  keepTurn(): void {
    this.#shareMs = Infinity;
  }

  /** What comes next has its own signal: a reply that falls silent ends, and the call may go on. */
  begin({ gapMs }: Pick<Timeouts, "gapMs">): AbortSignal {
    this.#gapMs = gapMs;
    const current = new AbortController();
    this.#current = current;
    if (this.ended !== undefined) current.abort(this.ended.reason);
    else if (this.turnEnded !== undefined) current.abort(this.turnEnded);
    else this.resetSilence();
    return current.signal;
  }

  get signal(): AbortSignal {
    return this.#current?.signal ?? this.begin({ gapMs: this.#gapMs });
  }

  async sleep(ms: number): Promise<void> {
    await this.#effects.sleep(ms, this.begin({ gapMs: Infinity }));
  }

  /** From here on the beginning of a reply is waited for. */
  awaitReply(replyMs: number): void {
    this.#silence = { limit: "replyMs", ms: replyMs };
    this.#silentSince = this.now();
    this.#arm();
  }

  /** No reply is waited for, or it has begun: what counts now is silence while somebody reads. */
  resetSilence(): void {
    this.#silence = { limit: "gapMs", ms: this.#gapMs };
    this.#silentSince = undefined;
    this.#arm();
  }

  /** From here on silence counts; a reader that takes its time is no silence. */
  reading(): void {
    this.#silentSince = this.now();
  }
  read(): void {
    this.#silentSince = undefined;
  }

  /** Nothing is waited for any more: the timer is freed, and the caller's signal forgotten. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#followOuter);
  }

  /** Sets the timer for whatever is due first; one that goes off earlier will look again. */
  #arm(): void {
    const now = this.now();
    const due = Math.min(this.deadline, (this.#silentSince ?? now) + this.#silence.ms);
    if (due >= this.#timerAt || due === Infinity || this.#isClosed) return;
    clearTimeout(this.#timer);
    const wait = Math.min(Math.max(1, due - now), LONGEST_TIMER_MS);
    this.#timerAt = now + wait;
    this.#timer = setTimeout(this.#look, wait);
  }

  /** The timer went off. */
  readonly #look = (): void => {
    this.#timerAt = Infinity;
    const now = this.now();
    const { limit, ms } = this.#silence;
    if (now >= this.#callDeadline)
      this.#finish({ by: "limit", reason: new TimeoutReachedError("totalMs", this.#totalMs) });
    else if (now >= this.#turnDeadline) this.#endTurn();
    else if (this.#silentSince !== undefined && now - this.#silentSince >= ms) {
      this.#current?.abort(new TimeoutReachedError(limit, ms));
    } else this.#arm();
  };

  #endTurn(): void {
    const turnMs = this.#turnMs;
    const shareMs = this.#shareMs;
    this.turnEnded =
      shareMs < turnMs ? new TimeoutReachedError("share", shareMs) : new TimeoutReachedError("totalMs", turnMs);
    this.#current?.abort(this.turnEnded);
    this.onEnded?.();
  }
}

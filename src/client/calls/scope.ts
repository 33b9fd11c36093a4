// The life of one call: who may end it, and how long it may take. One timer for all limits: a read only notes the time,
// and the timer, when it goes off, looks whether anything is really due.
import { millisecondsOf } from "../effects.ts";
import type { Effects } from "../types.ts";

/** A limit of the client's own was reached. */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
  readonly limit: "totalMs" | "gapMs";

  constructor(limit: "totalMs" | "gapMs", ms: number) {
    super(
      limit === "totalMs"
        ? `The answer was not whole after ${ms} ms (timeouts.totalMs).`
        : `Nothing came for ${ms} ms in the middle of the reply (timeouts.gapMs).`,
    );
    this.limit = limit;
  }
}

/** Why a timer ends early. Where no reason is given, an error is made for each, and that costs more than the timer. */
export const PUT_OUT = "put out";

export class CallScope {
  private readonly effects: Effects;
  private readonly outer: AbortSignal | undefined;
  private readonly startedAt: number;
  /** Of what is going on now: an attempt or a wait. */
  private current = new AbortController();
  private totalMs = Infinity;
  private gapMs = Infinity;
  /** When the read began that is being waited for; undefined while none is. */
  private readingSince: number | undefined;
  private timer: AbortController | undefined;
  private isClosed = false;
  /** Why the whole call ended, where somebody or something ended it. */
  ended: { by: "caller"; reason: unknown } | { by: "limit"; reason: LimitReached } | undefined;

  /** Told when the whole call has ended that way. */
  onEnded: (() => void) | undefined;

  constructor(effects: Effects, outer: AbortSignal | undefined) {
    this.effects = effects;
    this.outer = outer;
    this.startedAt = this.now();
    if (outer?.aborted === true) this.end(outer.reason);
    else outer?.addEventListener("abort", this.followOuter, { once: true });
  }

  private readonly followOuter = (): void => this.end(this.outer?.reason);

  now(): number {
    return millisecondsOf(this.effects);
  }

  /** When the whole call must be over. */
  get deadline(): number {
    return this.startedAt + this.totalMs;
  }

  /** The caller ends the call. */
  end(reason: unknown): void {
    if (!this.isClosed) this.finish({ by: "caller", reason });
  }

  private finish(ended: NonNullable<CallScope["ended"]>): void {
    if (this.ended !== undefined) return;
    this.ended = ended;
    this.timer?.abort(PUT_OUT);
    this.timer = undefined;
    this.current.abort(ended.reason);
    this.onEnded?.();
  }

  /** What comes next has its own signal: a reply that falls silent ends, and the call may go on. */
  begin(limits: { totalMs: number; gapMs: number }): AbortSignal {
    this.totalMs = limits.totalMs;
    this.gapMs = limits.gapMs;
    this.readingSince = undefined;
    this.current = new AbortController();
    if (this.ended === undefined) this.arm();
    else this.current.abort(this.ended.reason);
    return this.current.signal;
  }

  get signal(): AbortSignal {
    return this.current.signal;
  }

  async sleep(ms: number): Promise<void> {
    await this.effects.sleep(ms, this.begin({ totalMs: this.totalMs, gapMs: Infinity }));
  }

  /** From here on silence counts; a reader that takes its time is no silence. */
  reading(): void {
    this.readingSince = this.now();
  }
  read(): void {
    this.readingSince = undefined;
  }

  /** Nothing is waited for any more: the timer is freed, and the caller's signal forgotten. */
  close(): void {
    this.isClosed = true;
    this.timer?.abort(PUT_OUT);
    this.timer = undefined;
    this.outer?.removeEventListener("abort", this.followOuter);
  }

  /** Lights the timer for whatever is due first. */
  private arm(): void {
    this.timer?.abort(PUT_OUT);
    this.timer = undefined;
    const now = this.now();
    const wait = Math.min(this.deadline, (this.readingSince ?? now) + this.gapMs) - now;
    if (wait === Infinity || this.isClosed) return;
    const timer = new AbortController();
    this.timer = timer;
    void this.effects.sleep(Math.max(1, wait), timer.signal).then(
      () => this.look(timer),
      () => undefined, // put out: another one is lit, or the call is over
    );
  }

  /** The timer went off. */
  private look(timer: AbortController): void {
    if (this.timer !== timer) return;
    const now = this.now();
    if (now >= this.deadline) this.finish({ by: "limit", reason: new LimitReached("totalMs", this.totalMs) });
    else if (this.readingSince !== undefined && now - this.readingSince >= this.gapMs) {
      this.current.abort(new LimitReached("gapMs", this.gapMs));
    } else this.arm();
  }
}

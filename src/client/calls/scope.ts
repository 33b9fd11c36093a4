// The life of one call: who may end it, and how long it may take. One timer for all limits: a read only notes the time,
// and the timer, when it goes off, looks whether anything is really due. It is a real one even where waits are held by
// a test: limits are about connections that really are silent.
import { LONGEST_TIMER_MS, millisecondsOf } from "../effects.ts";
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
  private timer: ReturnType<typeof setTimeout> | undefined;
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
    clearTimeout(this.timer);
    this.outer?.removeEventListener("abort", this.followOuter);
  }

  /** Sets the timer for whatever is due first. */
  private arm(): void {
    clearTimeout(this.timer);
    const now = this.now();
    const wait = Math.min(this.deadline, (this.readingSince ?? now) + this.gapMs) - now;
    if (wait === Infinity || this.isClosed) return;
    this.timer = setTimeout(this.look, Math.min(Math.max(1, wait), LONGEST_TIMER_MS));
  }

  /** The timer went off. */
  private readonly look = (): void => {
    const now = this.now();
    if (now >= this.deadline) this.finish({ by: "limit", reason: new LimitReached("totalMs", this.totalMs) });
    else if (this.readingSince !== undefined && now - this.readingSince >= this.gapMs) {
      this.current.abort(new LimitReached("gapMs", this.gapMs));
    } else this.arm();
  };
}

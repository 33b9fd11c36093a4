// Who may go on now, and who waits: first come, first served, and not for ever.
import { LedgerError } from "../../errors.ts";

/** So many at once; the others wait, but not longer than they are allowed to. */
export class Turns {
  readonly #waitMs: number;
  readonly #tooLong: string;
  readonly #waiting: (() => void)[] = [];
  readonly #count: number;
  #free: number;

  /** `tooLong` is what those are told who waited in vain. */
  constructor(count: number, waitMs: number, tooLong: string) {
    this.#count = count;
    this.#free = count;
    this.#waitMs = waitMs;
    this.#tooLong = tooLong;
  }

  /** Whether nobody is at it; then nobody waits either. */
  get isIdle(): boolean {
    return this.#free === this.#count;
  }

  /** Resolves when the turn has come. Whoever has it must leave. */
  async enter(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await this.#wait();
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(new LedgerError("busy", this.#tooLong));
      }, this.#waitMs);
      this.#waiting.push(turn);
    });
  }
}

/**
 * One line for each name. Writers of one thread wait for each other anyway: who stands in line meanwhile holds no
 * connection that others could use.
 */
export class Lines {
  readonly #count: number;
  readonly #waitMs: number;
  readonly #lines = new Map<string, Turns>();

  /** So many of each name at once. */
  constructor(count: number, waitMs: number) {
    this.#count = count;
    this.#waitMs = waitMs;
  }

  /** Resolves when the turn has come, with the function that ends it. */
  async enter(name: string): Promise<() => void> {
    const line =
      this.#lines.get(name) ?? new Turns(this.#count, this.#waitMs, "Other writers of the thread took too long.");
    this.#lines.set(name, line);
    await line.enter();
    return () => {
      line.leave();
      if (line.isIdle) this.#lines.delete(name);
    };
  }
}

// Who may use a connection now, and who waits for one: first come, first served, and not for ever.
import { LedgerError } from "../../errors.ts";

export class Turns {
  readonly #waitMs: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #underWay = 0;
  #whenOver: () => void = () => undefined;

  /** So many at once; the others wait, but not longer than this. */
  constructor(count: number, waitMs: number) {
    this.#free = count;
    this.#waitMs = waitMs;
  }

  /** Does the work when its turn comes. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      if (this.#free > 0) this.#free--;
      else await this.#wait();
      try {
        return await work();
      } finally {
        const next = this.#waiting.shift();
        if (next === undefined) this.#free++;
        else next();
      }
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#whenOver();
    }
  }

  /** Resolves when nobody works and nobody waits. */
  async over(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenOver = resolve));
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(new LedgerError("busy", "No connection to Postgres became free in time."));
      }, this.#waitMs);
      this.#waiting.push(turn);
    });
  }
}

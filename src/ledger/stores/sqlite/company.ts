// Whether commits that wait for a turn of the event loop find company there. A server has many callers in one turn, a
// program that awaits each write has one: which it is shows by waiting a few times, now and again.

/** How many commits are looked at, and how many callers they must have had together for waiting to pay. */
const LOOKED_AT = 8;
const ENOUGH = 10;
/** How many commits do not wait after that was not so. */
const ALONE = 256;

export class Company {
  #looks = 0;
  #callers = 0;
  #alone = 0;

  /** Whether the next commit should wait for others. Asked once for each. */
  isExpected(): boolean {
    if (this.#alone === 0) return true;
    this.#alone--;
    return false;
  }

  /** A commit had so many callers. */
  came(callers: number): void {
    if (this.#alone > 0) return;
    this.#looks++;
    this.#callers += callers;
    if (this.#looks < LOOKED_AT) return;
    if (this.#callers < ENOUGH) this.#alone = ALONE;
    this.#looks = 0;
    this.#callers = 0;
  }
}

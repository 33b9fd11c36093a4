// Decides whether delaying a commit by one event-loop tick pays: yes if recent commits were shared by several callers.
// A server has many callers per tick; a program that awaits each write has one. The decision is sampled again from time
// to time.

/** The number of sampled commits, and the callers they must have in total for a delay to pay. */
const SAMPLE_SIZE = 8;
const MIN_CALLERS = 10;
/** The number of commits without delay after a negative sample. */
const UNDELAYED_COMMITS = 256;

/** Samples commits and decides about the delay. */
export class CommitBatching {
  #sampled = 0;
  #callers = 0;
  #undelayed = 0;

  /** Returns true if the next commit should wait for others. Call once per commit. */
  shouldDelay(): boolean {
    if (this.#undelayed === 0) return true;
    this.#undelayed--;
    return false;
  }

  /** Records the number of callers of a commit. */
  addCommit(callers: number): void {
    if (this.#undelayed > 0) return;
    this.#sampled++;
    this.#callers += callers;
    if (this.#sampled < SAMPLE_SIZE) return;
    if (this.#callers < MIN_CALLERS) this.#undelayed = UNDELAYED_COMMITS;
    this.#sampled = 0;
    this.#callers = 0;
  }
}

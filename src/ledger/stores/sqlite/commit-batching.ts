// Decides whether a commit is delayed by one tick of the event loop, so that several callers share the commit. A delay
// is useful in a server, which has many callers per tick, but not in a program that awaits each write. The decision is
// made from samples of recent commits.

/** The number of commits in a sample. */
const SAMPLE_SIZE = 8;
/**
 * The minimum total number of callers of a sample's commits. After a sample with fewer callers, commits are not
 * delayed.
 */
const MIN_CALLERS = 10;
/**
 * The number of commits that are not delayed after a sample with fewer than MIN_CALLERS callers. Then the next sample
 * begins.
 */
const UNDELAYED_COMMITS = 256;

/** Samples commits, and decides whether the next commit is delayed. */
export class CommitBatching {
  #sampled = 0;
  #callers = 0;
  #undelayed = 0;

  /**
   * True if the next commit should wait for further callers. Must be called once per commit, because calls are counted.
   */
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

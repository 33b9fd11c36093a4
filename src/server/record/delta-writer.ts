// Writes the deltas of a stream to its run. Deltas are buffered until the run exists. After a failed write, no further
// delta is written, because the stored answer would have a gap.
import type { Run } from "../../ledger/index.ts";
import type { Delta } from "../../model/index.ts";
import { createUnavailableError } from "./record-errors.ts";

export interface DeltaWriterOptions {
  /**
   * Adds `bytes`, which may be negative, to the unwritten bytes of all recordings. Returns false if the sum exceeds the
   * recorder's limit `maxPendingBytes`.
   */
  reserveBytes(bytes: number): boolean;
  /** Called once, with the first error, if deltas could not be written. */
  onLost(error: unknown): void;
}

export class DeltaWriter {
  /** The run; undefined until the ledger has created it. */
  run: Run | undefined;
  /** The promise of the run; undefined until the creation of the run has started. */
  starting: Promise<Run> | undefined;
  readonly #options: DeltaWriterOptions;
  #buffered: (readonly Delta[])[] = [];
  #unwrittenBytes = 0;
  #failure: { error: unknown } | undefined;
  #isOver = false;
  #lastWriteAt = performance.now();

  constructor(options: DeltaWriterOptions) {
    this.#options = options;
  }

  /** The first error of a write; undefined if no deltas are missing in the run. */
  get failure(): { error: unknown } | undefined {
    return this.#failure;
  }

  /** All deltas so far if the creation of the run has not started, and otherwise an empty list. */
  get buffered(): readonly (readonly Delta[])[] {
    return this.starting === undefined ? this.#buffered : [];
  }

  /** The estimated number of bytes of deltas that have not been written yet. */
  get unwrittenBytes(): number {
    return this.#unwrittenBytes;
  }

  push(deltas: readonly Delta[]): void {
    if (this.#failure !== undefined || this.#isOver) return;
    const size = estimateBytes(deltas);
    this.#unwrittenBytes += size;
    if (!this.#options.reserveBytes(size))
      this.stop(createUnavailableError("the ledger is slower than the incoming answers."));
    else if (this.run === undefined) this.#buffered.push(deltas);
    else this.#append(this.run, deltas, size);
  }

  /** Creates the run with `make`; repeated calls return the same promise. */
  startRun(make: () => Promise<Run>): Promise<Run> {
    this.starting ??= this.#createRun(make);
    return this.starting;
  }

  /** Stops accepting deltas. */
  end(): void {
    this.#isOver = true;
  }

  /**
   * Stops accepting deltas, discards the buffer, and subtracts its bytes from the unwritten bytes of all recordings.
   */
  release(): void {
    this.#isOver = true;
    this.#buffered = [];
    this.#releaseBytes(this.#unwrittenBytes);
  }

  /** Stops accepting deltas because of an error, discards the buffer, and reports the first error to `onLost`. */
  stop(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#buffered = [];
    this.#releaseBytes(this.#unwrittenBytes);
    this.#options.onLost(error);
  }

  /** True if the run exists and nothing was written to it for `ms` milliseconds. */
  isSilent(ms: number): boolean {
    return this.run !== undefined && performance.now() - this.#lastWriteAt > ms;
  }
  noteWrite(): void {
    this.#lastWriteAt = performance.now();
  }

  async #createRun(make: () => Promise<Run>): Promise<Run> {
    try {
      const run = await make();
      this.run = run;
      this.noteWrite();
      const buffered = this.#buffered;
      this.#buffered = [];
      for (const deltas of buffered) if (this.#failure === undefined) this.#append(run, deltas, estimateBytes(deltas));
      return run;
    } catch (error) {
      this.stop(error);
      throw error;
    }
  }

  #append(run: Run, deltas: readonly Delta[], size: number): void {
    run.append(deltas).then(
      () => {
        this.#releaseBytes(size);
        this.noteWrite();
      },
      (error: unknown) => this.stop(error),
    );
  }

  #releaseBytes(size: number): void {
    const released = Math.min(size, this.#unwrittenBytes);
    if (released === 0) return;
    this.#unwrittenBytes -= released;
    this.#options.reserveBytes(-released);
  }
}

/** Estimates the stored size of deltas in bytes: 64 for each delta, and the lengths of its texts. */
function estimateBytes(deltas: readonly Delta[]): number {
  let size = 0;
  for (const { payload } of deltas) {
    size += 64;
    for (const name in payload) {
      // The cast is safe: the payload of every delta is a plain object.
      const value: unknown = (payload as unknown as Record<string, unknown>)[name];
      if (typeof value === "string") size += value.length;
    }
  }
  return size;
}

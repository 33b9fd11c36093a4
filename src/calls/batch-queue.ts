// A queue of deltas that keeps the batches in which they arrived.
import type { Delta } from "../model/index.ts";

/** Consumed batches are removed from the array only if there are more than this. */
const MIN_CONSUMED = 64;

export class BatchQueue {
  #batches: (readonly Delta[])[] = [];
  /** Index of the first batch that is not consumed, and of its first delta that is not. */
  #first = 0;
  #at = 0;

  get isEmpty(): boolean {
    return this.#first === this.#batches.length;
  }

  push(batch: readonly Delta[]): void {
    if (batch.length > 0) this.#batches.push(batch);
  }

  /** Removes and returns the next delta. */
  shift(): Delta | undefined {
    const batch = this.#batches[this.#first];
    if (batch === undefined) return undefined;
    const delta = batch[this.#at];
    this.#at += 1;
    if (this.#at === batch.length) this.#advance();
    return delta;
  }

  /** Removes and returns the rest of the next batch; an empty list if there is none. */
  shiftBatch(): readonly Delta[] {
    const batch = this.#batches[this.#first];
    if (batch === undefined) return [];
    const rest = this.#at === 0 ? batch : batch.slice(this.#at);
    this.#advance();
    return rest;
  }

  #advance(): void {
    this.#at = 0;
    this.#first += 1;
    if (this.#first === this.#batches.length) this.clear();
    // Removed when they are half of the array: removing each one alone would make a long queue quadratic.
    else if (this.#first > MIN_CONSUMED && this.#first * 2 > this.#batches.length) {
      this.#batches = this.#batches.slice(this.#first);
      this.#first = 0;
    }
  }

  clear(): void {
    this.#batches.length = 0;
    this.#first = 0;
    this.#at = 0;
  }
}

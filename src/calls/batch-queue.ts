// Implements a queue of deltas that preserves the batches in which the deltas arrived.
import type { Delta } from "../model/index.ts";

/** The number of consumed batches that must be exceeded before they are removed from the array `#batches`. */
const MIN_CONSUMED = 64;

export class BatchQueue {
  #batches: (readonly Delta[])[] = [];
  /** Index of the first batch that is not fully consumed. `#at` is the index of the next delta in that batch. */
  #first = 0;
  #at = 0;

  get isEmpty(): boolean {
    return this.#first === this.#batches.length;
  }

  push(batch: readonly Delta[]): void {
    if (batch.length > 0) this.#batches.push(batch);
  }

  /** Removes and returns the next delta; undefined if the queue is empty. */
  shift(): Delta | undefined {
    const batch = this.#batches[this.#first];
    if (batch === undefined) return undefined;
    const delta = batch[this.#at];
    this.#at += 1;
    if (this.#at === batch.length) this.#advance();
    return delta;
  }

  /** Removes and returns the rest of the next batch; an empty list if the queue is empty. */
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
    // Consumed batches are removed when they are more than half of the array. Removing each batch separately would make
    // the cost of a long queue quadratic.
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

// Deltas that wait for a reader, in the batches in which they came.
import type { Delta } from "../../model/index.ts";

/** Fewer that were taken are not worth moving the others for. */
const FEW = 64;

export class BatchQueue {
  #batches: (readonly Delta[])[] = [];
  /** The first batch that is not taken, and of it, the first delta that is not. */
  #first = 0;
  #at = 0;

  get isEmpty(): boolean {
    return this.#first === this.#batches.length;
  }

  push(batch: readonly Delta[]): void {
    if (batch.length > 0) this.#batches.push(batch);
  }

  /** The next delta; undefined where there is none. */
  shift(): Delta | undefined {
    const batch = this.#batches[this.#first];
    if (batch === undefined) return undefined;
    const delta = batch[this.#at];
    this.#at += 1;
    if (this.#at === batch.length) this.#advance();
    return delta;
  }

  /** What is left of the next batch; nothing where there is none. */
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
    // Half of them at a time: to move the rest for each one would cost more the more there are.
    else if (this.#first > FEW && this.#first * 2 > this.#batches.length) {
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

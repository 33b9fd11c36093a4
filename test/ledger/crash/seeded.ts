// Random choices that a number decides, so that a campaign's plans can be had again.

export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly [T, ...T[]]): T;
  pick<T>(list: readonly T[]): T | undefined;
  pick<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)];
  }

  /** A choice by weight; undefined where no choice has any. */
  weighted<T>(choices: readonly (readonly [choice: T, weight: number])[]): T | undefined {
    let left = this.next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [choice, weight] of choices) {
      left -= weight;
      if (weight > 0 && left < 0) return choice;
    }
    return undefined;
  }

  /** A seed for somebody else. */
  seed(): number {
    return this.below(2 ** 31);
  }
}

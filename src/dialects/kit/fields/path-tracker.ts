// Tracks the path of the value that a decoder or encoder currently works on. The JSON pointer is built only when an
// error or a loss is reported.
import { pointer, pointerStep } from "../../../model/json/pointer.ts";

/** Tracks the path of the current value. */
export class PathTracker {
  readonly #steps: (string | number)[] = [];
  /** The number of valid steps. `leave` does not shorten the list, because that was the largest cost of encoding. */
  #depth = 0;

  /** Returns the JSON pointer to the current value, or to `field` below the current value. */
  path(...field: (string | number)[]): string {
    let path = "";
    for (let at = 0; at < this.#depth; at++) path += pointerStep(this.#steps[at] ?? "");
    return path + pointer(field);
  }

  /** True if the root is a bare list of messages, not a request or response. */
  get isInList(): boolean {
    return this.#depth > 0 && typeof this.#steps[0] === "number";
  }

  /** Moves to a field or element of the current value; `leave` moves back. Unlike `into`, this needs no closure. */
  enter(key: string | number): void {
    this.#steps[this.#depth++] = key;
  }

  leave(levels = 1): void {
    this.#depth -= levels;
  }

  /** Runs a step with a field or element as the current value. If the step throws, the path stays at the error. */
  into<T>(key: string | number, step: () => T): T {
    this.enter(key);
    const result = step();
    this.#depth--;
    return result;
  }

  /**
   * Maps a list with `step`; during each call the element is the current value. `key` is the field that contains the
   * list; undefined if the list is the current value.
   */
  each<T, R>(key: string | undefined, list: readonly T[], step: (element: T, index: number) => R): R[] {
    const results: R[] = [];
    if (key !== undefined) this.enter(key);
    for (let index = 0; index < list.length; index++) {
      this.enter(index);
      // The cast is safe: the index is within the length, and if the list has a hole, T includes undefined.
      results.push(step(list[index] as T, index));
      this.#depth--;
    }
    if (key !== undefined) this.#depth--;
    return results;
  }

  /** Moves to the root. Needed after an error, because the path stays where the error occurred. */
  reset(): void {
    this.#depth = 0;
  }
}

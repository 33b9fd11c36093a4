// The path from the root to the value that a decoder or encoder currently works on. Errors and losses take their JSON
// pointer from it, so that no path string is built unless one is reported.
import { pointer, pointerStep } from "../../../model/json/pointer.ts";

/** Tracks the path of the current value. */
export class PathTracker {
  readonly #steps: (string | number)[] = [];
  /** Number of valid steps. The list is not shortened on `leave`: that was the largest cost of encoding. */
  #depth = 0;

  /** Returns the JSON pointer to the current value, or to a field below it. */
  path(...field: (string | number)[]): string {
    let path = "";
    for (let at = 0; at < this.#depth; at++) path += pointerStep(this.#steps[at] ?? "");
    return path + pointer(field);
  }

  /** True if the root is a bare list of messages, not a request or response. */
  get isInList(): boolean {
    return this.#depth > 0 && typeof this.#steps[0] === "number";
  }

  /** Goes one level down, without the closure of `into`, for hot loops; `leave` goes back up. */
  enter(key: string | number): void {
    this.#steps[this.#depth++] = key;
  }

  leave(levels = 1): void {
    this.#depth -= levels;
  }

  /** Runs a step one level down. After an error the path stays where the error occurred. */
  into<T>(key: string | number, step: () => T): T {
    this.enter(key);
    const result = step();
    this.#depth--;
    return result;
  }

  /** Maps the list in the field `key`, with each element as the current value in turn; a hole is undefined. */
  each<T, R>(key: string | undefined, list: readonly T[], step: (element: T, index: number) => R): R[] {
    const results: R[] = [];
    if (key !== undefined) this.enter(key);
    for (let index = 0; index < list.length; index++) {
      this.enter(index);
      // Within the length: a hole is undefined, which T then includes.
      results.push(step(list[index] as T, index));
      this.#depth--;
    }
    if (key !== undefined) this.#depth--;
    return results;
  }

  /** Returns to the root, after an error has left the path where it occurred. */
  reset(): void {
    this.#depth = 0;
  }
}

// Where a decoder or encoder is: the steps from the root to the value in hand. Errors and losses take their path from
// it, so that nothing builds a path string while all is well.
import { pointer, pointerStep } from "../../model/pointer.ts";

export class PathTracker {
  readonly #steps: (string | number)[] = [];
  /** How many of the steps count: shortening the list each time would cost more than all the rest. */
  #depth = 0;

  /** The JSON pointer to the value in hand, or to a field of it. */
  path(...field: (string | number)[]): string {
    let path = "";
    for (let at = 0; at < this.#depth; at++) path += pointerStep(this.#steps[at] ?? "");
    return path + pointer(field);
  }

  /** Whether the root is a bare list, not a request or response. */
  get isInList(): boolean {
    return this.#depth > 0 && typeof this.#steps[0] === "number";
  }

  /** One level down, for loops that run too often for a closure; `leave` goes back up. */
  enter(key: string | number): void {
    this.#steps[this.#depth++] = key;
  }

  /** Up again, by as many levels as were entered. */
  leave(levels = 1): void {
    this.#depth -= levels;
  }

  /** Runs a step one level down. After an error the trail stays where it happened. */
  into<T>(key: string | number, step: () => T): T {
    this.enter(key);
    const result = step();
    this.#depth--;
    return result;
  }

  /** Maps a list that stands in the field `key`, each element in its own place; a hole is undefined. */
  each<T, R>(key: string | undefined, list: readonly T[], step: (element: T, index: number) => R): R[] {
    const results: R[] = [];
    if (key !== undefined) this.enter(key);
    for (let index = 0; index < list.length; index++) {
      this.enter(index);
      // Within the length: a hole is undefined, which is what T then is.
      results.push(step(list[index] as T, index));
      this.#depth--;
    }
    if (key !== undefined) this.#depth--;
    return results;
  }

  /** Back to the root, after an error has left the trail where it happened. */
  reset(): void {
    this.#depth = 0;
  }
}

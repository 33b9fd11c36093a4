// Where a decoder or encoder is: the steps from the root to the value in hand. Errors and losses take their path from
// it, so that nothing builds a path string while all is well.
import { pointer } from "../../model/pointer.ts";

export class Trail {
  private readonly steps: (string | number)[] = [];

  /** The JSON pointer to the value in hand, or to a field of it. */
  path(...field: (string | number)[]): string {
    return pointer([...this.steps, ...field]);
  }

  /** Whether the root is a bare list, not a request or response. */
  get isInList(): boolean {
    return typeof this.steps[0] === "number";
  }

  /** One level down, for loops that run too often for a closure; `leave` goes back up. */
  enter(key: string | number): void {
    this.steps.push(key);
  }

  /** Up again, by as many levels as were entered. */
  leave(levels = 1): void {
    this.steps.length -= levels;
  }

  /** Runs a step one level down. After an error the trail stays where it happened. */
  into<T>(key: string | number, step: () => T): T {
    this.steps.push(key);
    const result = step();
    this.steps.pop();
    return result;
  }

  /** Maps a list that stands in the field `key`, each element in its own place; a hole is undefined. */
  each<T, R>(key: string | undefined, list: readonly T[], step: (element: T, index: number) => R): R[] {
    const results: R[] = [];
    if (key !== undefined) this.steps.push(key);
    for (let index = 0; index < list.length; index++) {
      this.steps.push(index);
      // Within the length: a hole is undefined, which is what T then is.
      results.push(step(list[index] as T, index));
      this.steps.pop();
    }
    if (key !== undefined) this.steps.pop();
    return results;
  }

  /** Back to the root, after an error has left the trail where it happened. */
  reset(): void {
    this.steps.length = 0;
  }
}

// Implements a sorted map for the rows of the memory store. A new id is usually the largest, and its row is appended;
// other positions are found by binary search.
import type { IdRange } from "../../store/queries.ts";
import { compareIds } from "../compare-ids.ts";

/** A map from ids to rows, sorted by id. */
export class SortedRows<Row> {
  readonly #ids: string[] = [];
  readonly #rows: Row[] = [];

  get size(): number {
    return this.#ids.length;
  }

  /** The largest id; "" if there are no rows. */
  get lastId(): string {
    return this.#ids.at(-1) ?? "";
  }

  get(id: string): Row | undefined {
    const at = this.#findFirstAbove(id) - 1;
    return this.#ids[at] === id ? this.#rows[at] : undefined;
  }

  set(id: string, row: Row): void {
    const above = this.#findFirstAbove(id);
    if (this.#ids[above - 1] === id) {
      this.#rows[above - 1] = row;
    } else if (above === this.#ids.length) {
      this.#ids.push(id);
      this.#rows.push(row);
    } else {
      this.#ids.splice(above, 0, id);
      this.#rows.splice(above, 0, row);
    }
  }

  delete(id: string): void {
    const at = this.#findFirstAbove(id) - 1;
    if (this.#ids[at] !== id) return;
    this.#ids.splice(at, 1);
    this.#rows.splice(at, 1);
  }

  /** Returns all rows in a new list, sorted by id. */
  all(): Row[] {
    return [...this.#rows];
  }

  /** Yields the ids with their rows, sorted by id. */
  *entries(): IterableIterator<[id: string, row: Row]> {
    for (const [at, row] of this.#rows.entries()) yield [this.#ids[at] ?? "", row];
  }

  /** Returns the rows of a range for which `matches` is true; without `matches`, all rows of the range. */
  readRange(bounds: IdRange, matches?: (row: Row) => boolean): Row[] {
    const { after, upTo, order = "asc", limit } = bounds;
    const from = after === undefined ? 0 : this.#findFirstAbove(after);
    const end = upTo === undefined ? this.#ids.length : this.#findFirstAbove(upTo);
    if (matches === undefined) {
      return order === "asc"
        ? this.#rows.slice(from, Math.min(end, from + limit))
        : this.#rows.slice(Math.max(from, end - limit), Math.max(from, end)).reverse();
    }
    const result: Row[] = [];
    for (let count = 0; count < end - from && result.length < limit; count++) {
      const row = this.#rows[order === "asc" ? from + count : end - 1 - count];
      if (row !== undefined && matches(row)) result.push(row);
    }
    return result;
  }

  /**
   * Returns the rows with ids from `first` to `last`, inclusive. Begins with the smallest id if `first` is undefined,
   * and ends with the largest id if `last` is undefined.
   */
  between(first?: string, last?: string): Row[] {
    const above = first === undefined ? 0 : this.#findFirstAbove(first);
    const from = above > 0 && this.#ids[above - 1] === first ? above - 1 : above;
    return this.#rows.slice(from, last === undefined ? undefined : this.#findFirstAbove(last));
  }

  #findFirstAbove(id: string): number {
    let [low, high] = [0, this.#ids.length];
    if (high === 0 || compareIds(this.lastId, id) <= 0) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds(this.#ids[middle] ?? "", id) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

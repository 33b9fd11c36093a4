// Rows in the order of their ids. Ids mostly come in order, so that adding is at the end; everything else is found by
// binary search.
import type { IdRange } from "../../store.ts";
import { compareIds } from "../compare.ts";

export class SortedRows<Row> {
  readonly #ids: string[] = [];
  readonly #rows: Row[] = [];

  get size(): number {
    return this.#ids.length;
  }

  /** The largest id; "" where there is none. */
  get lastId(): string {
    return this.#ids.at(-1) ?? "";
  }

  get(id: string): Row | undefined {
    const at = this.#firstAbove(id) - 1;
    return this.#ids[at] === id ? this.#rows[at] : undefined;
  }

  set(id: string, row: Row): void {
    const above = this.#firstAbove(id);
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
    const at = this.#firstAbove(id) - 1;
    if (this.#ids[at] !== id) return;
    this.#ids.splice(at, 1);
    this.#rows.splice(at, 1);
  }

  /** Every row, oldest first, as a list of its own. */
  all(): Row[] {
    return [...this.#rows];
  }

  /** Ids with their rows, oldest first. */
  *entries(): IterableIterator<[id: string, row: Row]> {
    for (const [at, row] of this.#rows.entries()) yield [this.#ids[at] ?? "", row];
  }

  /** The rows of a stretch that are wanted. */
  stretch(stretch: IdRange, isWanted?: (row: Row) => boolean): Row[] {
    const { after, upTo, order = "up", limit } = stretch;
    const from = after === undefined ? 0 : this.#firstAbove(after);
    const end = upTo === undefined ? this.#ids.length : this.#firstAbove(upTo);
    if (isWanted === undefined) {
      return order === "up"
        ? this.#rows.slice(from, Math.min(end, from + limit))
        : this.#rows.slice(Math.max(from, end - limit), Math.max(from, end)).reverse();
    }
    const found: Row[] = [];
    for (let count = 0; count < end - from && found.length < limit; count++) {
      const row = this.#rows[order === "up" ? from + count : end - 1 - count];
      if (row !== undefined && isWanted(row)) found.push(row);
    }
    return found;
  }

  /** The rows from one id to another, both included; without them from the first, to the last. */
  between(first?: string, last?: string): Row[] {
    const above = first === undefined ? 0 : this.#firstAbove(first);
    const from = above > 0 && this.#ids[above - 1] === first ? above - 1 : above;
    return this.#rows.slice(from, last === undefined ? undefined : this.#firstAbove(last));
  }

  #firstAbove(id: string): number {
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

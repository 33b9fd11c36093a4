// Implements the undo log, which rolls back a transaction of the memory store. Rows are never changed in place: a write
// replaces a row by a new row, and the undo log stores the replaced row.

/** The operations of `Map` and `SortedRows` that the undo log uses. */
export interface RowSet<Key, Row> {
  get(key: Key): Row | undefined;
  set(key: Key, row: Row): unknown;
  delete(key: Key): unknown;
}

/** Writes and deletes rows, and records the replaced rows for a rollback. */
export class UndoLog {
  readonly #undo: (() => void)[] = [];

  set<Key, Row>(rows: RowSet<Key, Row>, key: Key, row: Row): void {
    this.#recordUndo(rows, key);
    rows.set(key, row);
  }

  delete<Key, Row>(rows: RowSet<Key, Row>, key: Key): void {
    this.#recordUndo(rows, key);
    rows.delete(key);
  }

  /** Undoes all recorded writes and deletions, the last one first. */
  undo(): void {
    for (const step of this.#undo.splice(0).reverse()) step();
  }

  #recordUndo<Key, Row>(rows: RowSet<Key, Row>, key: Key): void {
    const before = rows.get(key);
    this.#undo.push(() => {
      if (before === undefined) rows.delete(key);
      else rows.set(key, before);
    });
  }
}

// The undo log of a memory transaction. Rows are never changed in place: a write puts a new row in place of the old
// one, and the old one is stored here.

/** The common operations of maps and sorted rows. */
export interface RowSet<Key, Row> {
  get(key: Key): Row | undefined;
  set(key: Key, row: Row): unknown;
  delete(key: Key): unknown;
}

export class UndoLog {
  readonly #undo: (() => void)[] = [];
  /** Records the replaced rows of a transaction. */

  set<Key, Row>(rows: RowSet<Key, Row>, key: Key, row: Row): void {
    this.#remember(rows, key);
    rows.set(key, row);
  }

  delete<Key, Row>(rows: RowSet<Key, Row>, key: Key): void {
    this.#remember(rows, key);
    rows.delete(key);
  }

  /** Undoes all steps, the last first. */
  undo(): void {
    for (const step of this.#undo.splice(0).reverse()) step();
  }

  #remember<Key, Row>(rows: RowSet<Key, Row>, key: Key): void {
    const before = rows.get(key);
    this.#undo.push(() => {
      if (before === undefined) rows.delete(key);
      else rows.set(key, before);
    });
  }
}

// What a piece of work has changed, so that it can be undone. Rows are never changed in place: a change puts another
// row in the place of the old one, and remembers the old one here.

/** What both maps and sorted rows can do. */
export interface RowSet<Key, Row> {
  get(key: Key): Row | undefined;
  set(key: Key, row: Row): unknown;
  delete(key: Key): unknown;
}

export class Journal {
  readonly #undo: (() => void)[] = [];

  set<Key, Row>(rows: RowSet<Key, Row>, key: Key, row: Row): void {
    this.#remember(rows, key);
    rows.set(key, row);
  }

  delete<Key, Row>(rows: RowSet<Key, Row>, key: Key): void {
    this.#remember(rows, key);
    rows.delete(key);
  }

  /** Takes everything back that was done since the journal began, the last first. */
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

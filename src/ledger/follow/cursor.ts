// Cursors: places in a thread's history, as text. An id stands for everything up to and including its row; a number
// behind it for the deltas of that row up to and including that one.
import { LedgerError } from "../errors.ts";

export interface Cursor {
  /** "" is the beginning. */
  id: string;
  /** Where the row is a batch of deltas and more of it is to come: the last delta seen; -1 before the first. */
  delta?: number;
}

/** Those of ids, in their order. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const FORM = /^([0-9A-HJKMNP-TV-Z]{26})(?:\.(0|[1-9]\d{0,8}))?$/;

export function formatCursor({ id, delta }: Cursor): string {
  return delta === undefined ? id : `${id}.${delta}`;
}

export function parseCursor(text: unknown): Cursor {
  const [, id, delta] = (typeof text === "string" ? FORM.exec(text) : null) ?? [];
  if (id === undefined) {
    throw new LedgerError(
      "cursor-invalid",
      'A cursor is what an event of this ledger had as its `cursor`, or "now"; leave it out to begin at the beginning.',
      { path: "after" },
    );
  }
  return delta === undefined ? { id } : { id, delta: Number(delta) };
}

/** A key that sorts before an id, with next to nothing between the two: reads begin after a key. */
export function keyBefore(id: string): string {
  return id.slice(0, -1);
}

/** The largest id that is smaller: a cursor for reading on with what stands at `id`. */
export function justBefore(id: string): string {
  for (let at = id.length - 1; at >= 0; at--) {
    const digit = DIGITS.indexOf(id.charAt(at));
    if (digit < 0) break;
    if (digit > 0) return id.slice(0, at) + DIGITS.charAt(digit - 1) + "Z".repeat(id.length - at - 1);
  }
  return "";
}

// Formats and parses cursors: positions in a thread's history as text. An id means everything up to and including its
// row; a number after it means the deltas of that row up to and including that one.
import { LedgerError } from "../errors.ts";

export interface Cursor {
  /** "" is the beginning. */
  id: string;
  /** The last delta that was read, if the row is a batch with unread deltas; -1 before the first. */
  delta?: number;
}

/** The characters of ULIDs, in their order. */
const BASE32_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CURSOR_PATTERN = /^([0-9A-HJKMNP-TV-Z]{26})(?:\.(0|[1-9]\d{0,8}))?$/;

export function formatCursor({ id, delta }: Cursor): string {
  return delta === undefined ? id : `${id}.${delta}`;
}

export function parseCursor(text: unknown): Cursor {
  const [, id, delta] = (typeof text === "string" ? CURSOR_PATTERN.exec(text) : null) ?? [];
  if (id === undefined) {
    throw new LedgerError(
      "cursor-invalid",
      'A cursor must be the `cursor` of an event of this ledger, or "now"; omit it to start from the beginning.',
      { path: "after" },
    );
  }
  return delta === undefined ? { id } : { id, delta: Number(delta) };
}

/** Returns a key that sorts right before an id: reads start after a key. */
export function toKeyBefore(id: string): string {
  return id.slice(0, -1);
}

/** Returns the largest id that is smaller: a cursor from which the next event is the one at `id`. */
export function toPreviousId(id: string): string {
  for (let at = id.length - 1; at >= 0; at--) {
    const digit = BASE32_DIGITS.indexOf(id.charAt(at));
    if (digit < 0) break;
    if (digit > 0) return id.slice(0, at) + BASE32_DIGITS.charAt(digit - 1) + "Z".repeat(id.length - at - 1);
  }
  return "";
}

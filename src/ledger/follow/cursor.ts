// Formats and parses cursors. A cursor is a position in a thread's history: the id of the last row that was read. If
// only some deltas of that row were read, the id is followed by a dot and the index of the last delta that was read.
import { LedgerError } from "../errors.ts";
import { BASE32_CHARACTERS } from "../ids.ts";

export interface Cursor {
  /** The id of the last row that was read, completely or in part; "" at the beginning of the history. */
  id: string;
  /**
   * The index of the last delta that was read, if the row is a batch of deltas that was not read completely; -1 if none
   * of its deltas was read. Absent if the row was read completely.
   */
  delta?: number;
}

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

/**
 * Returns the largest id that is smaller than `id`, as a cursor after which the next event is the one at `id`; "" if
 * there is no smaller id.
 */
export function toPreviousId(id: string): string {
  for (let at = id.length - 1; at >= 0; at--) {
    const digit = BASE32_CHARACTERS.indexOf(id.charAt(at));
    if (digit < 0) break;
    if (digit > 0) return id.slice(0, at) + BASE32_CHARACTERS.charAt(digit - 1) + "Z".repeat(id.length - at - 1);
  }
  return "";
}

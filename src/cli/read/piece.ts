// A piece: the text of one record as it was cut out of its source, not read yet.
import { isUtf8 } from "node:buffer";

export interface Piece {
  /** The line it begins on, from 1; for server-sent events which event it is. */
  line: number;
  text: string;
  /** The name of a server-sent event. */
  event?: string;
  /** It is an element of a list of records. */
  listed?: true;
  /** Why there is no record in this place. */
  problem?: string;
}

/** The longest record, in bytes: the engine holds texts about twice as long, but not everything works on them. */
export const LONGEST = 200_000_000;

export const TOO_LONG = "It is longer than the 200 MB that one record may have.";

/** The text of bytes that are held in some pieces. Bytes that are no UTF-8 would be replaced without a word. */
export function pieceOf(bytes: Buffer, from: number, to: number, line: number): Piece {
  const text = bytes.toString("utf8", from, to);
  if (text.includes("\uFFFD") && !isUtf8(bytes.subarray(from, to))) {
    return { line, text: "", problem: "It holds bytes that are no UTF-8; convert the file to UTF-8 first." };
  }
  return { line, text };
}

// Defines the raw record: the unparsed text of one record of the input.
import { isUtf8 } from "node:buffer";

export interface RawRecord {
  /** The number of the record's first line, counted from 1; for server-sent events, the number of the event. */
  line: number;
  text: string;
  /** The name of a server-sent event. */
  event?: string;
  /** True if the record is an element of a JSON list. */
  listed?: true;
  /** The reason why the record cannot be read; undefined if `text` is the record. */
  problem?: string;
}

/** The maximum size of a record. V8 allows strings of about twice this size, but some operations on them fail. */
export const MAX_RECORD_BYTES = 200_000_000;

export const TOO_LONG_PROBLEM = "The record is longer than 200 MB, the maximum for one record.";

/**
 * Decodes the text of a record. Invalid UTF-8 is reported as a problem, because Buffer.toString would silently replace
 * the bytes.
 */
export function createRawRecord(bytes: Buffer, from: number, to: number, line: number): RawRecord {
  const text = bytes.toString("utf8", from, to);
  if (text.includes("\uFFFD") && !isUtf8(bytes.subarray(from, to))) {
    return {
      line,
      text: "",
      problem: "The record contains bytes that are not UTF-8; convert the file to UTF-8 first.",
    };
  }
  return { line, text };
}

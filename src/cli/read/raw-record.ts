// A raw record: the unparsed text of one record of the input.
import { isUtf8 } from "node:buffer";

export interface RawRecord {
  /** The first line of the record, from 1; for server-sent events, the number of the event. */
  line: number;
  text: string;
  /** The name of a server-sent event. */
  event?: string;
  /** True for an element of a list of records. */
  listed?: true;
  /** The reason why the record cannot be read. */
  problem?: string;
}

/** The maximum size of a record. V8 strings can be about twice as long, but not every operation works on them. */
export const MAX_RECORD_BYTES = 200_000_000;

export const TOO_LONG_PROBLEM = "The record is longer than 200 MB, the maximum for one record.";

/** Decodes the text of a record. Invalid UTF-8 is a problem, because Buffer.toString would replace it silently. */
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

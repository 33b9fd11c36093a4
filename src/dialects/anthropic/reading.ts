// What a decoder carries along: the calls so far, and how to read blocks within blocks.
import type { JsonValue } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import type { CallBook } from "../kit/calls.ts";

export interface Reading {
  readonly context: DecodeContext;
  readonly calls: CallBook;
  /** What the request had to rename, for a reply to it. */
  readonly names: Renames | undefined;
  /** Reads a list of blocks that stands in a field. */
  readonly blocks: (list: readonly JsonValue[], key: string, reading: Reading) => Part[];
}

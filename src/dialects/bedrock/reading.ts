// What a decoder carries along: the calls so far, and how to read blocks within blocks.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import type { CallBook } from "../kit/calls.ts";

export interface Reading {
  readonly context: DecodeContext;
  readonly calls: CallBook;
  /** The wire's ids of calls that the provider ran. */
  readonly served: Set<string>;
  /** What the request had to rename, for a reply to it. */
  readonly names: Renames | undefined;
  /** Reads a list of blocks that stands in a field. */
  readonly blocks: (list: readonly JsonValue[], key: string, reading: Reading) => Part[];
  /** Reads one block. */
  readonly block: (block: JsonObject, reading: Reading) => Part;
}

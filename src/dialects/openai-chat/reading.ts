// What everything in a history or an answer is read with, and what is left over when a wire object has been read.
import type { JsonObject } from "../../model/json.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { CallBook } from "../kit/calls.ts";
import { copyField } from "../kit/read.ts";

export interface Reading {
  readonly context: DecodeContext;
  readonly calls: CallBook;
  /** The ids of calls of custom tools: their results are free text, too. */
  readonly custom: Set<string>;
  /** The ids of calls in the manner of old, which are answered by name. */
  readonly legacy: Set<string>;
  /** An answer: what says nothing (`refusal: null`, `annotations: []`) is written out there. */
  readonly isReply: boolean;
  readonly names: Renames | undefined;
}

export function startReading(context: DecodeContext, isReply = false, seed = "", names?: Renames): Reading {
  return { context, calls: new CallBook(context.dialect, seed), custom: new Set(), legacy: new Set(), isReply, names };
}

/** Takes a field into the rest, which is made when there is something to keep. */
export function keep(rest: JsonObject | undefined, wire: JsonObject, key: string): JsonObject | undefined {
  // Objects made in code may say undefined, which is no JSON: it is as good as absent.
  if (wire[key] === undefined) return rest;
  const kept = rest ?? {};
  copyField(wire, key, kept);
  return kept;
}

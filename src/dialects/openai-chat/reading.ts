// What everything in a history or an answer is read with, and what is left over when a wire object has been read.
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { DecodeContext, Names } from "../dialect.ts";
import { CallBook } from "../kit/calls.ts";
import { copyField } from "../kit/read.ts";
import { keepFields, keepForm } from "../kit/residue.ts";

export interface Reading {
  readonly context: DecodeContext;
  readonly calls: CallBook;
  /** The ids of calls of custom tools: their results are free text, too. */
  readonly custom: Set<string>;
  /** An answer: what says nothing (`refusal: null`, `annotations: []`) is written out there. */
  readonly isReply: boolean;
  readonly names: Names | undefined;
}

export function startReading(context: DecodeContext, isReply = false, seed = "", names?: Names): Reading {
  return { context, calls: new CallBook(context.dialect, seed), custom: new Set(), isReply, names };
}

/** Takes a field into the rest, which is made when there is something to keep. */
export function keep(rest: JsonObject | undefined, wire: JsonObject, key: string): JsonObject | undefined {
  // Objects made in code may say undefined, which is no JSON: it is as good as absent.
  if (wire[key] === undefined) return rest;
  const kept = rest ?? {};
  copyField(wire, key, kept);
  return kept;
}

/** Notes fields that the plain form has and this wire object has not. */
export function noteAbsent(
  target: { extra?: Extra },
  wire: JsonObject,
  fields: readonly string[],
  { dialect }: DecodeContext,
): void {
  const absent = fields.filter((field) => wire[field] === undefined);
  if (absent.length > 0) keepForm(target, dialect, "absent", absent);
}

/** Keeps the fields that are not among the known ones. */
export function keepOthers(
  target: { extra?: Extra },
  wire: JsonObject,
  known: readonly string[],
  { dialect }: DecodeContext,
  ...inner: string[]
): void {
  let rest: JsonObject | undefined;
  for (const key in wire) if (!known.includes(key)) rest = keep(rest, wire, key);
  keepFields(target, dialect, rest, inner);
}

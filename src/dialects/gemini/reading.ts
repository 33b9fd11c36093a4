// What the reader of a part needs beside the part, and how what it has no word for is kept.
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { DecodeContext, Names } from "../dialect.ts";
import type { CallBook } from "../kit/calls.ts";
import { copyField } from "../kit/read.ts";
import { keepFields } from "../kit/residue.ts";

export interface Reading {
  readonly book: CallBook;
  readonly context: DecodeContext;
  /** What the request had to rename. */
  readonly names: Names | undefined;
}

/** Keeps every field but those that were taken, where it stood; an inner object that says nothing leaves its trace. */
export function keepRest(
  target: { extra?: Extra },
  wire: JsonObject,
  taken: readonly string[],
  dialect: string,
  ...inner: string[]
): void {
  let rest: JsonObject | undefined;
  let isEmpty = true;
  for (const key in wire) {
    isEmpty = false;
    // Objects made in code may say undefined, which is no JSON.
    if (!taken.includes(key) && wire[key] !== undefined) copyField(wire, key, (rest ??= {}));
  }
  if (rest !== undefined || (isEmpty && inner.length > 0)) keepFields(target, dialect, rest ?? {}, inner);
}

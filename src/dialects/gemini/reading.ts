// What the reader of a part needs beside the part, and how what it has no word for is kept.
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { stringifyJson } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { CallBook } from "../kit/calls.ts";
import { hash } from "../kit/names.ts";
import { copyField } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";

export interface Reading {
  readonly book: CallBook;
  readonly context: DecodeContext;
  /** What the request had to rename. */
  readonly names: Renames | undefined;
  /** The part in hand. */
  wire?: JsonObject;
  /** The parts of each candidate, where they have been read as they came. */
  readonly streamed?: readonly (readonly Part[])[];
}

/** What the reader of an answer needs; `taken` are ids that belong to other answers of the same stream. */
export class AnswerReading implements Reading {
  readonly context: DecodeContext;
  readonly names: Renames | undefined;
  wire: JsonObject = {};
  streamed?: readonly (readonly Part[])[];
  readonly #id: string;
  readonly #taken: ReadonlySet<string> | undefined;
  #made: CallBook | undefined;

  constructor(context: DecodeContext, names: Renames | undefined, id: string, taken?: ReadonlySet<string>) {
    this.context = context;
    this.names = names;
    this.#id = id;
    this.#taken = taken;
  }

  /** Without an id, its first call tells an answer from others (B17). */
  get book(): CallBook {
    const { context, wire } = this;
    const id = this.#id;
    const taken = this.#taken;
    return (this.#made ??= new CallBook(context.dialect, id === "" ? hash(stringifyJson(wire)) : id, taken));
  }
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
  if (rest !== undefined || (isEmpty && inner.length > 0)) storeResidue(target, dialect, rest ?? {}, inner);
}

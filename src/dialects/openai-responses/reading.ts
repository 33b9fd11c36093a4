// What items are read with, and what is left over when one has been read.
import type { JsonObject } from "../../model/json.ts";
import type { PartBase } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { CallBook } from "../kit/calls.ts";
import { copyField } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { addSeal } from "../kit/seals.ts";
import type { ToolRow } from "./tool-rows.ts";

/** Who gives calls their ids, and finds the calls of results. */
export type Calls = Pick<CallBook, "add" | "answer">;

export interface Reading {
  readonly context: DecodeContext;
  readonly calls: Calls;
  /** The items that asked, by the ids of their calls. */
  readonly asked: Map<string, ToolRow>;
  /** The ids of calls that the provider runs and answers in an item of its own. */
  readonly hosted: Set<string>;
  /** An answer: everything in it is one assistant message. */
  readonly isReply: boolean;
  readonly names: Renames | undefined;
}

export function startReading(context: DecodeContext, isReply = false, seed = "", names?: Renames): Reading {
  return { context, calls: new CallBook(context.dialect, seed), asked: new Map(), hosted: new Set(), isReply, names };
}

/**
 * Keeps what an item says about itself: its id, which means something only to its issuer, and a status other than the
 * plain one.
 */
export function keepItem(
  part: PartBase,
  item: JsonObject,
  known: readonly string[],
  plainStatus: string | undefined,
  reading: Reading,
): void {
  if (!known.includes("id")) readItemId(part, item, reading);
  let rest: JsonObject | undefined;
  let isPlain = plainStatus === undefined;
  for (const key in item) {
    const value = item[key];
    if (value === undefined || key === "type" || known.includes(key)) continue;
    if (key === "id" && typeof value === "string") continue;
    if (key === "status") {
      isPlain = true;
      if (value === plainStatus) continue;
    }
    copyField(item, key, (rest ??= {}));
  }
  const { dialect } = reading.context;
  if (!isPlain) storeForm(part, dialect, "status", null);
  storeResidue(part, dialect, rest);
}

/** Seals a part with its item's id; notes where an answer has none, because every item of one has. */
export function readItemId(part: PartBase, { id }: JsonObject, { context, isReply }: Reading): boolean {
  const hasId = typeof id === "string";
  if (hasId) addSeal(part, "id", id, context);
  else if (isReply) storeForm(part, context.dialect, "bare", true);
  return hasId;
}

// What every part may have beside what it says: reported, or put back, when its wire object has been made.
import type { JsonObject } from "../../model/json.ts";
import type { Part, SealKind } from "../../model/parts.ts";
import { carryShared, SHARED_IMAGE } from "../kit/openai-shared.ts";
import { reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { reportSeals } from "../kit/seals.ts";
import { writeCache } from "./cache.ts";
import type { Writing } from "./writing.ts";

const NO_BLOCKS: ReadonlySet<string> = new Set(["tool-call", "tool-result", "reasoning", "refusal"]);
const BOOKKEEPING = { size: "bookkeeping", issuer: "bookkeeping" } as const;

/** What every part may have: residue, seals, a cache breakpoint, and fields that the wire has no word for. */
export function finishPart(
  wire: JsonObject,
  part: Part,
  carried: ReadonlySet<string>,
  writing: Writing,
  inner?: string,
  sealed?: SealKind,
): JsonObject {
  const { context } = writing;
  reportUnsupportedFields(part, carried, context, "field-unsaid", BOOKKEEPING);
  if (part.seals !== undefined) reportSeals(part, context, sealed);
  if (part.cache !== undefined) {
    // Only blocks of content have a place for it.
    if (NO_BLOCKS.has(part.type)) context.report.addLoss("bookkeeping", "cache");
    else writeCache(wire, part, writing);
  }
  if (part.extra !== undefined) {
    restoreResidue(wire, part, context, inner);
    reportNotPortableResidue(part.type === "image" ? carryShared(wire, part, SHARED_IMAGE, context) : part, context);
  }
  return wire;
}

/** The fields of a part that need no word of their own here, and those given. */
export function carrying(...fields: string[]): ReadonlySet<string> {
  return new Set(["type", "extra", "seals", "cache", ...fields]);
}

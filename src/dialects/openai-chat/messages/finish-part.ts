// Completes the wire object of a part: reports fields that Chat does not have, and restores residue and cache
// breakpoints.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Part, SealKind } from "../../../model/parts.ts";
import { restoreSiblingFields, SHARED_IMAGE_FIELDS } from "../../openai/sibling-residue.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import { encodeCacheBreakpoint } from "./cache-breakpoints.ts";
import type { ChatEncodeState } from "../encode-state.ts";

const TYPES_WITHOUT_BLOCK: ReadonlySet<string> = new Set(["tool-call", "tool-result", "reasoning", "refusal"]);
const METADATA_FIELDS = { size: "metadata-dropped", issuer: "metadata-dropped" } as const;

/**
 * Completes a part's wire object with its residue and cache breakpoint, and reports unsupported fields and seals.
 * `inner` is the nested object that has residue of its own; `writtenSeal` is the kind of seal that the caller has
 * written.
 */
export function finishPart(
  wire: JsonObject,
  part: Part,
  supported: ReadonlySet<string>,
  state: ChatEncodeState,
  inner?: string,
  writtenSeal?: SealKind,
): JsonObject {
  const { context } = state;
  reportUnsupportedFields(part, supported, context, "field-unsupported", METADATA_FIELDS);
  if (part.seals !== undefined) reportUnsentSeals(part, context, writtenSeal);
  if (part.cache !== undefined) {
    // Only content blocks can have a cache breakpoint, and parts of these types are not written as content blocks.
    if (TYPES_WITHOUT_BLOCK.has(part.type)) context.report.addLoss("metadata-dropped", "cache");
    else encodeCacheBreakpoint(wire, part, state);
  }
  if (part.extra !== undefined) {
    restoreResidue(wire, part, context, inner);
    reportNotPortableResidue(
      part.type === "image" ? restoreSiblingFields(wire, part, SHARED_IMAGE_FIELDS, context) : part,
      context,
    );
  }
  return wire;
}

/** Returns the field names that Chat supports in every part, plus the given names. */
export function supportedFields(...fields: string[]): ReadonlySet<string> {
  return new Set(["type", "extra", "seals", "cache", ...fields]);
}

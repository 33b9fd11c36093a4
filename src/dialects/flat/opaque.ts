// Wire objects without a word in the model, kept verbatim with a note of where they stood (B43).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { OpaquePart, Part } from "../../model/parts.ts";
import { isObject } from "../read.ts";
import { keepForm } from "../residue.ts";
import type { Hints } from "./hints.ts";
import type { FlatContext } from "./losses.ts";
import type { Slot } from "./names.ts";
import { ANTHROPIC, FLAT, SLOTS, THINKING_BLOCKS } from "./names.ts";

export function placedOpaque(value: JsonObject, slot: Slot): OpaquePart {
  const part: OpaquePart = { type: "opaque", dialect: FLAT, value };
  if (slot !== "content") keepForm(part, FLAT, "place", slot);
  return part;
}

/** A thinking block of a kind that is not known here: it is Claude's own. */
export function opaqueBlock(value: JsonValue): OpaquePart {
  const part: OpaquePart = { type: "opaque", dialect: ANTHROPIC, value };
  keepForm(part, FLAT, "place", THINKING_BLOCKS);
  return part;
}

/** Whether an opaque part came from Claude's thinking blocks and goes back there. */
export function isOpaqueBlock(part: Part, hints: Hints): part is OpaquePart {
  return part.type === "opaque" && part.dialect === ANTHROPIC && hints.get("place") === THINKING_BLOCKS;
}

/** An opaque part of this dialect with the slot it goes to; undefined, and reported, where it has no place here. */
export function encodeOpaque(
  part: OpaquePart,
  hints: Hints,
  context: FlatContext,
): { slot: Slot; wire: JsonObject } | undefined {
  if (part.dialect !== FLAT || !isObject(part.value)) {
    context.report.lose(part.dialect === FLAT ? "part-unsayable" : "opaque-foreign");
    return undefined;
  }
  const slot = SLOTS.find((each) => each !== "content" && hints.says("place", each)) ?? "content";
  return { slot, wire: part.value };
}

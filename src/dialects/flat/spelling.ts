// `content`, `reasoning` and `refusal` are a text or a list of parts. Plain: nothing is "" as content and absent
// otherwise, one text is a string, everything else a list. Other spellings are form.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { DecodeContext } from "../dialect.ts";
import { kindOf, readObject } from "../read.ts";
import { keepForm } from "../residue.ts";
import type { Hints } from "./hints.ts";
import { FLAT } from "./names.ts";

export type SpelledSlot = "content" | "reasoning" | "refusal";

/** A text without anything beside it, which can as well be written as a string. */
export function isPlainText(item: JsonObject): item is { type: "text"; text: string } {
  return item["type"] === "text" && typeof item["text"] === "string" && Object.keys(item).length === 2;
}

/** The parts in a slot, as wire objects; how they were spelled is noted on the message where it is not plain. */
export function readSlot(wire: JsonObject, slot: SpelledSlot, message: Message, context: DecodeContext): JsonObject[] {
  const value = wire[slot];
  if (value === undefined || value === null || value === "") {
    const spelled = value === undefined ? "absent" : value === null ? "null" : "empty";
    if (spelled !== plainNothing(slot)) keepForm(message, FLAT, slot, spelled);
    return [];
  }
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (!Array.isArray(value)) {
    return context.fail("wrong-type", `Expected a string or a list of parts, found ${kindOf(value)}.`, slot);
  }
  const items = context.trail.each(slot, value, (item) => readObject(item, context));
  const [only] = items;
  if (only === undefined || (items.length === 1 && isPlainText(only) && only.text !== "")) {
    keepForm(message, FLAT, slot, "list");
  }
  return items;
}

function plainNothing(slot: SpelledSlot): "empty" | "absent" {
  return slot === "content" ? "empty" : "absent";
}

/** What to write into a slot; undefined for nothing at all. */
export function spellSlot(slot: SpelledSlot, items: JsonObject[], hints: Hints): JsonValue | undefined {
  const [only] = items;
  if (only === undefined) return spellNothing(slot, hints);
  if (items.length > 1 || !isPlainText(only) || only.text === "") {
    hints.says(slot, "list");
    return items;
  }
  return hints.says(slot, "list") ? items : only.text;
}

/** An empty slot as it was spelled, else in its plain form. */
function spellNothing(slot: SpelledSlot, hints: Hints): JsonValue | undefined {
  if (hints.says(slot, "list")) return [];
  if (hints.says(slot, "null")) return null;
  if (hints.says(slot, "absent")) return undefined;
  return hints.says(slot, "empty") || plainNothing(slot) === "empty" ? "" : undefined;
}

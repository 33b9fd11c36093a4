// What stands in a list on the wire: texts, media, and things without a word in the model, kept verbatim with a note of
// where they stood (B43). `content`, `reasoning` and `refusal` are a text or such a list; plain is a text where it is
// one text, a list where it is more, and where it is nothing "" as content and absent otherwise.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { OpaquePart, Part, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, readList, readObject } from "../kit/read.ts";
import type { Kept } from "./kept.ts";
import { ABSENT, keepNothing, keepRest, note } from "./kept.ts";
import type { FlatContext } from "./losses.ts";
import { decodeMedia, encodeMedia, isMediaType } from "./media.ts";
import type { Slot } from "./terms.ts";
import { FLAT } from "./terms.ts";
import type { FlatText } from "./types.ts";

const TEXT_FIELDS = new Set(["type", "text"]);

export function decodeItem(item: JsonObject, slot: Exclude<Slot, "tool_calls">): Part {
  const { type, text } = item;
  if (type === "text" && typeof text === "string") {
    const part: TextPart | ReasoningPart | RefusalPart = { type: slot === "content" ? "text" : slot, text };
    keepRest(part, item, TEXT_FIELDS);
    return part;
  }
  return (slot === "content" && isMediaType(type) ? decodeMedia(type, item) : undefined) ?? decodeOpaque(item, slot);
}

export function decodeOpaque(value: JsonValue, place: Slot | "thinking_blocks"): OpaquePart {
  const part: OpaquePart = { type: "opaque", dialect: FLAT, value };
  if (place !== "content") note(part, "place", place);
  return part;
}

/** A text with nothing beside it, which can as well be written as a string. */
function isPlainText(item: JsonObject): item is { type: "text"; text: string } {
  return item["type"] === "text" && typeof item["text"] === "string" && Object.keys(item).length === 2;
}

/** The parts in a field; how they were spelled is noted on the message where it is not plain. */
export function readSlot(
  wire: JsonObject,
  slot: Slot,
  message: Message,
  context: DecodeContext,
  decode: (item: JsonObject, index: number) => Part,
): Part[] {
  const value = wire[slot];
  if (value === undefined || value === null || value === "") {
    keepNothing(message, slot, value, slot === "content" ? "" : undefined);
    return [];
  }
  if (typeof value === "string" && slot !== "tool_calls") return [decode({ type: "text", text: value }, 0)];
  const list = readList(value, context, slot);
  const [only] = list;
  if (list.length === 0 || (list.length === 1 && isObject(only) && isPlainText(only) && only.text !== "")) {
    note(message, slot, []);
  }
  return context.pathTracker.each(slot, list, (item, index) => decode(readObject(item, context), index));
}

/** How several texts of reasoning are written as one. */
export const PLAIN_JOINT = "\n\n";

/**
 * What to write into a field, undefined for nothing. `joined`: thinking blocks say the same, so that texts may be one,
 * or left out.
 */
export function spellItems(slot: Slot, items: JsonObject[], joined: boolean, kept: Kept): JsonValue | undefined {
  const spelled = kept.get(slot);
  if (items.length === 0 || (joined && (spelled === ABSENT || spelled === null))) return undefined;
  const texts = items.filter(isPlainText).map(({ text }) => text);
  const isText = texts.length === items.length && (joined || (texts.length === 1 && texts[0] !== ""));
  if (isText && !Array.isArray(spelled)) {
    const joint = texts.length > 1 ? kept.take("reasoning_joint") : undefined;
    return texts.join(typeof joint === "string" ? joint : PLAIN_JOINT) || undefined;
  }
  if (Array.isArray(spelled)) kept.take(slot);
  return items;
}

export function encodeText(text: string, kept: Kept): JsonObject {
  const item: JsonObject = { type: "text", text } satisfies FlatText;
  kept.restore(item);
  return item;
}

/** A part of `content`, of a message or of a result; undefined, and reported, where it cannot stand there. */
export function encodeContent(part: Part, kept: Kept, context: FlatContext): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return encodeText(part.text, kept);
    case "image":
    case "audio":
    case "video":
    case "file":
      return encodeMedia(part, kept, context);
    case "opaque":
      if (part.dialect === FLAT && isObject(part.value)) return part.value;
      context.report.addLoss(part.dialect === FLAT ? "part-unsayable" : "opaque-foreign");
      return undefined;
    default:
      context.report.addLoss("part-unsayable");
      return undefined;
  }
}

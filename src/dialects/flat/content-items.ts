// Decodes and encodes the items of the fields `content`, `reasoning` and `refusal`. The default spelling of such a
// field is a string for one text and a list for several items; without items `content` is "" and the other fields are
// absent. Unknown items become opaque parts (B43).
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import { isMediaPart } from "../../model/media-part.ts";
import type { OpaquePart, Part, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, readList, readObject } from "../kit/fields/read-wire.ts";
import type { FlatResidue } from "./residue.ts";
import { ABSENT, storeEmptyForm, storeUnknownFields, storeFlatForm } from "./residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import { decodeMedia, encodeMedia, isMediaType } from "./media.ts";
import type { FlatPartField } from "./field-names.ts";
import { FLAT } from "./field-names.ts";
import type { FlatText } from "./types.ts";

const TEXT_FIELDS = new Set(["type", "text"]);

export function decodeItem(item: JsonObject, field: Exclude<FlatPartField, "tool_calls">): Part {
  const { type, text } = item;
  if (type === "text" && typeof text === "string") {
    const part: TextPart | ReasoningPart | RefusalPart = { type: field === "content" ? "text" : field, text };
    storeUnknownFields(part, item, TEXT_FIELDS);
    return part;
  }
  return (field === "content" && isMediaType(type) ? decodeMedia(type, item) : undefined) ?? decodeOpaque(item, field);
}

export function decodeOpaque(value: JsonValue, place: FlatPartField | "thinking_blocks"): OpaquePart {
  const part: OpaquePart = { type: "opaque", dialect: FLAT, value };
  if (place !== "content") storeFlatForm(part, "place", place);
  return part;
}

/** True if the item is a text without further fields, which can be written as a string. */
function isPlainText(item: JsonObject): item is { type: "text"; text: string } {
  return item["type"] === "text" && typeof item["text"] === "string" && Object.keys(item).length === 2;
}

/**
 * Decodes the parts in a field of a message. A spelling other than the default spelling is stored as a form on the
 * message.
 */
export function decodePartField(
  wire: JsonObject,
  field: FlatPartField,
  message: Message,
  context: DecodeContext,
  decode: (item: JsonObject, index: number) => Part,
): Part[] {
  const value = wire[field];
  if (value === undefined || value === null || value === "") {
    storeEmptyForm(message, field, value, field === "content" ? "" : undefined);
    return [];
  }
  if (typeof value === "string" && field !== "tool_calls") return [decode({ type: "text", text: value }, 0)];
  const list = readList(value, context, field);
  const [only] = list;
  if (list.length === 0 || (list.length === 1 && isObject(only) && isPlainText(only) && only.text !== "")) {
    storeFlatForm(message, field, []);
  }
  return context.pathTracker.each(field, list, (item, index) => decode(readObject(item, context), index));
}

/** The separator that the encoder writes by default between reasoning texts that are joined into one string. */
export const PLAIN_SEPARATOR = "\n\n";

/**
 * Encodes the items of a field; undefined if the field is not written. `isOptional` is true for `reasoning` if thinking
 * blocks repeat its texts: then several texts may be joined into one string, or the field may be omitted.
 */
export function encodePartField(
  field: FlatPartField,
  items: JsonObject[],
  isOptional: boolean,
  residue: FlatResidue,
): JsonValue | undefined {
  const form = residue.getForm(field);
  if (items.length === 0 || (isOptional && (form === ABSENT || form === null))) return undefined;
  const texts = items.filter(isPlainText).map(({ text }) => text);
  const isText = texts.length === items.length && (isOptional || (texts.length === 1 && texts[0] !== ""));
  if (isText && !Array.isArray(form)) {
    const separator = texts.length > 1 ? residue.takeForm("reasoning_joint") : undefined;
    return texts.join(typeof separator === "string" ? separator : PLAIN_SEPARATOR) || undefined;
  }
  if (Array.isArray(form)) residue.takeForm(field);
  return items;
}

export function encodeText(text: string, residue: FlatResidue): JsonObject {
  const item: JsonObject = { type: "text", text } satisfies FlatText;
  residue.restoreUnknownFields(item);
  return item;
}

/** Encodes a part of the `content` of a message or result; undefined, with a loss, if the part is not supported. */
export function encodeContentItem(
  part: Part,
  residue: FlatResidue,
  context: FlatEncodeContext,
): JsonObject | undefined {
  if (isMediaPart(part)) return encodeMedia(part, residue, context);
  switch (part.type) {
    case "text":
      return encodeText(part.text, residue);
    case "opaque":
      if (part.dialect === FLAT && isObject(part.value)) return part.value;
      context.report.addLoss(part.dialect === FLAT ? "part-unsupported" : "opaque-not-portable");
      return undefined;
    default:
      context.report.addLoss("part-unsupported");
      return undefined;
  }
}

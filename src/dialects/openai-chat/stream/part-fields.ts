// The fields of a streamed message that become parts, their decoding order, and the order of their part keys.
import { DETAILS_FIELD, TEXT_FIELDS } from "../messages/reasoning.ts";

/** Fields that become parts, in the order in which a whole message is decoded. */
const PART_FIELDS = [
  ...TEXT_FIELDS,
  DETAILS_FIELD,
  "content",
  "refusal",
  "audio",
  "images",
  "tool_calls",
  "function_call",
];
export const PART_FIELD_SET: ReadonlySet<string> = new Set(PART_FIELDS);
/** Details come first: they decide whether a text field only repeats them. */
export const DECODE_ORDER = PART_FIELDS.toSorted((a, b) => Number(b === DETAILS_FIELD) - Number(a === DETAILS_FIELD));

/** Form of a message whose parts have another order than its fields. */
export const ORDER_FORM = "order";
/** Prefixes of the keys of parts that are decoded after the content. */
const KEYS_AFTER_CONTENT = ["refusal", "audio", "images/", "calls/", "function_call"];

/** Returns the rank of a part's field in the order of a whole message. */
export function rankPartKey(key: string): number {
  if (key.startsWith("reasoning") || key.startsWith("details/")) return 0;
  return KEYS_AFTER_CONTENT.findIndex((prefix) => key.startsWith(prefix)) + 2 || 1;
}

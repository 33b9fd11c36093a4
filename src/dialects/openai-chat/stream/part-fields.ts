// Lists the fields of a streamed message that become parts, their decoding order, and the order of their part keys.
import { DETAILS_FIELD, TEXT_FIELDS } from "../messages/reasoning.ts";

/** Fields that become parts, in the order in which the fields of a response are decoded. */
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
/**
 * The fields in the order in which a chunk is decoded. `reasoning_details` is first, because a text field in the same
 * chunk can repeat the details.
 */
export const DECODE_ORDER = PART_FIELDS.toSorted((a, b) => Number(b === DETAILS_FIELD) - Number(a === DETAILS_FIELD));

/** The key of the form that marks a message whose parts have another order than its wire fields. */
export const ORDER_FORM = "order";
/** Prefixes of the part keys of parts that are decoded after the content. */
const KEYS_AFTER_CONTENT = ["refusal", "audio", "images/", "calls/", "function_call"];

/** Returns the rank of a part's wire field in the order in which the fields of a response are decoded. */
export function rankPartKey(key: string): number {
  if (key.startsWith("reasoning") || key.startsWith("details/")) return 0;
  return KEYS_AFTER_CONTENT.findIndex((prefix) => key.startsWith(prefix)) + 2 || 1;
}

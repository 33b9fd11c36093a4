// Decodes and encodes reasoning of flat messages, and Claude's signed thinking blocks in
// `extra.claude.thinking_blocks`. If the blocks do not match `reasoning`, `reasoning` was edited: it takes precedence,
// and the blocks are stale.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Part, ReasoningPart, Seal } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, unknownFields } from "../kit/fields/read-wire.ts";
import { storeResidue } from "../kit/residue/residue.ts";
import { decodeOpaque, PLAIN_SEPARATOR } from "./content-items.ts";
import type { FlatResidue } from "./residue.ts";
import { ABSENT, storeEmptyForm, storeUnknownFields, storeFlatForm } from "./residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import type { SealLists } from "./provider-data.ts";
import { createFlatSeal, findSendableSeal } from "./report-part.ts";
import { ANTHROPIC, FLAT, THINKING_BLOCKS } from "./field-names.ts";
import type { FlatThinkingBlock } from "./types.ts";

/**
 * Separators that can join the texts of thinking blocks into one `reasoning` text; the first one is the encoder's
 * default.
 */
const SEPARATORS = [PLAIN_SEPARATOR, "\n", ""];

const THINKING_FIELDS = new Set(["type", "thinking", "signature"]);
const REDACTED_FIELDS = new Set(["type", "data"]);
const ITEM_FIELDS = new Set(["type", "text"]);
/**
 * The key under which the residue of a thinking block stores the unknown fields of the matching item in `reasoning`.
 */
const ITEM_RESIDUE = "reasoning";

/**
 * Returns the reasoning parts of a message: the thinking blocks if they match `reasoning`, and `items` otherwise.
 * Matching blocks are removed from `lists`.
 */
export function decodeReasoning(
  reasoning: JsonValue | undefined,
  items: Part[],
  lists: SealLists,
  message: Message,
  context: DecodeContext,
): Part[] {
  const parts = lists.claude.map((block) => decodeBlock(block, context));
  if (parts.length === 0 || !matchesBlocks(reasoning, parts, message)) return items;
  lists.claude = [];
  if (!parts.some((part) => part.seals)) storeFlatForm(message, THINKING_BLOCKS, "unsigned");
  return parts;
}

function decodeBlock(block: JsonValue, context: DecodeContext): Part {
  const { type, thinking, signature, data } = isObject(block) ? block : {};
  const isRedacted = type === "redacted_thinking" && typeof data === "string" && data !== "";
  const isThinking = type === "thinking" && typeof thinking === "string" && typeof (signature ?? "") === "string";
  if (!isObject(block) || !(isRedacted || isThinking)) return decodeOpaque(block, THINKING_BLOCKS);
  const part: ReasoningPart = { type: "reasoning", text: isThinking ? thinking : "" };
  const value = isThinking ? signature : data;
  // The cast is safe, because the checks above accept only a string or a missing value.
  if (value) part.seals = [createFlatSeal(context, ANTHROPIC, isThinking ? "signature" : "redacted", value as string)];
  else storeEmptyForm(part, "signature", value);
  storeUnknownFields(part, block, isThinking ? THINKING_FIELDS : REDACTED_FIELDS);
  return part;
}

/**
 * True if `reasoning` has the texts of all thinking blocks that are not redacted, or is missing. A spelling of
 * `reasoning` other than the default spelling is stored as a form on the message.
 */
function matchesBlocks(reasoning: JsonValue | undefined, blocks: Part[], message: Message): boolean {
  const visible = blocks.filter(
    (part): part is ReasoningPart => part.type === "reasoning" && part.seals?.[0]?.kind !== "redacted",
  );
  const texts = visible.map(({ text }) => text);
  if (reasoning === undefined || reasoning === null) {
    if (reasoning === undefined && texts.join(PLAIN_SEPARATOR) !== "") storeFlatForm(message, "reasoning", ABSENT);
    return true;
  }
  if (Array.isArray(reasoning)) return listMatchesBlocks(reasoning, visible, message);
  const separator = SEPARATORS.find((each) => texts.join(each) === reasoning);
  if (separator !== undefined && separator !== PLAIN_SEPARATOR) storeFlatForm(message, "reasoning_joint", separator);
  return separator !== undefined;
}

/**
 * True if a list of reasoning items has the texts of the thinking blocks, item by item. Unknown fields of an item are
 * stored as residue of its block's part.
 */
function listMatchesBlocks(items: readonly JsonValue[], visible: readonly ReasoningPart[], message: Message): boolean {
  const isSame =
    items.length === visible.length &&
    items.every((item, index) => isObject(item) && item["type"] === "text" && item["text"] === visible[index]?.text);
  if (!isSame) return false;
  storeFlatForm(message, "reasoning", []);
  visible.forEach((part, index) => {
    const item = items[index];
    if (isObject(item)) storeResidue(part, FLAT, unknownFields(item, ITEM_FIELDS), ITEM_RESIDUE);
  });
  return true;
}

/**
 * Returns Claude's seal of a reasoning part; undefined if there is none. For a part with text only the signature is
 * returned, because redacted reasoning has no text.
 */
export function findClaudeSeal(part: Part, context: FlatEncodeContext): Seal | undefined {
  if (part.type !== "reasoning") return undefined;
  const redacted = part.text === "" ? findSendableSeal(part, ANTHROPIC, "redacted", context) : undefined;
  return redacted ?? findSendableSeal(part, ANTHROPIC, "signature", context);
}

/**
 * True if reasoning is also written as thinking blocks: if a part has a seal of Claude, or if the wire had blocks
 * without seals. Then all reasoning is written as blocks, because the decoder compares all blocks with the whole
 * `reasoning`.
 */
export function needsThinkingBlocks({ parts }: Message, residue: FlatResidue, context: FlatEncodeContext): boolean {
  return (
    residue.takeForm(THINKING_BLOCKS) !== undefined || parts.some((part) => findClaudeSeal(part, context) !== undefined)
  );
}

export interface EncodedFlatReasoning {
  /** The item of `reasoning`; undefined for redacted reasoning. */
  item?: JsonObject;
  /** The entry of `thinking_blocks`; undefined if no blocks are written. */
  block?: JsonValue;
}

/**
 * Encodes reasoning as an item of `reasoning` and, if `withBlocks` is true, also as an entry of `thinking_blocks`. The
 * stored unknown fields of the item and of the entry are written back to each.
 */
export function encodeReasoning(
  part: ReasoningPart,
  withBlocks: boolean,
  residue: FlatResidue,
  context: FlatEncodeContext,
): EncodedFlatReasoning {
  const seal = findClaudeSeal(part, context);
  const text = chooseReasoningText(part, seal, context);
  const item: JsonObject = { type: "text", text };
  const isRedacted = seal?.kind === "redacted";
  if (!isRedacted) residue.restoreInnerFields(item, ITEM_RESIDUE);
  if (!withBlocks) {
    residue.restoreUnknownFields(item);
    return { item };
  }
  const block: JsonObject = isRedacted
    ? ({ type: "redacted_thinking", data: seal.value } satisfies FlatThinkingBlock)
    : ({ type: "thinking", thinking: text } satisfies FlatThinkingBlock);
  if (!isRedacted) residue.writeField(block, "signature", seal?.value);
  residue.restoreUnknownFields(block);
  return isRedacted ? { block } : { item, block };
}

/** Returns the reasoning text; if the text is empty and no seal signs it, returns the joined summaries instead. */
function chooseReasoningText(
  { text, summary = [] }: ReasoningPart,
  seal: Seal | undefined,
  context: FlatEncodeContext,
): string {
  if (summary.length === 0) return text;
  const replacesText = text === "" && seal === undefined;
  context.report.addLoss(replacesText ? "summary-as-text" : "field-unsupported", "summary");
  return replacesText ? summary.join(PLAIN_SEPARATOR) : text;
}

// Reasoning, and Claude's thinking blocks in `extra.claude.thinking_blocks` that vouch for it. Where the two disagree,
// `reasoning` is what somebody edited, so it wins; the blocks are stale then.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part, ReasoningPart, Seal } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";
import { decodeOpaque, PLAIN_JOINT } from "./items.ts";
import type { Kept } from "./kept.ts";
import { ABSENT, keepNothing, keepRest, note } from "./kept.ts";
import type { FlatContext } from "./losses.ts";
import type { SealLists } from "./provider-data.ts";
import { sealOf, sendableSeal } from "./rest.ts";
import { ANTHROPIC, FLAT, THINKING_BLOCKS } from "./terms.ts";
import type { FlatThinkingBlock } from "./types.ts";

/** How the texts of several blocks become one `reasoning`. */
const JOINTS = [PLAIN_JOINT, "\n", ""];

const THINKING_FIELDS = new Set(["type", "thinking", "signature"]);
const REDACTED_FIELDS = new Set(["type", "data"]);
const ITEM_FIELDS = new Set(["type", "text"]);
/** Where a block keeps what its item in `reasoning` says beside the text. */
const ITEM = "reasoning";

/** The reasoning of a message: the blocks that vouch for it, which are taken from the lists, else `reasoning` itself. */
export function vouchedReasoning(
  reasoning: JsonValue | undefined,
  items: Part[],
  lists: SealLists,
  message: Message,
  context: DecodeContext,
): Part[] {
  const parts = lists.claude.map((block) => decodeBlock(block, context));
  if (parts.length === 0 || !agrees(reasoning, parts, message)) return items;
  lists.claude = [];
  if (!parts.some((part) => part.seals)) note(message, THINKING_BLOCKS, "unsigned");
  return parts;
}

function decodeBlock(block: JsonValue, context: DecodeContext): Part {
  const { type, thinking, signature, data } = isObject(block) ? block : {};
  const isRedacted = type === "redacted_thinking" && typeof data === "string" && data !== "";
  const isThinking = type === "thinking" && typeof thinking === "string" && typeof (signature ?? "") === "string";
  if (!isObject(block) || !(isRedacted || isThinking)) return decodeOpaque(block, THINKING_BLOCKS);
  const part: ReasoningPart = { type: "reasoning", text: isThinking ? thinking : "" };
  const value = isThinking ? signature : data;
  // Both are strings where they are not nothing.
  if (value) part.seals = [sealOf(context, ANTHROPIC, isThinking ? "signature" : "redacted", value as string)];
  else keepNothing(part, "signature", value);
  keepRest(part, block, isThinking ? THINKING_FIELDS : REDACTED_FIELDS);
  return part;
}

/** Whether `reasoning` says what the blocks say; how it says so is noted where it is not the plain way. */
function agrees(reasoning: JsonValue | undefined, blocks: Part[], message: Message): boolean {
  const spoken = blocks.filter(
    (part): part is ReasoningPart => part.type === "reasoning" && part.seals?.[0]?.kind !== "redacted",
  );
  const texts = spoken.map(({ text }) => text);
  if (reasoning === undefined || reasoning === null) {
    if (reasoning === undefined && texts.join(PLAIN_JOINT) !== "") note(message, "reasoning", ABSENT);
    return true;
  }
  if (Array.isArray(reasoning)) return agreesAsList(reasoning, spoken, message);
  const joint = JOINTS.find((each) => texts.join(each) === reasoning);
  if (joint !== undefined && joint !== PLAIN_JOINT) note(message, "reasoning_joint", joint);
  return joint !== undefined;
}

/** A list agrees item by item; what else an item says stays with its block. */
function agreesAsList(items: readonly JsonValue[], spoken: readonly ReasoningPart[], message: Message): boolean {
  const isSame =
    items.length === spoken.length &&
    items.every((item, index) => isObject(item) && item["type"] === "text" && item["text"] === spoken[index]?.text);
  if (!isSame) return false;
  note(message, "reasoning", []);
  spoken.forEach((part, index) => {
    const item = items[index];
    if (isObject(item)) storeResidue(part, FLAT, unknownFields(item, ITEM_FIELDS), ITEM);
  });
  return true;
}

/** The seal of Claude's that goes with reasoning. Redacted reasoning has no text: a text counts for more than that. */
export function claudeSeal(part: Part, context: FlatContext): Seal | undefined {
  if (part.type !== "reasoning") return undefined;
  const redacted = part.text === "" ? sendableSeal(part, ANTHROPIC, "redacted", context) : undefined;
  return redacted ?? sendableSeal(part, ANTHROPIC, "signature", context);
}

/** Whether the message's reasoning is written as thinking blocks too: then all of it is, so that order and pairing hold. */
export function listsBlocks({ parts }: Message, kept: Kept, context: FlatContext): boolean {
  return kept.take(THINKING_BLOCKS) !== undefined || parts.some((part) => claudeSeal(part, context) !== undefined);
}

export interface WrittenReasoning {
  /** What `reasoning` says; redacted reasoning says nothing there. */
  item?: JsonObject;
  /** What stands among the thinking blocks. */
  block?: JsonValue;
}

/** Writes a reasoning part for `reasoning`, and where `listed` for the thinking blocks, with what is unknown there. */
export function encodeReasoning(
  part: ReasoningPart,
  listed: boolean,
  kept: Kept,
  context: FlatContext,
): WrittenReasoning {
  const seal = claudeSeal(part, context);
  const text = reasoningText(part, seal, context);
  const item: JsonObject = { type: "text", text };
  const isRedacted = seal?.kind === "redacted";
  if (!isRedacted) kept.restoreInner(item, ITEM);
  if (!listed) {
    kept.restore(item);
    return { item };
  }
  const block: JsonObject = isRedacted
    ? ({ type: "redacted_thinking", data: seal.value } satisfies FlatThinkingBlock)
    : ({ type: "thinking", thinking: text } satisfies FlatThinkingBlock);
  if (!isRedacted) kept.write(block, "signature", seal?.value);
  kept.restore(block);
  return isRedacted ? { block } : { item, block };
}

/** Summaries stand in for a text that is not there, but never under a seal that vouches for it. */
function reasoningText({ text, summary = [] }: ReasoningPart, seal: Seal | undefined, context: FlatContext): string {
  if (summary.length === 0) return text;
  const standsIn = text === "" && seal === undefined;
  context.report.addLoss(standsIn ? "summary-as-text" : "field-unsaid", "summary");
  return standsIn ? summary.join(PLAIN_JOINT) : text;
}

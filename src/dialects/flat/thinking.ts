// Reasoning, and Claude's thinking blocks in `extra.claude.thinking_blocks` that vouch for it. Where the two disagree,
// `reasoning` is what somebody edited, so it wins; the blocks are stale then.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { OpaquePart, Part, ReasoningPart, Seal } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, restOf } from "../read.ts";
import { keepFields, keepForm } from "../residue.ts";
import { Hints, reportFields, restoreOrReport } from "./hints.ts";
import type { FlatContext } from "./losses.ts";
import { ANTHROPIC, FLAT, THINKING_BLOCKS } from "./names.ts";
import { isOpaqueBlock, opaqueBlock, placedOpaque } from "./opaque.ts";
import { sealOf, sendableSeal } from "./seals.ts";
import { isPlainText, readSlot, spellSlot } from "./spelling.ts";
import type { FlatThinkingBlock } from "./types.ts";

/** How the texts of several blocks become one `reasoning`; the first is the plain way. */
const JOINTS = ["\n\n", "\n", ""] as const;

const TEXT_FIELDS = new Set(["type", "text"]);
const THINKING_FIELDS = new Set(["type", "thinking", "signature"]);
const REDACTED_FIELDS = new Set(["type", "data"]);

interface Decoded {
  parts: Part[];
  /** Blocks that `reasoning` contradicts. */
  stale?: JsonValue[];
}

export function decodeReasoning(
  wire: JsonObject,
  blocks: JsonValue[] | undefined,
  message: Message,
  context: DecodeContext,
): Decoded {
  const decoded = (blocks ?? []).map((block) => decodeBlock(block, context));
  if (decoded.length > 0 && agrees(wire["reasoning"], decoded, message)) {
    if (!decoded.some(({ part }) => part.type === "opaque" || part.seals !== undefined)) {
      keepForm(message, FLAT, THINKING_BLOCKS, "unsigned");
    }
    return { parts: decoded.map(({ part }) => part) };
  }
  if (blocks?.length === 0) keepForm(message, FLAT, THINKING_BLOCKS, "empty");
  const parts = readSlot(wire, "reasoning", message, context).map(reasoningOf);
  return blocks === undefined || blocks.length === 0 ? { parts } : { parts, stale: blocks };
}

function reasoningOf(item: JsonObject): Part {
  if (item["type"] !== "text" || typeof item["text"] !== "string") return placedOpaque(item, "reasoning");
  const part: ReasoningPart = { type: "reasoning", text: item["text"] };
  keepFields(part, FLAT, restOf(item, TEXT_FIELDS));
  return part;
}

interface DecodedBlock {
  part: ReasoningPart | OpaquePart;
  /** The part whose text `reasoning` repeats: redacted and unknown blocks have none. */
  spoken?: ReasoningPart;
}

function decodeBlock(block: JsonValue, context: DecodeContext): DecodedBlock {
  if (!isObject(block)) return { part: opaqueBlock(block) };
  const { type, thinking, signature, data } = block;
  if (type === "redacted_thinking" && typeof data === "string" && data !== "") {
    const part: ReasoningPart = { type: "reasoning", text: "", seals: [sealOf(ANTHROPIC, "redacted", data, context)] };
    keepFields(part, ANTHROPIC, restOf(block, REDACTED_FIELDS));
    return { part };
  }
  const isSignature = signature === undefined || signature === null || typeof signature === "string";
  if (type !== "thinking" || typeof thinking !== "string" || !isSignature) return { part: opaqueBlock(block) };
  const part: ReasoningPart = { type: "reasoning", text: thinking };
  if (typeof signature === "string" && signature !== "")
    part.seals = [sealOf(ANTHROPIC, "signature", signature, context)];
  else if (signature !== undefined) keepForm(part, FLAT, "signature", signature);
  keepFields(part, ANTHROPIC, restOf(block, THINKING_FIELDS));
  return { part, spoken: part };
}

/** Whether `reasoning` says what the blocks say; how it says so is noted where it is not the plain way. */
function agrees(reasoning: JsonValue | undefined, blocks: DecodedBlock[], message: Message): boolean {
  const spoken = blocks.flatMap((block) => block.spoken ?? []);
  const texts = spoken.map(({ text }) => text);
  if (reasoning === undefined || reasoning === null) {
    if (reasoning === null) keepForm(message, FLAT, "reasoning", "null");
    else if (texts.length > 0) keepForm(message, FLAT, "reasoning", "absent");
    return true;
  }
  if (Array.isArray(reasoning)) return agreesAsList(reasoning, spoken, message);
  const joint = JOINTS.find((each) => texts.join(each) === reasoning);
  if (joint === undefined) return false;
  if (texts.length === 0) keepForm(message, FLAT, "reasoning", "empty");
  else if (joint !== JOINTS[0]) keepForm(message, FLAT, "reasoning_joint", joint);
  return true;
}

function says(item: JsonValue, part: ReasoningPart | undefined): boolean {
  return isObject(item) && item["type"] === "text" && item["text"] === part?.text;
}

function agreesAsList(items: JsonValue[], spoken: ReasoningPart[], message: Message): boolean {
  if (items.length !== spoken.length || !items.every((item, index) => says(item, spoken[index]))) return false;
  spoken.forEach((part, index) => {
    const item = items[index];
    if (isObject(item)) keepFields(part, FLAT, restOf(item, TEXT_FIELDS));
  });
  keepForm(message, FLAT, "reasoning", "list");
  return true;
}

/** Claude's seals on a reasoning part. Redacted reasoning has no text: a text counts for more than that seal. */
export function claudeSeals(part: ReasoningPart, context: FlatContext): { signature?: Seal; redacted?: Seal } {
  const redacted = part.text === "" ? sendableSeal(part, ANTHROPIC, "redacted", context) : undefined;
  if (redacted !== undefined) return { redacted };
  const signature = sendableSeal(part, ANTHROPIC, "signature", context);
  return signature === undefined ? {} : { signature };
}

/** Whether the message's reasoning is written as thinking blocks too: then all of it is, so that order and pairing hold. */
export function listsBlocks(message: Message, hints: Hints, context: FlatContext): boolean {
  const sealed = message.parts.some((part) => {
    if (part.type === "opaque") return isOpaqueBlock(part, new Hints(part));
    if (part.type !== "reasoning") return false;
    const { signature, redacted } = claudeSeals(part, context);
    return signature !== undefined || redacted !== undefined;
  });
  return sealed || (message.parts.some(({ type }) => type === "reasoning") && hints.says(THINKING_BLOCKS, "unsigned"));
}

export interface WrittenReasoning {
  /** What `reasoning` says; redacted reasoning says nothing there. */
  item?: JsonObject;
  block?: JsonValue;
}

/** Writes a reasoning part for `reasoning`, and where `listed` for the thinking blocks. */
export function encodeReasoning(
  part: ReasoningPart,
  listed: boolean,
  hints: Hints,
  context: FlatContext,
): WrittenReasoning {
  const { signature, redacted } = claudeSeals(part, context);
  const text = reasoningText(part, signature ?? redacted, context);
  if (redacted !== undefined) {
    const block: JsonObject = { type: "redacted_thinking", data: redacted.value } satisfies FlatThinkingBlock;
    restoreOrReport(block, part, ANTHROPIC, context);
    reportFields(part, FLAT, context);
    return { block };
  }
  const item: JsonObject = { type: "text", text };
  restoreOrReport(item, part, FLAT, context);
  if (!listed) return { item };
  const block: JsonObject = { type: "thinking", thinking: text } satisfies FlatThinkingBlock;
  if (signature !== undefined) block["signature"] = signature.value;
  else if (hints.says("signature", "")) block["signature"] = "";
  else if (hints.says("signature", null)) block["signature"] = null;
  restoreOrReport(block, part, ANTHROPIC, context);
  return { item, block };
}

/** Summaries stand in for a text that is not there, but never under a seal that vouches for it. */
function reasoningText(part: ReasoningPart, seal: Seal | undefined, context: FlatContext): string {
  const { text, summary } = part;
  if (summary === undefined || summary.length === 0) return text;
  const standsIn = text === "" && seal === undefined;
  context.report.lose(standsIn ? "summary-as-text" : "summary-dropped", "summary");
  return standsIn ? summary.join(JOINTS[0]) : text;
}

/** What `reasoning` says beside thinking blocks: their texts joined, unless it was spelled otherwise. */
export function spellBesideBlocks(items: JsonObject[], hints: Hints): JsonValue | undefined {
  const asList = items.some((item) => !isPlainText(item));
  if (!asList && hints.says("reasoning", "absent")) return undefined;
  if (!asList && hints.says("reasoning", "null")) return null;
  if (items.length === 0) return spellSlot("reasoning", items, hints);
  if (hints.says("reasoning", "list") || asList) return items;
  const joint = JOINTS.find((each) => hints.says("reasoning_joint", each)) ?? JOINTS[0];
  return items
    .filter(isPlainText)
    .map(({ text }) => text)
    .join(joint);
}

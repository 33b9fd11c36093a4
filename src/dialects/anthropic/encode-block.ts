// Parts on their way out, one block each. What cannot be said is reported, and its block is left out.
import type { JsonObject } from "../../model/json.ts";
import type { OpaquePart, Part, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameBook } from "../kit/names.ts";
import { isOpaqueFor } from "../kit/opaque.ts";
import { isObject } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import { reportSeals, sealOf } from "../kit/seals.ts";
import { encodeCitations } from "./citations.ts";
import { encodeMedia } from "./encode-media.ts";
import { encodeCall, encodeResult } from "./encode-tools.ts";
import { isBare } from "./fields.ts";
import type { Code } from "./losses.ts";
import type { TextBlock } from "./types.ts";
import type { Position, Writing } from "./writing.ts";
import { closeBlock, countCache } from "./writing.ts";

/** Begins an encode; without names it is a reply, in which nothing is renamed. */
export function startWriting(context: EncodeContext<Code>, names?: NameBook): Writing {
  return { context, names, calls: new Map(), blocks: encodeParts, caches: 0 };
}

function encodeParts(parts: readonly Part[], key: string, spot: Position, writing: Writing): JsonObject[] {
  const blocks = writing.context.pathTracker.each(key, parts, (part) => encodePart(part, spot, writing));
  return blocks.filter((block) => block !== undefined);
}

export function encodePart(part: Part, spot: Position, writing: Writing): JsonObject | undefined {
  // Within system text, results and documents the target takes only some blocks.
  const isOpen = spot === "user" || spot === "assistant" || !writing.context.repair;
  switch (part.type) {
    case "text":
    case "refusal":
      return encodeText(part, writing);
    case "reasoning":
      if (isOpen) return encodeReasoning(part, writing);
      break;
    case "tool-call":
      if (isOpen) return encodeCall(part, writing);
      break;
    case "tool-result":
      if (isOpen) return encodeResult(part, writing);
      break;
    case "image":
    case "audio":
    case "video":
    case "file":
      return encodeMedia(part, spot, writing);
    case "opaque":
      return encodeOpaque(part, writing);
  }
  // Also what a later Koine has a word for.
  writing.context.report.addLoss("part-unsayable");
  return undefined;
}

const TEXT: ReadonlySet<string> = new Set(["type", "text", "annotations", "extra", "cache", "seals"]);

function encodeText(part: TextPart | RefusalPart, writing: Writing): TextBlock {
  const wire: TextBlock = { type: "text", text: part.text };
  if (writing.isForeign === true) wire.citations = null;
  if (part.type === "refusal") writing.context.report.addLoss("refusal-as-text", "type");
  else if (isBare(part)) return wire;
  else {
    const citations = encodeCitations(part, writing);
    if (citations !== undefined) wire.citations = citations;
  }
  reportSeals(part, writing.context);
  return closeBlock(wire, part, TEXT, writing);
}

const REASONING: ReadonlySet<string> = new Set(["type", "text", "extra", "seals"]);
/** A breakpoint on thinking is refused. */
const REASONING_UNMENDED: ReadonlySet<string> = new Set([...REASONING, "cache"]);
const SUMMED_UP: ReadonlySet<string> = new Set([...REASONING, "summary"]);

/** Thinking goes back to its issuer (B1, B3); unsigned thinking is shown to a client, and never sent to a model (B6). */
function encodeReasoning(part: ReasoningPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const isReply = writing.names === undefined;
  const carried = context.repair ? REASONING : REASONING_UNMENDED;
  const signature = sealOf(part, "signature", context);
  if (signature !== undefined) {
    reportSeals(part, context, "signature");
    return closeBlock({ type: "thinking", thinking: part.text, signature }, part, carried, writing);
  }
  const redacted = part.text === "" ? sealOf(part, "redacted", context) : undefined;
  if (redacted !== undefined) {
    reportSeals(part, context, "redacted");
    return closeBlock({ type: "redacted_thinking", data: redacted }, part, carried, writing);
  }
  const isOwn = part.extra !== undefined && readForm(part, context.dialect)["signature"] === "none";
  if (isOwn && (isReply || !context.repair)) {
    reportSeals(part, context);
    return closeBlock({ type: "thinking", thinking: part.text }, part, carried, writing);
  }
  return isReply ? showReasoning(part, writing) : leaveReasoning(writing);
}

function leaveReasoning({ context }: Writing): undefined {
  context.report.addLoss("reasoning-unsaid");
}

/** What another provider's model thought, for a client to show. */
function showReasoning(part: ReasoningPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const summary = part.text === "" ? part.summary?.join("\n\n") : undefined;
  const thinking = summary ?? part.text;
  if (thinking === "") return leaveReasoning(writing);
  if (summary !== undefined) context.report.addLoss("summary-as-text", "summary");
  reportSeals(part, context);
  const wire = { type: "thinking", thinking, signature: "" };
  return closeBlock(wire, part, summary === undefined ? REASONING : SUMMED_UP, writing);
}

const OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "issuer", "value", "extra", "seals"]);

/** A verbatim block goes back to its own dialect; it has room for nothing else. */
function encodeOpaque(part: OpaquePart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  if (!isOpaqueFor(part, context)) return undefined;
  const { value } = part;
  if (!isObject(value)) {
    context.report.addLoss("part-unsayable");
    return undefined;
  }
  countCache(value["cache_control"], writing);
  const { extra = {} } = part;
  const isSaid = Object.values(extra).every((residue) => Object.keys(residue).length === 0);
  if (!isSaid) context.report.addLoss("field-unsaid", "extra");
  reportSeals(part, context);
  // It is written by reference, and closing it adds nothing.
  return closeBlock(value, { ...part, extra: {} }, OPAQUE, writing);
}

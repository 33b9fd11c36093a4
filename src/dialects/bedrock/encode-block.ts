// Parts on their way out, one block each. What cannot be said is reported, and its block is left out.
import type { JsonObject } from "../../model/json.ts";
import type { OpaquePart, Part, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameBook } from "../kit/names.ts";
import { isOpaqueFor } from "../kit/opaque.ts";
import { isObject } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import { reportSeals, sealOf } from "../kit/seals.ts";
import { writeBytes } from "./bytes.ts";
import { CITED, encodeCitations } from "./citations.ts";
import { encodeMedia } from "./encode-media.ts";
import { encodeCall, encodeResult } from "./encode-tools.ts";
import { isBare } from "./fields.ts";
import type { Code } from "./losses.ts";
import type { Position, Writing } from "./writing.ts";
import { closeBlock, countCache, encodeCache } from "./writing.ts";

/** Begins an encode; without names it is a reply, in which nothing is renamed. */
export function startWriting(context: EncodeContext<Code>, names?: NameBook, isSigner = false): Writing {
  return { context, names, calls: new Map(), blocks: encodeParts, caches: 0, unnamed: 0, isSigner };
}

function encodeParts(parts: readonly Part[], key: string, spot: Position, writing: Writing): JsonObject[] {
  const blocks: JsonObject[] = [];
  writing.context.pathTracker.each(key, parts, (part) => addPart(part, spot, writing, blocks));
  return blocks;
}

/** Adds the block of a part, and its breakpoint; the trail stands at the part. */
export function addPart(part: Part, spot: Position, writing: Writing, blocks: JsonObject[]): void {
  const block = encodePart(part, spot, writing);
  if (block === undefined) return;
  blocks.push(block);
  if (part.cache === undefined) return;
  const point = encodeCache(part, spot, writing);
  if (point !== undefined) blocks.push(point);
}

export function encodePart(part: Part, spot: Position, writing: Writing): JsonObject | undefined {
  const { repair, report } = writing.context;
  // Within system text, results and documents the target takes only some blocks.
  const isOpen = spot === "user" || spot === "assistant" || spot === "answer" || !repair;
  switch (part.type) {
    case "text":
    case "refusal":
      return encodeText(part, spot, writing);
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
  report.addLoss("part-unsayable");
  return undefined;
}

const TEXT: ReadonlySet<string> = new Set(["type", "text", "annotations", "extra", "cache", "seals"]);
const BLANK = /^\s*$/;

function encodeText(part: TextPart | RefusalPart, spot: Position, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const { text } = part;
  if (context.repair && (spot === "result" || spot === "document") && BLANK.test(text)) {
    context.report.addLoss("text-blank");
    return undefined;
  }
  if (part.type === "refusal") context.report.addLoss("refusal-as-text", "type");
  else if (isBare(part)) return { text };
  const form = part.extra === undefined ? {} : readForm(part, context.dialect);
  const citations = part.type === "text" ? encodeCitations(part, form, writing) : undefined;
  reportSeals(part, context);
  const isCited = citations !== undefined || form["type"] === CITED;
  let wire: JsonObject = { text };
  if (isCited) wire = { [CITED]: { content: [{ text }], ...(citations && { citations }) } };
  else if (form["type"] === "guardContent") wire = { guardContent: { text: { text } } };
  return closeBlock(wire, part, TEXT, writing);
}

const REASONING: ReadonlySet<string> = new Set(["type", "text", "extra", "cache", "seals"]);
const SUMMED_UP: ReadonlySet<string> = new Set([...REASONING, "summary"]);

/** Reasoning goes back to its issuer (B1, B3); unsigned, only to models that sign nothing (B6). */
function encodeReasoning(part: ReasoningPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const { text } = part;
  const form = part.extra === undefined ? {} : readForm(part, context.dialect);
  const isReply = writing.names === undefined;
  const signature = sealOf(part, "signature", context);
  if (signature !== undefined) {
    reportSeals(part, context, "signature");
    return closeBlock({ reasoningContent: { reasoningText: { text, signature } } }, part, REASONING, writing);
  }
  const redacted = text === "" ? sealOf(part, "redacted", context) : undefined;
  if (redacted !== undefined) {
    reportSeals(part, context, "redacted");
    const redactedContent = writeBytes(redacted, form["bytes"]) ?? redacted;
    return closeBlock({ reasoningContent: { redactedContent } }, part, REASONING, writing);
  }
  if (form["signature"] === "none" && (isReply || !context.repair || !writing.isSigner)) {
    reportSeals(part, context);
    return closeBlock({ reasoningContent: { reasoningText: { text } } }, part, REASONING, writing);
  }
  if (isReply) return showReasoning(part, writing);
  context.report.addLoss("reasoning-unsaid");
  return undefined;
}

/** What another provider's model thought, for a client to show. */
function showReasoning(part: ReasoningPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const summary = part.text === "" ? part.summary?.join("\n\n") : undefined;
  const text = summary ?? part.text;
  if (text === "") {
    context.report.addLoss("reasoning-unsaid");
    return undefined;
  }
  if (summary !== undefined) context.report.addLoss("summary-as-text", "summary");
  reportSeals(part, context);
  const wire = { reasoningContent: { reasoningText: { text } } };
  return closeBlock(wire, part, summary === undefined ? REASONING : SUMMED_UP, writing);
}

const OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "issuer", "value", "extra", "cache", "seals"]);

/** A verbatim block goes back to its own dialect; it has room for nothing else. */
function encodeOpaque(part: OpaquePart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  if (!isOpaqueFor(part, context)) return undefined;
  const { value } = part;
  if (!isObject(value)) {
    context.report.addLoss("part-unsayable");
    return undefined;
  }
  countCache(value, writing);
  if (part.extra !== undefined) context.report.addLoss("field-unsaid", "extra");
  reportSeals(part, context);
  // It is written by reference, and closing it adds nothing.
  return closeBlock(value, { ...part, extra: {} }, OPAQUE, writing);
}

// From canonical messages to flat ones. A message is one flat message, except that each tool result is one of its own.
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import { reportUncarried } from "../residue.ts";
import { CallBook } from "./call-book.ts";
import type { Encoding } from "./calls.ts";
import { wireIdHint } from "./calls.ts";
import { isRole, TURN_FIELDS } from "./decode.ts";
import type { Piece } from "./encode-part.ts";
import { encodePart } from "./encode-part.ts";
import { writeOptional } from "./fields.ts";
import { Hints, noHints, restoreOrReport } from "./hints.ts";
import type { FlatContext, FlatLoss } from "./losses.ts";
import { ANTHROPIC, FLAT, GEMINI, SLOTS, THINKING_BLOCKS } from "./names.ts";
import type { SealLists } from "./provider-data.ts";
import { encodeProviderData } from "./provider-data.ts";
import { TOOL_FIELDS } from "./results.ts";
import { encodeSignatures } from "./signatures.ts";
import { spellSlot } from "./spelling.ts";
import { listsBlocks, spellBesideBlocks } from "./thinking.ts";

export function encodeMessages(messages: readonly Message[], context: FlatContext): JsonObject[] {
  const encoding: Encoding = { context, book: new CallBook(), used: usedIds(messages) };
  return context.trail
    .each(undefined, messages, (message, position) => encodeMessage(message, position, encoding))
    .flat();
}

/** Ids of calls and results that have no note of another spelling. */
function usedIds(messages: readonly Message[]): ReadonlySet<string> {
  const used = new Set<string>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool-call" && part.type !== "tool-result") continue;
    if (wireIdHint(part, new Hints(part)) === undefined) used.add(part.toolCallId);
  }
  return used;
}

/** What becomes one flat message: a result, or everything between two of them. */
interface Segment {
  kind: "turn" | "result";
  pieces: Piece[];
}

function encodeMessage(message: Message, position: number, encoding: Encoding): JsonObject[] {
  const { context } = encoding;
  const hints = new Hints(message);
  const around = { message, position, listed: listsBlocks(message, hints, context) };
  const pieces = context.trail
    .each("parts", message.parts, (part, index) => encodePart(part, index, around, encoding))
    .filter((piece) => piece !== undefined);
  const segments = segmentsOf(pieces);
  const kind = message.role === "tool" ? "result" : "turn";
  // The one that the message's own fields go to.
  const main = segments.find((segment) => segment.kind === kind) ?? segments[0];
  const wires = segments.map((segment) => {
    const isMain = segment === main;
    return writeSegment(segment, message, isMain, isMain ? hints : noHints(), context);
  });
  reportPlaces(message, segments, context);
  for (const piece of pieces) piece.hints.reportStale(context, "parts", piece.index);
  hints.reportStale(context);
  reportUncarried(message, MESSAGE_FIELDS, context, "field-unsaid", MESSAGE_CODES);
  return wires;
}

const MESSAGE_FIELDS = new Set(["role", "parts", "id", "name", "extra"]);
const MESSAGE_CODES: Readonly<Partial<Record<string, FlatLoss>>> = {
  metadata: "bookkeeping",
  parentMessageId: "bookkeeping",
  createdAt: "bookkeeping",
};

function segmentsOf(pieces: readonly Piece[]): Segment[] {
  const segments: Segment[] = [];
  for (const piece of pieces) {
    const last = segments.at(-1);
    if (piece.slot === "result") segments.push({ kind: "result", pieces: [piece] });
    else if (last?.kind === "turn") last.pieces.push(piece);
    else segments.push({ kind: "turn", pieces: [piece] });
  }
  return segments.length === 0 ? [{ kind: "turn", pieces: [] }] : segments;
}

/** Reports the parts that stand elsewhere than in the message; at `type`, so that nothing else of them seems reported. */
function reportPlaces(message: Message, segments: readonly Segment[], { report }: FlatContext): void {
  if (segments.length > 1) report.lose("message-split", "role");
  const isTool = message.role === "tool";
  for (const { kind, pieces } of segments) {
    let furthest = 0;
    for (const { slot, index } of pieces) {
      if (slot === "result") {
        if (!isTool) report.lose("result-moved", ["parts", index, "type"]);
        continue;
      }
      const rank = SLOTS.indexOf(slot);
      if (rank < furthest) report.lose("order", ["parts", index, "type"]);
      if (isTool) report.lose("tool-part-moved", ["parts", index, "type"]);
      furthest = Math.max(furthest, rank);
    }
    if (isTool && kind === "turn" && pieces.length === 0) report.lose("tool-message-empty", "parts");
  }
}

function writeSegment(
  segment: Segment,
  message: Message,
  isMain: boolean,
  hints: Hints,
  context: FlatContext,
): JsonObject {
  const lists: SealLists = {};
  const isTurn = segment.kind === "turn";
  const wire = isTurn ? writeTurn(segment.pieces, message, lists, hints) : { ...segment.pieces[0]?.item };
  if (isMain) {
    writeOptional(wire, "id", message.id, hints);
    if (isTurn) writeOptional(wire, "name", message.name, hints);
    else if (message.name !== undefined) context.report.lose("name-dropped", "name");
  }
  const signatures = encodeSignatures(inWireOrder(segment.pieces), hints);
  if (signatures !== undefined) lists.gemini = signatures;
  const sealing = isTurn ? [ANTHROPIC, GEMINI] : [GEMINI];
  const extra = encodeProviderData(isMain ? message : undefined, lists, sealing, context);
  if (extra !== undefined) wire["extra"] = extra;
  if (isMain) {
    const { extra: _, ...fields } = message.extra?.[FLAT] ?? {};
    // A field that meant nothing in another role must not begin to mean something here.
    const known = isTurn ? TURN_FIELDS : TOOL_FIELDS;
    restoreOrReport(wire, { extra: { [FLAT]: fields } }, FLAT, context, (name) => !known.has(name));
  }
  return wire;
}

function inWireOrder(pieces: readonly Piece[]): Piece[] {
  return [...SLOTS, "result"].flatMap((slot) => pieces.filter((piece) => piece.slot === slot));
}

function writeTurn(pieces: readonly Piece[], message: Message, lists: SealLists, hints: Hints): JsonObject {
  const wire: JsonObject = { role: roleOf(pieces, message, hints) };
  const itemsOf = (slot: string): JsonObject[] =>
    pieces.flatMap((piece) => (piece.slot === slot && piece.item !== undefined ? [piece.item] : []));
  const blocks = pieces.flatMap(({ block }) => (block === undefined ? [] : [block]));
  if (blocks.length > 0 || hints.says(THINKING_BLOCKS, "empty")) lists.anthropic = blocks;
  const reasoning = itemsOf("reasoning");
  const spelled = {
    content: spellSlot("content", itemsOf("content"), hints),
    reasoning: blocks.length > 0 ? spellBesideBlocks(reasoning, hints) : spellSlot("reasoning", reasoning, hints),
    refusal: spellSlot("refusal", itemsOf("refusal"), hints),
  };
  for (const [slot, value] of Object.entries(spelled)) if (value !== undefined) wire[slot] = value;
  const calls = itemsOf("tool_calls");
  if (calls.length > 0 || hints.says("tool_calls", "list")) wire["tool_calls"] = calls;
  else if (hints.says("tool_calls", "null")) wire["tool_calls"] = null;
  return wire;
}

/** A role of this shape is any word. A tool message's other parts are a user's, unless there is nothing at all. */
function roleOf(pieces: readonly Piece[], { role }: Message, hints: Hints): string {
  const original = hints.get("role");
  if (role === "user" && typeof original === "string" && !isRole(original)) {
    hints.follow("role");
    return original;
  }
  return role === "tool" && pieces.length > 0 ? "user" : role;
}

// From canonical messages to flat ones. A message is one flat message, except that each tool result is one of its own.
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import { reportUnsupportedFields } from "../kit/residue.ts";
import type { Calls } from "./calls.ts";
import { noCalls } from "./calls.ts";
import { TOOL_FIELDS, TURN_FIELDS } from "./decode.ts";
import type { Draft, Piece } from "./encode-part.ts";
import { encodePart, isResult } from "./encode-part.ts";
import { spellItems } from "./items.ts";
import type { Kept } from "./kept.ts";
import { keptBy } from "./kept.ts";
import type { FlatContext } from "./losses.ts";
import { encodeProviderData, encodeSignatures } from "./provider-data.ts";
import { findAnswered } from "./results.ts";
import { CODES } from "./rest.ts";
import { SLOTS } from "./terms.ts";
import { listsBlocks } from "./thinking.ts";

export function encodeMessages(messages: readonly Message[], context: FlatContext): JsonObject[] {
  const calls = noCalls();
  findAnswered(messages, calls);
  return context.pathTracker.each(undefined, messages, (message) => encodeMessage(message, calls, context)).flat();
}

const MESSAGE_FIELDS = new Set(["role", "parts", "id", "name", "extra"]);

function encodeMessage(message: Message, calls: Calls, context: FlatContext): JsonObject[] {
  const { role, parts } = message;
  const kept = keptBy(message, context);
  const listed = listsBlocks(message, kept, context);
  const draft: Draft = { calls, listed, segments: [], furthest: -1 };
  context.pathTracker.each("parts", parts, (part) => encodePart(part, draft, context));
  const segments = draft.segments.length === 0 ? [[]] : draft.segments;
  const isTool = role === "tool";
  // The one that the message's own fields go to.
  const main = segments.find((segment) => isResult(segment) === isTool) ?? segments[0] ?? [];
  const wires = segments.map((segment) =>
    segment === main
      ? writeSegment(segment, message, kept, context)
      : writeSegment(segment, { role, parts: [] }, keptBy({}, context), context),
  );
  if (isTool && main.length === 0) context.report.addLoss("result-empty", "parts");
  else if (segments.length > 1 || isResult(main) !== isTool) {
    context.report.addLoss(isTool && segments.length === 1 ? "role-approximated" : "message-split", "role");
  }
  kept.reportStale();
  reportUnsupportedFields(message, MESSAGE_FIELDS, context, "field-unsaid", CODES);
  return wires;
}

function writeSegment(segment: readonly Piece[], message: Message, kept: Kept, context: FlatContext): JsonObject {
  const claude = segment.flatMap(({ block }) => (block === undefined ? [] : [block]));
  const wire = isResult(segment) ? { ...segment[0]?.item } : writeTurn(segment, message, claude.length > 0, kept);
  const isTurn = wire["role"] !== "tool";
  // Alone on a tool message, it would be the call's.
  const isOwn = isTurn || wire["call_id"] || !message.id;
  if (!isOwn) context.report.addLoss("bookkeeping", "id");
  kept.write(wire, "id", (isOwn ? message.id : undefined) ?? wire["id"]);
  if (isTurn) kept.write(wire, "name", message.name);
  else if (message.name !== undefined) context.report.addLoss("field-unsaid", "name");
  const inWireOrder = segment.toSorted((a, b) => a.rank - b.rank);
  const gemini = encodeSignatures(inWireOrder);
  encodeProviderData(wire, message, { claude, gemini }, context);
  // A field that meant nothing in another role must not begin to mean something here.
  kept.restore(wire, isTurn ? TURN_FIELDS : TOOL_FIELDS, "extra");
  return wire;
}

function writeTurn(segment: readonly Piece[], { role }: Message, listed: boolean, kept: Kept): JsonObject {
  const original = role === "user" ? kept.take("role") : undefined;
  // A tool message's other parts are a user's, unless there is nothing at all.
  const wire: JsonObject = { role: original ?? (role === "tool" && segment.length > 0 ? "user" : role) };
  for (const slot of SLOTS) {
    const items = segment.flatMap((piece) => (piece.slot === slot && piece.item ? [piece.item] : []));
    const spelled = spellItems(slot, items, slot === "reasoning" && listed, kept);
    kept.write(wire, slot, spelled, slot === "content" ? "" : undefined);
  }
  return wire;
}

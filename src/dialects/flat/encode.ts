// Encodes each canonical message as one flat message, except that each tool result becomes a flat message of its own.
import type { JsonObject } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import { reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import type { FlatCalls } from "./tool-calls.ts";
import { createFlatCalls } from "./tool-calls.ts";
import { TOOL_FIELDS, TURN_FIELDS } from "./decode.ts";
import type { FlatMessageDraft, EncodedFlatPart } from "./encode-part.ts";
import { encodePart, isResultSegment } from "./encode-part.ts";
import { encodePartField } from "./content-items.ts";
import type { FlatResidue } from "./residue.ts";
import { readFlatResidue } from "./residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import { encodeProviderData, listThoughtSignatures } from "./provider-data.ts";
import { collectAnsweredIds } from "./tool-results.ts";
import { FIELD_CODES } from "./report-part.ts";
import { PART_FIELDS } from "./field-names.ts";
import { needsThinkingBlocks } from "./thinking.ts";

export function encodeMessages(messages: readonly Message[], context: FlatEncodeContext): JsonObject[] {
  const calls = createFlatCalls();
  collectAnsweredIds(messages, calls);
  return context.pathTracker.each(undefined, messages, (message) => encodeMessage(message, calls, context)).flat();
}

const MESSAGE_FIELDS = new Set(["role", "parts", "id", "name", "extra"]);

function encodeMessage(message: Message, calls: FlatCalls, context: FlatEncodeContext): JsonObject[] {
  const { role, parts } = message;
  const residue = readFlatResidue(message, context);
  const withBlocks = needsThinkingBlocks(message, residue, context);
  const draft: FlatMessageDraft = { calls, writesThinkingBlocks: withBlocks, segments: [], lastRank: -1 };
  context.pathTracker.each("parts", parts, (part) => encodePart(part, draft, context));
  const segments = draft.segments.length === 0 ? [[]] : draft.segments;
  const isTool = role === "tool";
  // If the message becomes several flat messages, one per segment, the main segment receives the fields of the message
  // itself, such as id and name.
  const main = segments.find((segment) => isResultSegment(segment) === isTool) ?? segments[0] ?? [];
  const wires = segments.map((segment) =>
    segment === main
      ? writeSegment(segment, message, residue, context)
      : writeSegment(segment, { role, parts: [] }, readFlatResidue({}, context), context),
  );
  if (isTool && main.length === 0) context.report.addLoss("result-empty", "parts");
  else if (segments.length > 1 || isResultSegment(main) !== isTool) {
    context.report.addLoss(isTool && segments.length === 1 ? "role-approximated" : "message-split", "role");
  }
  residue.reportStaleForms();
  reportUnsupportedFields(message, MESSAGE_FIELDS, context, "field-unsupported", FIELD_CODES);
  return wires;
}

function writeSegment(
  segment: readonly EncodedFlatPart[],
  message: Message,
  residue: FlatResidue,
  context: FlatEncodeContext,
): JsonObject {
  const claude = segment.flatMap(({ block }) => (block === undefined ? [] : [block]));
  const wire = isResultSegment(segment)
    ? { ...segment[0]?.item }
    : writeTurn(segment, message, claude.length > 0, residue);
  const isTurn = wire["role"] !== "tool";
  // In a tool message without `call_id` the decoder reads `id` as the call id, so the message id cannot be written.
  const isOwn = isTurn || wire["call_id"] || !message.id;
  if (!isOwn) context.report.addLoss("metadata-dropped", "id");
  residue.writeField(wire, "id", (isOwn ? message.id : undefined) ?? wire["id"]);
  if (isTurn) residue.writeField(wire, "name", message.name);
  else if (message.name !== undefined) context.report.addLoss("field-unsupported", "name");
  const inWireOrder = segment.toSorted((a, b) => a.rank - b.rank);
  const gemini = listThoughtSignatures(inWireOrder);
  encodeProviderData(wire, message, { claude, gemini }, context);
  // Residue may contain a field that is unknown for the role with which it was decoded, but known for this role. It is
  // not restored, because a decoder would read it as the known field.
  residue.restoreUnknownFields(wire, isTurn ? TURN_FIELDS : TOOL_FIELDS, "extra");
  return wire;
}

function writeTurn(
  segment: readonly EncodedFlatPart[],
  { role }: Message,
  withBlocks: boolean,
  residue: FlatResidue,
): JsonObject {
  const original = role === "user" ? residue.takeForm("role") : undefined;
  // Parts of a tool message that are not results are written as a user message.
  const wire: JsonObject = { role: original ?? (role === "tool" && segment.length > 0 ? "user" : role) };
  for (const field of PART_FIELDS) {
    const items = segment.flatMap((encodedPart) =>
      encodedPart.field === field && encodedPart.item ? [encodedPart.item] : [],
    );
    const spelled = encodePartField(field, items, field === "reasoning" && withBlocks, residue);
    residue.writeField(wire, field, spelled, field === "content" ? "" : undefined);
  }
  return wire;
}

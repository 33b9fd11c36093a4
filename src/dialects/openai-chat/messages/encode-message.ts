// Encodes a history as Chat messages: one wire message per message, and one per tool result.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message, Role } from "../../../model/message.ts";
import { ROLES } from "../../../model/message.ts";
import type { Part, ToolResultPart } from "../../../model/parts.ts";
import { isBareText } from "../../openai/unknown-fields.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue } from "../../kit/residue/unsent-fields.ts";
import type { OutgoingTurn } from "../../kit/history/turn.ts";
import { replaceParts } from "../../kit/history/turn.ts";
import { encodeBlock, isBareTextBlock, wasContentList } from "./content-blocks.ts";
import { encodeAssistant } from "./encode-assistant.ts";
import { encodeResult } from "./tool-results.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { enterPartPath, leavePartPath, readFormValue } from "../encode-state.ts";

/** Encoded media of tool results, which move into a user message after the results (B45). */
type MovedMedia = JsonObject[];

/** Encodes a history. The path tracker must be at the list of messages. */
export function encodeHistory(turns: readonly OutgoingTurn[], state: ChatEncodeState): JsonObject[] {
  const out: JsonObject[] = [];
  const movedMedia: MovedMedia = [];
  for (const turn of turns) {
    if (movedMedia.length > 0 && turn.message.role !== "tool") flushMovedMedia(movedMedia, out);
    encodeTurn(turn, out, movedMedia, state);
  }
  flushMovedMedia(movedMedia, out);
  return out;
}

function flushMovedMedia(movedMedia: MovedMedia, out: JsonObject[]): void {
  if (movedMedia.length > 0) out.push({ role: "user", content: movedMedia.splice(0) });
}

function encodeTurn(turn: OutgoingTurn, out: JsonObject[], movedMedia: MovedMedia, state: ChatEncodeState): void {
  const { message } = turn;
  const { parts, role } = message;
  const only = parts[0];
  if (parts.length === 1 && only !== undefined && isBareText(only) && hasOnlyRoleAndParts(message)) {
    // Fast path for the most frequent messages. An empty assistant text takes the slow path, which reports a loss.
    if (role === "user" || role === "system" || (role === "assistant" && only.text !== "")) {
      out.push({ role, content: only.text });
      return;
    }
  }
  const { pathTracker } = state.context;
  pathTracker.enter(turn.index);
  reportMessage(message, state);
  pathTracker.leave();
  const isResult = role === "assistant" ? isClientResult : isAnyResult;
  if (role !== "tool" && !parts.some(isResult)) {
    pushUnlessEmpty(
      role === "assistant" ? encodeAssistant(turn, state) : encodePlainMessage(turn, state),
      turn,
      out,
      state,
    );
    return;
  }
  encodeResultMessage(turn, isResult, out, movedMedia, state);
}

/** Appends a message to `out`. An empty message is dropped with a loss, because Chat rejects it (B7). */
function pushUnlessEmpty(
  wire: JsonObject,
  { index }: OutgoingTurn,
  out: JsonObject[],
  { context }: ChatEncodeState,
): void {
  if (context.repair && isEmpty(wire)) context.report.addLoss("message-empty", index);
  else out.push(wire);
}

function isEmpty(wire: JsonObject): boolean {
  const { content = null } = wire;
  if (content !== null && !(Array.isArray(content) && content.length === 0)) return false;
  for (const key in wire) if (key !== "role" && key !== "content" && key !== "name") return false;
  return true;
}

function isAnyResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result";
}
function isClientResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result" && part.executor !== "provider";
}

/** True if a message has only a role and parts. */
function hasOnlyRoleAndParts(message: Message): boolean {
  for (const key in message) if (key !== "role" && key !== "parts") return false;
  return true;
}

/** Reports the fields of a message that are not encoded; the path tracker must be at the message. */
export function reportMessage(message: Message, { context }: ChatEncodeState): void {
  for (const key in message) {
    const isEncoded = key === "role" || key === "parts" || key === "extra" || key === "name";
    // The cast allows any key, because messages of a ledger have fields that the type Message does not declare.
    if (!isEncoded && message[key as keyof Message] !== undefined) context.report.addLoss("metadata-dropped", key);
  }
  if (message.name !== undefined && message.role === "tool") context.report.addLoss("field-unsupported", "name");
  reportNotPortableResidue(message, context);
}

/**
 * Encodes a message with tool results. Each result becomes a wire message, and so do the other parts together: before
 * the results in an assistant message, after the results in other messages (B28).
 */
function encodeResultMessage(
  turn: OutgoingTurn,
  isResult: (part: Part) => boolean,
  out: JsonObject[],
  movedMedia: MovedMedia,
  state: ChatEncodeState,
): void {
  const { message, index } = turn;
  const { parts, role } = message;
  const { report, repair } = state.context;
  const [results, otherIndexes]: [number[], number[]] = [[], []];
  for (const [at, part] of parts.entries()) (isResult(part) ? results : otherIndexes).push(at);
  if (role === "assistant") pushUnlessEmpty(encodeAssistant(selectParts(turn, otherIndexes), state), turn, out, state);
  const first = out.length;
  for (const at of results) encodeResultAt(turn, at, first, out, movedMedia, state);
  if (parts.length === 0) report.addLoss("results-split", [index, "parts"]);
  else if (parts.length > 1) report.addLoss("results-split", [index, "role"]);
  if (role === "assistant" || otherIndexes.length === 0) return;
  const hasNoResults = out.length === first;
  const { extra: _, name: __, ...roleAndParts } = message;
  const otherTurn = selectParts(
    { ...turn, message: role === "tool" && !hasNoResults ? roleAndParts : message },
    otherIndexes,
  );
  const blocks = encodeBlocks(otherTurn, state);
  // Chat has no blocks for the other parts of this tool message (approvals, for example), so no user message follows.
  // Exception: without repairs, a tool message whose results were all dropped is sent as an empty user message.
  if (role === "tool" && blocks.length === 0 && (repair || !hasNoResults)) {
    if (hasNoResults) report.addLoss("message-empty", index);
    return;
  }
  if (role === "tool") report.addLoss("role-approximated", [index, "role"]);
  flushMovedMedia(movedMedia, out);
  out.push(createMessage(blocks, otherTurn, state));
}

function selectParts(turn: OutgoingTurn, indexes: readonly number[]): OutgoingTurn {
  const parts = indexes.map((at) => turn.message.parts[at] as Part);
  return replaceParts(turn, parts, indexes);
}

function encodeResultAt(
  turn: OutgoingTurn,
  at: number,
  first: number,
  out: JsonObject[],
  movedMedia: MovedMedia,
  state: ChatEncodeState,
): void {
  const { message, index } = turn;
  const { context } = state;
  // The cast is safe, because the caller passes the index of a result.
  const part = message.parts[at] as ToolResultPart;
  // A repair has synthesized this result for a call without a result. Its text states the error, so the `isError` flag
  // is cleared and not reported as a loss.
  const result = turn.isSynthesized === true ? { ...part, isError: false } : part;
  const isLegacy = readFormValue(message, "legacy", state) === true;
  enterPartPath(turn, at, state);
  const wire = encodeResult(result, isLegacy, movedMedia, state);
  leavePartPath(state);
  if (wire === undefined) return;
  // The residue of a tool message is restored in the wire message of its first result.
  if (message.role === "tool" && out.length === first && message.extra !== undefined) {
    context.pathTracker.enter(index);
    restoreResidue(wire, message, context);
    context.pathTracker.leave();
  }
  out.push(wire);
}

function encodePlainMessage(turn: OutgoingTurn, state: ChatEncodeState): JsonObject {
  return createMessage(encodeBlocks(turn, state), turn, state);
}

function encodeBlocks(turn: OutgoingTurn, state: ChatEncodeState): JsonObject[] {
  const { parts } = turn.message;
  const blocks: JsonObject[] = [];
  for (let at = 0; at < parts.length; at++) {
    enterPartPath(turn, at, state);
    const block = encodeBlock(parts[at] as Part, state);
    leavePartPath(state);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

/** Creates a message from encoded blocks; the path tracker must be at the list of messages. */
function createMessage(blocks: JsonObject[], turn: OutgoingTurn, state: ChatEncodeState): JsonObject {
  const { message } = turn;
  const { pathTracker } = state.context;
  pathTracker.enter(turn.index);
  const wire: JsonObject = { role: encodeRole(message, state) };
  const content = encodeContent(blocks, message, state);
  if (content !== undefined) wire["content"] = content;
  if (message.name !== undefined && message.role !== "tool") wire["name"] = message.name;
  if (message.extra !== undefined) restoreResidue(wire, message, state.context);
  pathTracker.leave();
  return wire;
}

const KNOWN_ROLES: ReadonlySet<Role> = new Set(ROLES);

function encodeRole(message: Message, state: ChatEncodeState): string {
  const { context, dialect, vendor } = state;
  const { role } = message;
  const originalRole = readFormValue(message, "role", state);
  if (typeof originalRole === "string") {
    if (role === "user") return originalRole;
    context.report.addLoss("form-stale", ["extra", dialect, "$form", "role"]);
  }
  if (role === "developer" && vendor?.lacksDeveloperRole === true && context.repair) {
    context.report.addLoss("developer-as-system", "role");
    return "system";
  }
  if (role === "tool") return "user";
  if (KNOWN_ROLES.has(role)) return role;
  context.report.addLoss("role-approximated", "role");
  return "user";
}

function encodeContent(blocks: JsonObject[], message: Message, state: ChatEncodeState): JsonValue | undefined {
  const only = blocks[0];
  if (blocks.length === 1 && only !== undefined && isBareTextBlock(only) && !wasContentList(message, state)) {
    return only["text"];
  }
  if (only !== undefined) return blocks;
  const form = readFormValue(message, "content", state);
  if (form === "absent") return undefined;
  if (form === null) return null;
  // A message whose parts were all dropped is sent with an empty text, so that its turn is not lost (B7).
  return message.parts.length === 0 ? blocks : "";
}

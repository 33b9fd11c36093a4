// From messages to wire messages: one each, except that every tool result is a message of its own.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message, Role } from "../../model/message.ts";
import { ROLES } from "../../model/message.ts";
import type { Part, ToolResultPart } from "../../model/parts.ts";
import { isBare } from "../kit/openai-reading.ts";
import { reportNotPortableResidue, restoreResidue } from "../kit/residue.ts";
import type { Turn } from "../kit/turn.ts";
import { withParts } from "../kit/turn.ts";
import { encodeBlock, isBareBlock, wasList } from "./content.ts";
import { encodeAssistant } from "./encode-assistant.ts";
import { encodeResult } from "./results.ts";
import type { Writing } from "./writing.ts";
import { enter, leave, spelling } from "./writing.ts";

/** Media that results could not hold, on their way into a message of the user's (B45). */
type Moved = JsonObject[];

/** The wire messages of a history; the trail stands at its list. */
export function encodeHistory(turns: readonly Turn[], writing: Writing): JsonObject[] {
  const out: JsonObject[] = [];
  const moved: Moved = [];
  for (const turn of turns) {
    if (moved.length > 0 && turn.message.role !== "tool") flush(moved, out);
    encodeTurn(turn, out, moved, writing);
  }
  flush(moved, out);
  return out;
}

function flush(moved: Moved, out: JsonObject[]): void {
  if (moved.length > 0) out.push({ role: "user", content: moved.splice(0) });
}

function encodeTurn(turn: Turn, out: JsonObject[], moved: Moved, writing: Writing): void {
  const { message } = turn;
  const { parts, role } = message;
  const only = parts[0];
  if (parts.length === 1 && only !== undefined && isBare(only) && isPlain(message)) {
    // What most messages are. An empty text of the assistant is a special case.
    if (role === "user" || role === "system" || (role === "assistant" && only.text !== "")) {
      out.push({ role, content: only.text });
      return;
    }
  }
  const { pathTracker: trail } = writing.context;
  trail.enter(turn.index);
  reportMessage(message, writing);
  trail.leave();
  const isResult = role === "assistant" ? isClientResult : isAnyResult;
  if (role !== "tool" && !parts.some(isResult)) {
    pushSaid(role === "assistant" ? encodeAssistant(turn, writing) : encodeSpeech(turn, writing), turn, out, writing);
    return;
  }
  encodeMixed(turn, isResult, out, moved, writing);
}

/** A message that says nothing is refused, and left out (B7). */
function pushSaid(wire: JsonObject, { index }: Turn, out: JsonObject[], { context }: Writing): void {
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

/** Whether a message has nothing beside its role and parts. */
function isPlain(message: Message): boolean {
  for (const key in message) if (key !== "role" && key !== "parts") return false;
  return true;
}

/** Reports what a message has beside what it says; the trail stands at it. */
export function reportMessage(message: Message, { context }: Writing): void {
  for (const key in message) {
    const isSaid = key === "role" || key === "parts" || key === "extra" || key === "name";
    // Stored messages have more fields than the type says.
    if (!isSaid && message[key as keyof Message] !== undefined) context.report.addLoss("bookkeeping", key);
  }
  if (message.name !== undefined && message.role === "tool") context.report.addLoss("field-unsaid", "name");
  reportNotPortableResidue(message, context);
}

/** A message of results, perhaps beside something else, which then is a message of its own (B28). */
function encodeMixed(
  turn: Turn,
  isResult: (part: Part) => boolean,
  out: JsonObject[],
  moved: Moved,
  writing: Writing,
): void {
  const { message, index } = turn;
  const { parts, role } = message;
  const { report, repair } = writing.context;
  const [results, others]: [number[], number[]] = [[], []];
  for (const [at, part] of parts.entries()) (isResult(part) ? results : others).push(at);
  if (role === "assistant") pushSaid(encodeAssistant(excerpt(turn, others), writing), turn, out, writing);
  const first = out.length;
  for (const at of results) encodeResultAt(turn, at, first, out, moved, writing);
  if (parts.length === 0) report.addLoss("results-split", [index, "parts"]);
  else if (parts.length > 1) report.addLoss("results-split", [index, "role"]);
  if (role === "assistant" || others.length === 0) return;
  const isAlone = out.length === first;
  const { extra: _, name: __, ...bare } = message;
  const speech = excerpt({ ...turn, message: role === "tool" && !isAlone ? bare : message }, others);
  const blocks = encodeBlocks(speech, writing);
  // What a tool message holds beside its results, such as another dialect's approval, may have no words here: then the
  // user has said nothing.
  if (role === "tool" && blocks.length === 0 && (repair || !isAlone)) {
    if (isAlone) report.addLoss("message-empty", index);
    return;
  }
  if (role === "tool") report.addLoss("role-approximated", [index, "role"]);
  flush(moved, out);
  out.push(speechOf(blocks, speech, writing));
}

function excerpt(turn: Turn, kept: readonly number[]): Turn {
  const parts = kept.map((at) => turn.message.parts[at] as Part); // Within the length.
  return withParts(turn, parts, kept);
}

function encodeResultAt(
  turn: Turn,
  at: number,
  first: number,
  out: JsonObject[],
  moved: Moved,
  writing: Writing,
): void {
  const { message, index } = turn;
  const { context } = writing;
  const part = message.parts[at] as ToolResultPart; // One of those that were told to be.
  // Its own words say that a made result is an error.
  const result = turn.isMade === true ? { ...part, isError: false } : part;
  const isLegacy = spelling(message, "legacy", writing) === true;
  enter(turn, at, writing);
  const wire = encodeResult(result, isLegacy, moved, writing);
  leave(writing);
  if (wire === undefined) return;
  // What the message has of its own goes with the first of its results.
  if (message.role === "tool" && out.length === first && message.extra !== undefined) {
    context.pathTracker.enter(index);
    restoreResidue(wire, message, context);
    context.pathTracker.leave();
  }
  out.push(wire);
}

function encodeSpeech(turn: Turn, writing: Writing): JsonObject {
  return speechOf(encodeBlocks(turn, writing), turn, writing);
}

function encodeBlocks(turn: Turn, writing: Writing): JsonObject[] {
  const { parts } = turn.message;
  const blocks: JsonObject[] = [];
  for (let at = 0; at < parts.length; at++) {
    enter(turn, at, writing);
    const block = encodeBlock(parts[at] as Part, writing); // Within the length.
    leave(writing);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

/** The message that blocks make; the trail stands at the list of messages. */
function speechOf(blocks: JsonObject[], turn: Turn, writing: Writing): JsonObject {
  const { message } = turn;
  const { pathTracker: trail } = writing.context;
  trail.enter(turn.index);
  const wire: JsonObject = { role: roleOf(message, writing) };
  const content = contentOf(blocks, message, writing);
  if (content !== undefined) wire["content"] = content;
  if (message.name !== undefined && message.role !== "tool") wire["name"] = message.name;
  if (message.extra !== undefined) restoreResidue(wire, message, writing.context);
  trail.leave();
  return wire;
}

const KNOWN: ReadonlySet<Role> = new Set(ROLES);

function roleOf(message: Message, writing: Writing): string {
  const { context, dialect, vendor } = writing;
  const { role } = message;
  const word = spelling(message, "role", writing);
  if (typeof word === "string") {
    if (role === "user") return word;
    context.report.addLoss("form-stale", ["extra", dialect, "$form", "role"]);
  }
  if (role === "developer" && vendor?.noDeveloper === true && context.repair) {
    context.report.addLoss("developer-as-system", "role");
    return "system";
  }
  if (role === "tool") return "user";
  if (KNOWN.has(role)) return role;
  context.report.addLoss("role-approximated", "role");
  return "user";
}

function contentOf(blocks: JsonObject[], message: Message, writing: Writing): JsonValue | undefined {
  const only = blocks[0];
  if (blocks.length === 1 && only !== undefined && isBareBlock(only) && !wasList(message, writing)) {
    return only["text"];
  }
  if (only !== undefined) return blocks;
  const was = spelling(message, "content", writing);
  if (was === "absent") return undefined;
  if (was === null) return null;
  // What is left of parts that cannot be said is no reason to drop the turn (B7).
  return message.parts.length === 0 ? blocks : "";
}

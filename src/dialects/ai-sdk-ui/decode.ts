// From UI messages to the model's. A UI message holds a whole round: its steps become assistant messages, each followed by
// the results of the tools that the client ran. That they belong together goes without saying, unless noted.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message, Metadata, Role } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { messageFields } from "../../model/shapes.ts";
import { structuralIssues } from "../../model/validate.ts";
import type { DecodeContext } from "../dialect.ts";
import { joinPieces } from "../kit/ai-sdk-reasoning.ts";
import { annotate } from "../kit/ai-sdk-sources.ts";
import { CallBook } from "../kit/calls.ts";
import { isObject, kindOf, readMessageList, readObject, readString, unknownFields } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { decodePart } from "./decode-part.ts";
import { decodeTool } from "./decode-tool.ts";

const ROLES: ReadonlySet<string> = new Set<Role>(["system", "user", "assistant"]);

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const calls = new CallBook(context.dialect);
  const messages: Message[] = [];
  context.pathTracker.each(key, list, (value) => {
    for (const message of decodeMessage(readObject(value, context), messages.at(-1), calls, context)) {
      messages.push(message);
    }
  });
  return messages;
}

function decodeMessage(
  wire: JsonObject,
  before: Message | undefined,
  calls: CallBook,
  context: DecodeContext,
): Message[] {
  const { dialect } = context;
  const word = readString(wire, "role", context);
  const parts = readParts(wire["parts"], context);
  // The set holds nothing but roles.
  const role = ROLES.has(word) ? (word as Role) : "user";
  const first: Message = { role, parts: [] };
  if (!ROLES.has(word)) storeForm(first, dialect, "role", word);
  const known = new Set(["role", "parts"]);
  if (wire["id"] === undefined) storeForm(first, dialect, "id", null);
  else if (typeof wire["id"] === "string") {
    first.id = wire["id"];
    known.add("id");
  }
  if (isMetadata(wire["metadata"])) {
    first.metadata = wire["metadata"];
    known.add("metadata");
  }
  storeResidue(first, dialect, unknownFields(wire, known));
  if (role !== "assistant") {
    context.pathTracker.each("parts", parts, (part) => addPart(first.parts, readObject(part, context), role, context));
    return [first];
  }
  if (before?.role === "tool") storeForm(first, dialect, "begins", true);
  return decodeSteps(first, parts, calls, context);
}

/** Metadata are the application's own; where they contradict what Koine calls by the same name, they are residue. */
export function isMetadata(value: JsonValue | undefined): value is JsonObject & Metadata {
  return isObject(value) && structuralIssues({ metadata: value }, messageFields).length === 0;
}

function readParts(parts: JsonValue | undefined, context: DecodeContext): readonly JsonValue[] {
  if (Array.isArray(parts)) return parts;
  const code = parts === undefined ? "missing-field" : "wrong-type";
  return context.fail(code, `Expected a list of parts, found ${kindOf(parts)}.`, "parts");
}

function addPart(parts: Part[], wire: JsonObject, role: Role, context: DecodeContext): void {
  const before = parts.at(-1);
  if (before?.type === "text" && annotate(before, wire)) return;
  parts.push(decodePart(wire, role, context) ?? { type: "opaque", dialect: context.dialect, value: wire });
}

function decodeSteps(first: Message, parts: readonly JsonValue[], calls: CallBook, context: DecodeContext): Message[] {
  const { dialect } = context;
  const messages: Message[] = [first];
  let step = first;
  let results: Part[] = [];
  const close = (): void => {
    step.parts = joinPieces(step.parts);
    if (results.length > 0) messages.push({ role: "tool", parts: results });
    results = [];
  };
  context.pathTracker.each("parts", parts, (value, at) => {
    const wire = readObject(value, context);
    if (isStepStart(wire)) {
      if (at === 0) return;
      close();
      step = { role: "assistant", parts: [] };
      if (messages.at(-1)?.role !== "tool") storeForm(step, dialect, "joined", true);
      messages.push(step);
      return;
    }
    if (at === 0) storeForm(first, dialect, "step", false);
    const steering = decodeSteering(wire, context);
    if (steering !== undefined) {
      close();
      messages.push(steering);
      step = { role: "assistant", parts: [] };
      return;
    }
    if (!messages.includes(step)) {
      for (const [what, spelled] of STEPLESS) storeForm(step, dialect, what, spelled);
      messages.push(step);
    }
    const tool = decodeTool(wire, calls, context);
    if (tool === undefined) addPart(step.parts, wire, "assistant", context);
    else {
      step.parts.push(...tool.said);
      results.push(...tool.results);
    }
  });
  if (parts.length === 0) storeForm(first, dialect, "step", false);
  close();
  return messages;
}

/** How a message is noted that goes on with a UI message without beginning a step. */
const STEPLESS = [
  ["joined", true],
  ["step", false],
] as const;
const STEERING: ReadonlySet<string> = new Set(["type", "id", "parts"]);

/** What the user said while the assistant was at work, between two steps: for a model, a message of the user's. */
function decodeSteering(wire: JsonObject, context: DecodeContext): Message | undefined {
  const { type, id, parts } = wire;
  if (type !== "steering-message" || typeof id !== "string" || unknownFields(wire, STEERING) !== undefined)
    return undefined;
  if (!Array.isArray(parts) || !parts.every(isObject)) return undefined;
  const message: Message = { role: "user", parts: [], id };
  context.pathTracker.each("parts", parts, (part) => addPart(message.parts, part, "user", context));
  storeForm(message, context.dialect, "steering", true);
  return message;
}

function isStepStart(wire: JsonObject): boolean {
  return wire["type"] === "step-start" && Object.keys(wire).length === 1;
}

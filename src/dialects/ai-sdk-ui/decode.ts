// Decodes UI messages. A UI message contains a complete run: each step becomes an assistant message, followed by a tool
// message with the results of client tools. Forms store deviations from this grouping.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message, Metadata, Role } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { messageFields } from "../../model/validation/message-shapes.ts";
import { structuralIssues } from "../../model/validation/validate.ts";
import { describeKind, isObject } from "../../model/value-kind.ts";
import type { DecodeContext } from "../dialect.ts";
import { joinReasoningItems } from "../ai-sdk/reasoning.ts";
import { addSourceAnnotation } from "../ai-sdk/sources.ts";
import { ToolCallIds } from "../kit/tools/tool-call-ids.ts";
import { readMessageList, readObject, readString, unknownFields } from "../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../kit/residue/residue.ts";
import { decodePart } from "./decode-part.ts";
import { decodeTool } from "./decode-tool.ts";

const ROLES: ReadonlySet<string> = new Set<Role>(["system", "user", "assistant"]);

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const calls = new ToolCallIds(context.dialect);
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
  previous: Message | undefined,
  calls: ToolCallIds,
  context: DecodeContext,
): Message[] {
  const { dialect } = context;
  const wireRole = readString(wire, "role", context);
  const parts = readParts(wire["parts"], context);
  // The cast is safe, because `ROLES` contains only canonical roles.
  const role = ROLES.has(wireRole) ? (wireRole as Role) : "user";
  const first: Message = { role, parts: [] };
  if (!ROLES.has(wireRole)) storeForm(first, dialect, "role", wireRole);
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
  if (previous?.role === "tool") storeForm(first, dialect, "begins", true);
  return decodeSteps(first, parts, calls, context);
}

/** True if metadata is valid in the canonical model; other metadata is stored as residue. */
export function isMetadata(value: JsonValue | undefined): value is JsonObject & Metadata {
  return isObject(value) && structuralIssues({ metadata: value }, messageFields).length === 0;
}

function readParts(parts: JsonValue | undefined, context: DecodeContext): readonly JsonValue[] {
  if (Array.isArray(parts)) return parts;
  const code = parts === undefined ? "missing-field" : "wrong-type";
  return context.fail(code, `Expected a list of parts, found ${describeKind(parts)}.`, "parts");
}

function addPart(parts: Part[], wire: JsonObject, role: Role, context: DecodeContext): void {
  const previous = parts.at(-1);
  if (previous?.type === "text" && addSourceAnnotation(previous, wire)) return;
  parts.push(decodePart(wire, role, context) ?? { type: "opaque", dialect: context.dialect, value: wire });
}

function decodeSteps(
  first: Message,
  parts: readonly JsonValue[],
  calls: ToolCallIds,
  context: DecodeContext,
): Message[] {
  const { dialect } = context;
  const messages: Message[] = [first];
  let step = first;
  let results: Part[] = [];
  const close = (): void => {
    step.parts = joinReasoningItems(step.parts);
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
      for (const [formKey, formValue] of CONTINUATION_FORM) storeForm(step, dialect, formKey, formValue);
      messages.push(step);
    }
    const tool = decodeTool(wire, calls, context);
    if (tool === undefined) addPart(step.parts, wire, "assistant", context);
    else {
      step.parts.push(...tool.assistantParts);
      results.push(...tool.results);
    }
  });
  if (parts.length === 0) storeForm(first, dialect, "step", false);
  close();
  return messages;
}

/**
 * The form of an assistant message that follows a steering message (a user's message between two steps): it belongs to
 * the same UI message (`joined`) and has no `step-start` part (`step`).
 */
const CONTINUATION_FORM = [
  ["joined", true],
  ["step", false],
] as const;
const STEERING_FIELDS: ReadonlySet<string> = new Set(["type", "id", "parts"]);

/** Decodes a steering part, a user's message between two steps, as a user message; undefined for all other parts. */
function decodeSteering(wire: JsonObject, context: DecodeContext): Message | undefined {
  const { type, id, parts } = wire;
  if (type !== "steering-message" || typeof id !== "string" || unknownFields(wire, STEERING_FIELDS) !== undefined)
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

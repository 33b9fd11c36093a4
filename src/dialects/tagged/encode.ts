// Encodes each canonical message as one tagged message.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { readForm } from "../kit/residue/residue.ts";
import type { TaggedEncodeState } from "./encode-part.ts";
import { encodePart } from "./encode-part.ts";
import type { TaggedLossCode } from "./losses.ts";
import { reportTaggedFields } from "./losses.ts";
import { restoreRemaining, wasOmitted } from "./field-reader.ts";
import { WIRE_ROLES } from "./wire-names.ts";
import { findBareResult, plainCallId, writeBareOutput } from "./tool-message.ts";
import { CallNames, reportResult } from "./tool-parts.ts";

export function encodeMessages(messages: readonly Message[], context: EncodeContext<TaggedLossCode>): JsonObject[] {
  const names = new CallNames();
  return context.pathTracker.each(undefined, messages, (message) => encodeMessage(message, names, context));
}

const SUPPORTED: ReadonlySet<string> = new Set(["role", "parts", "extra"]);

function encodeMessage(message: Message, names: CallNames, context: EncodeContext<TaggedLossCode>): JsonObject {
  const { dialect } = context;
  reportTaggedFields(message, SUPPORTED, context);
  const form = readForm(message, dialect);
  const wire: JsonObject = { role: encodeRole(message, form, context) };
  const callId = encodeCallId(message, form, dialect);
  const content = encodeContent(message, form, { names, callId, context });
  if (content !== undefined) wire["content"] = content;
  if (callId !== undefined) wire["tool_call_id"] = callId;
  return restoreRemaining(wire, message, context);
}

function encodeRole({ role }: Message, form: JsonObject, context: EncodeContext<TaggedLossCode>): string {
  const unknown = form["role"];
  if (typeof unknown === "string") {
    if (role === "user") return unknown;
    context.report.addLoss("form-stale", ["extra", context.dialect]);
  }
  if (Object.hasOwn(WIRE_ROLES, role)) return WIRE_ROLES[role];
  context.report.addLoss("role-approximated", "role", `The role was "${role}".`);
  return WIRE_ROLES.user;
}

/**
 * Returns the `tool_call_id` of the message itself: the id in the residue, else the call id of the only result;
 * undefined if there is neither, or if the wire had no `tool_call_id`.
 */
function encodeCallId(message: Message, form: JsonObject, dialect: string): string | undefined {
  const storedId = message.extra?.[dialect]?.["tool_call_id"];
  if (typeof storedId === "string") return storedId;
  return wasOmitted(form, "tool_call_id") ? undefined : plainCallId(message);
}

function encodeContent(message: Message, form: JsonObject, state: TaggedEncodeState): JsonValue | undefined {
  const { names, context } = state;
  const bareResult = findBareResult(message, form, context.dialect);
  if (bareResult !== undefined) {
    return inOnlyPart(context, () => {
      reportResult(bareResult, names, context);
      return writeBareOutput(bareResult, form, encodeParts("content", bareResult.content ?? [], state));
    });
  }
  const parts = encodeParts("parts", message.parts, state);
  if (parts.length === 0 && wasOmitted(form, "content")) return undefined;
  if (form["content"] === undefined) return parts;
  const [only] = parts;
  const text =
    parts.length === 1 && only?.["kind"] === "TEXT" && Object.keys(only).length === 2 ? only["text"] : undefined;
  if (form["content"] === "string" && text !== undefined) return text;
  context.report.addLoss("form-stale", ["extra", context.dialect]);
  return parts;
}

function inOnlyPart<T>({ pathTracker }: EncodeContext<TaggedLossCode>, step: () => T): T {
  return pathTracker.into("parts", () => pathTracker.into(0, step));
}

function encodeParts(key: string, parts: readonly Part[], state: TaggedEncodeState): JsonObject[] {
  const encoded = state.context.pathTracker.each(key, parts, (part) => encodePart(part, state));
  return encoded.filter((part) => part !== undefined);
}

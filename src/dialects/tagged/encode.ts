// From messages to the wire, one each.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { readForm } from "../kit/residue.ts";
import type { PartWriting } from "./encode-part.ts";
import { encodePart } from "./encode-part.ts";
import type { Code } from "./losses.ts";
import { reportRest } from "./losses.ts";
import { restoreRest, wasOmitted } from "./spelling.ts";
import { ROLE_WORDS } from "./terms.ts";
import { bareResultOf, plainCallId, writeBareOutput } from "./tool-message.ts";
import { CallNames, reportResult } from "./tools.ts";

export function encodeMessages(messages: readonly Message[], context: EncodeContext<Code>): JsonObject[] {
  const names = new CallNames();
  return context.pathTracker.each(undefined, messages, (message) => encodeMessage(message, names, context));
}

const CARRIED: ReadonlySet<string> = new Set(["role", "parts", "extra"]);

function encodeMessage(message: Message, names: CallNames, context: EncodeContext<Code>): JsonObject {
  const { dialect } = context;
  reportRest(message, CARRIED, context);
  const form = readForm(message, dialect);
  const wire: JsonObject = { role: encodeRole(message, form, context) };
  const callId = encodeCallId(message, form, dialect);
  const content = encodeContent(message, form, { names, callId, context });
  if (content !== undefined) wire["content"] = content;
  if (callId !== undefined) wire["tool_call_id"] = callId;
  return restoreRest(wire, message, context);
}

function encodeRole({ role }: Message, form: JsonObject, context: EncodeContext<Code>): string {
  const unknown = form["role"];
  if (typeof unknown === "string") {
    if (role === "user") return unknown;
    context.report.addLoss("form-stale", ["extra", context.dialect]);
  }
  if (Object.hasOwn(ROLE_WORDS, role)) return ROLE_WORDS[role];
  context.report.addLoss("role-approximated", "role", `It said "${role}".`);
  return ROLE_WORDS.user;
}

/** What the message's own `tool_call_id` says: another call's where it did so before, else the plain form's. */
function encodeCallId(message: Message, form: JsonObject, dialect: string): string | undefined {
  const kept = message.extra?.[dialect]?.["tool_call_id"];
  if (typeof kept === "string") return kept;
  return wasOmitted(form, "tool_call_id") ? undefined : plainCallId(message);
}

function encodeContent(message: Message, form: JsonObject, writing: PartWriting): JsonValue | undefined {
  const { names, context } = writing;
  const bare = bareResultOf(message, form, context.dialect);
  if (bare !== undefined) {
    return inOnlyPart(context, () => {
      reportResult(bare, names, context);
      return writeBareOutput(bare, form, encodeParts("content", bare.content ?? [], writing));
    });
  }
  const parts = encodeParts("parts", message.parts, writing);
  if (parts.length === 0 && wasOmitted(form, "content")) return undefined;
  if (form["content"] === undefined) return parts;
  const [only] = parts;
  const text =
    parts.length === 1 && only?.["kind"] === "TEXT" && Object.keys(only).length === 2 ? only["text"] : undefined;
  if (form["content"] === "string" && text !== undefined) return text;
  context.report.addLoss("form-stale", ["extra", context.dialect]);
  return parts;
}

function inOnlyPart<T>({ pathTracker: trail }: EncodeContext<Code>, step: () => T): T {
  return trail.into("parts", () => trail.into(0, step));
}

function encodeParts(key: string, parts: readonly Part[], writing: PartWriting): JsonObject[] {
  const encoded = writing.context.pathTracker.each(key, parts, (part) => encodePart(part, writing));
  return encoded.filter((part) => part !== undefined);
}

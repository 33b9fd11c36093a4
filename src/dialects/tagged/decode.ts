// Decodes tagged messages; each becomes one canonical message with its parts in order.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { describeKind, readMessageList, readObject, readString } from "../kit/fields/read-wire.ts";
import { storeForm } from "../kit/residue/residue.ts";
import type { TaggedDecodeState } from "./decode-part.ts";
import { decodePart } from "./decode-part.ts";
import { FieldReader } from "./field-reader.ts";
import { parseRole } from "./wire-names.ts";
import { plainCallId, readBareOutput } from "./tool-message.ts";
import { CallNames } from "./tool-parts.ts";

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const names = new CallNames();
  return context.pathTracker.each(key, list, (value) => decodeMessage(readObject(value, context), names, context));
}

function decodeMessage(wire: JsonObject, names: CallNames, context: DecodeContext): Message {
  const wireRole = readString(wire, "role", context);
  const role = parseRole(wireRole);
  const message: Message = { role: role ?? "user", parts: [] };
  if (role === undefined) storeForm(message, context.dialect, "role", wireRole);
  const reader = new FieldReader(wire, context);
  reader.read("role");
  reader.expectField("content");
  const content = reader.read("content");
  const callId = reader.readString("tool_call_id");
  const state: TaggedDecodeState = { names, callId: role === "tool" ? callId : undefined, context };
  message.parts = decodeContent(content, state);
  if (!decodeBareResult(message, content, state) && typeof content === "string") {
    storeForm(message, context.dialect, "content", "string");
  }
  const plainId = plainCallId(message);
  if (plainId !== undefined) reader.expectField("tool_call_id");
  if (plainId !== callId) reader.releaseField("tool_call_id");
  reader.storeRemaining(message);
  return message;
}

function decodeContent(content: JsonValue | undefined, state: TaggedDecodeState): Part[] {
  const { context } = state;
  if (content === undefined) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) {
    return context.fail(
      "wrong-type",
      `Expected a list of parts or a string, found ${describeKind(content)}.`,
      "content",
    );
  }
  return context.pathTracker.each("content", content, (value) => decodePart(readObject(value, context), state));
}

/**
 * Decodes a TOOL message that has a call id and only output as its content, as one result. Returns false for all other
 * messages.
 */
function decodeBareResult(message: Message, content: JsonValue | undefined, state: TaggedDecodeState): boolean {
  const { callId, names, context } = state;
  const bareOutput = callId === undefined ? undefined : readBareOutput(content, message.parts);
  if (callId === undefined || bareOutput === undefined) return false;
  const toolName = names.findName(callId);
  message.parts = [{ type: "tool-result", toolCallId: callId, toolName, isError: false, ...bareOutput.output }];
  if (bareOutput.form !== undefined) storeForm(message, context.dialect, "content", bareOutput.form);
  return true;
}

// From the wire to messages: one message each, its parts in order.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { kindOf, readMessageList, readObject, readString } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import type { PartReading } from "./decode-part.ts";
import { decodePart } from "./decode-part.ts";
import { FieldReader } from "./spelling.ts";
import { readRole } from "./terms.ts";
import { plainCallId, readBareOutput } from "./tool-message.ts";
import { CallNames } from "./tools.ts";

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const names = new CallNames();
  return context.pathTracker.each(key, list, (value) => decodeMessage(readObject(value, context), names, context));
}

function decodeMessage(wire: JsonObject, names: CallNames, context: DecodeContext): Message {
  const word = readString(wire, "role", context);
  const role = readRole(word);
  const message: Message = { role: role ?? "user", parts: [] };
  if (role === undefined) storeForm(message, context.dialect, "role", word);
  const reader = new FieldReader(wire, context);
  reader.value("role");
  reader.expect("content");
  const content = reader.value("content");
  const callId = reader.text("tool_call_id");
  const reading: PartReading = { names, callId: role === "tool" ? callId : undefined, context };
  message.parts = decodeContent(content, reading);
  if (!becomesBareResult(message, content, reading) && typeof content === "string") {
    storeForm(message, context.dialect, "content", "string");
  }
  const said = plainCallId(message);
  if (said !== undefined) reader.expect("tool_call_id");
  if (said !== callId) reader.leave("tool_call_id");
  reader.keepRest(message);
  return message;
}

function decodeContent(content: JsonValue | undefined, reading: PartReading): Part[] {
  const { context } = reading;
  if (content === undefined) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) {
    return context.fail("wrong-type", `Expected a list of parts or a string, found ${kindOf(content)}.`, "content");
  }
  return context.pathTracker.each("content", content, (value) => decodePart(readObject(value, context), reading));
}

/** Where a TOOL message names its call and holds nothing but output, that is its one result. */
function becomesBareResult(message: Message, content: JsonValue | undefined, reading: PartReading): boolean {
  const { callId, names, context } = reading;
  const bare = callId === undefined ? undefined : readBareOutput(content, message.parts);
  if (callId === undefined || bare === undefined) return false;
  const toolName = names.of(callId);
  message.parts = [{ type: "tool-result", toolCallId: callId, toolName, isError: false, ...bare.output }];
  if (bare.form !== undefined) storeForm(message, context.dialect, "content", bare.form);
  return true;
}

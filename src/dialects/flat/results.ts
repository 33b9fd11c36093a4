// Tool messages: one result each, known by `call_id`, else by `id`. A text is its output, a list its content.
import type { JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { readList, readObject } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import type { Calls } from "./calls.ts";
import { openFor, readId, writeId } from "./calls.ts";
import { decodeItem, encodeContent } from "./items.ts";
import type { Kept } from "./kept.ts";
import { keepNothing, keptBy, note, optionalText } from "./kept.ts";
import type { FlatContext } from "./losses.ts";
import { reportRest } from "./rest.ts";
import { FLAT } from "./terms.ts";
import type { FlatText } from "./types.ts";

/** The result in a tool message, and the message's id where that is not the call's. */
export function decodeResult(wire: JsonObject, message: Message, calls: Calls, context: DecodeContext): ToolResultPart {
  const part: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
  const id = optionalText(wire, "id", message, context);
  const callId = readId(wire, "call_id", part, context);
  const name = optionalText(wire, "name", part, context);
  if (callId === undefined && id !== undefined && id !== "") note(part, "id_field", "id");
  else if (id !== undefined) message.id = id;
  part.toolCallId = callId ?? id ?? "";
  const [call] = part.toolCallId === "" ? openFor(calls, name) : [];
  if (call !== undefined) {
    part.toolCallId = call.toolCallId;
    note(part, "synthesized", call.toolCallId);
    calls.open.delete(call);
  }
  const expected = calls.names.get(part.toolCallId) ?? "";
  part.toolName = name ?? expected;
  if (name === expected) note(part, "name_given", true);
  decodeOutput(wire, part, context);
  return part;
}

function decodeOutput(wire: JsonObject, part: ToolResultPart, context: DecodeContext): void {
  const { content } = wire;
  if (typeof content === "string") part.output = content;
  else if (content === undefined || content === null) keepNothing(part, "content", content, "");
  else {
    part.content = context.pathTracker.each("content", readList(content, context, "content"), (item) =>
      decodeItem(readObject(item, context), "content"),
    );
  }
}

/** Whether a result says its tool's name by itself. */
function isNamed(part: ToolResultPart, { names }: Calls): boolean {
  return readForm(part, FLAT)["name_given"] === true || part.toolName !== (names.get(part.toolCallId) ?? "");
}

/** Finds the ids that results have to name: without them a reader would find no call, or another one. */
export function findAnswered(messages: readonly Message[], calls: Calls): void {
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (!("toolCallId" in part) || part.executor === "provider") continue;
    const { toolCallId: id, toolName } = part;
    const isUnsaid = id === "" || readForm(part, FLAT)["synthesized"] === id;
    if (part.type === "tool-call") {
      calls.names.set(id, toolName);
      if (isUnsaid) calls.open.add(part);
      continue;
    }
    const name = isNamed(part, calls) ? toolName : undefined;
    const [call] = isUnsaid ? openFor(calls, name) : [];
    if (call?.toolCallId === id) calls.open.delete(call);
    else if (id !== "") calls.answered.add(id);
    // A result of no call must not find one either.
    else
      for (const each of openFor(calls, name)) {
        calls.answered.add(each.toolCallId);
        calls.open.delete(each);
      }
  }
  calls.names.clear();
}

/** The tool message for a result, without what stands beside the result. */
export function encodeResult(part: ToolResultPart, kept: Kept, calls: Calls, context: FlatContext): JsonObject {
  const { toolCallId, toolName } = part;
  const wire: JsonObject = { role: "tool" };
  encodeOutput(wire, part, kept, context);
  writeId(wire, toolCallId, "call_id", kept, calls);
  kept.take("name_given");
  kept.write(wire, "name", isNamed(part, calls) ? toolName : undefined);
  if (part.isError) context.report.addLoss("error-flag", "isError");
  kept.restore(wire);
  return wire;
}

function encodeOutput(wire: JsonObject, part: ToolResultPart, kept: Kept, context: FlatContext): void {
  const { output, content } = part;
  const text = output === undefined || typeof output === "string" ? output : stringifyJson(output);
  if (text !== output) context.report.addLoss("output-as-text", "output");
  if (content === undefined) {
    if (text === undefined && kept.get("content") === undefined) context.report.addLoss("result-empty", "content");
    kept.write(wire, "content", text, "");
    return;
  }
  const items: JsonObject[] = [];
  if (text !== undefined) {
    context.report.addLoss("output-in-content", "output");
    items.push({ type: "text", text } satisfies FlatText);
  }
  context.pathTracker.each("content", content, (each) => {
    const keptInside = keptBy(each, context);
    const item = encodeContent(each, keptInside, context);
    if (item === undefined) return;
    items.push(item);
    reportRest(each, keptInside, context);
  });
  wire["content"] = items;
}

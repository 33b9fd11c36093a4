// Decodes and encodes tool messages of the flat dialect. Each contains one result, whose call is identified by
// `call_id`, or by `id` if there is no `call_id`. A text becomes the output of the result, a list becomes its content
// parts.
import type { JsonObject } from "../../model/json/index.ts";
import { stringifyJson } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { readList, readObject } from "../kit/fields/read-wire.ts";
import { readForm } from "../kit/residue/residue.ts";
import type { FlatCalls } from "./tool-calls.ts";
import { listUnansweredCalls, readCallId, writeCallId } from "./tool-calls.ts";
import { decodeItem, encodeContentItem } from "./content-items.ts";
import type { FlatResidue } from "./residue.ts";
import { storeEmptyForm, readFlatResidue, storeFlatForm, readOptionalString } from "./residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import { reportFlatFields } from "./report-part.ts";
import { FLAT } from "./field-names.ts";
import type { FlatText } from "./types.ts";

/**
 * Decodes the result in a tool message. The field `id` becomes the id of the message, unless it is used as the call id.
 */
export function decodeResult(
  wire: JsonObject,
  message: Message,
  calls: FlatCalls,
  context: DecodeContext,
): ToolResultPart {
  const part: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
  const id = readOptionalString(wire, "id", message, context);
  const callId = readCallId(wire, "call_id", part, context);
  const name = readOptionalString(wire, "name", part, context);
  if (callId === undefined && id !== undefined && id !== "") storeFlatForm(part, "id_field", "id");
  else if (id !== undefined) message.id = id;
  part.toolCallId = callId ?? id ?? "";
  const [call] = part.toolCallId === "" ? listUnansweredCalls(calls, name) : [];
  if (call !== undefined) {
    part.toolCallId = call.toolCallId;
    storeFlatForm(part, "synthesized", call.toolCallId);
    calls.unidentifiedCalls.delete(call);
  }
  const calledName = calls.toolNames.get(part.toolCallId) ?? "";
  part.toolName = name ?? calledName;
  if (name === calledName) storeFlatForm(part, "name_given", true);
  decodeOutput(wire, part, context);
  return part;
}

function decodeOutput(wire: JsonObject, part: ToolResultPart, context: DecodeContext): void {
  const { content } = wire;
  if (typeof content === "string") part.output = content;
  else if (content === undefined || content === null) storeEmptyForm(part, "content", content, "");
  else {
    part.content = context.pathTracker.each("content", readList(content, context, "content"), (item) =>
      decodeItem(readObject(item, context), "content"),
    );
  }
}

/**
 * True if the tool name must be written on the result: the wire had the name, or it differs from the name in the call.
 */
function hasOwnToolName(part: ToolResultPart, { toolNames }: FlatCalls): boolean {
  return readForm(part, FLAT)["name_given"] === true || part.toolName !== (toolNames.get(part.toolCallId) ?? "");
}

/**
 * Collects in `answeredIds` the ids that must be written on calls, because a decoder would otherwise assign a result to
 * no call or to the wrong call.
 */
export function collectAnsweredIds(messages: readonly Message[], calls: FlatCalls): void {
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (!("toolCallId" in part) || part.executor === "provider") continue;
    const { toolCallId: id, toolName } = part;
    const isOmitted = id === "" || readForm(part, FLAT)["synthesized"] === id;
    if (part.type === "tool-call") {
      calls.toolNames.set(id, toolName);
      if (isOmitted) calls.unidentifiedCalls.add(part);
      continue;
    }
    const name = hasOwnToolName(part, calls) ? toolName : undefined;
    const [call] = isOmitted ? listUnansweredCalls(calls, name) : [];
    if (call?.toolCallId === id) calls.unidentifiedCalls.delete(call);
    else if (id !== "") calls.answeredIds.add(id);
    // The result has an empty id. The ids of all calls that it could belong to are written, so that a decoder assigns
    // it to none of them.
    else
      for (const each of listUnansweredCalls(calls, name)) {
        calls.answeredIds.add(each.toolCallId);
        calls.unidentifiedCalls.delete(each);
      }
  }
  calls.toolNames.clear();
}

/** Encodes a result as a tool message. The caller adds the fields of the canonical message, such as its id. */
export function encodeResult(
  part: ToolResultPart,
  residue: FlatResidue,
  calls: FlatCalls,
  context: FlatEncodeContext,
): JsonObject {
  const { toolCallId, toolName } = part;
  const wire: JsonObject = { role: "tool" };
  encodeOutput(wire, part, residue, context);
  writeCallId(wire, toolCallId, "call_id", residue, calls);
  residue.takeForm("name_given");
  residue.writeField(wire, "name", hasOwnToolName(part, calls) ? toolName : undefined);
  if (part.isError) context.report.addLoss("error-flag-unsupported", "isError");
  residue.restoreUnknownFields(wire);
  return wire;
}

function encodeOutput(wire: JsonObject, part: ToolResultPart, residue: FlatResidue, context: FlatEncodeContext): void {
  const { output, content } = part;
  const text = output === undefined || typeof output === "string" ? output : stringifyJson(output);
  if (text !== output) context.report.addLoss("output-as-text", "output");
  if (content === undefined) {
    if (text === undefined && residue.getForm("content") === undefined)
      context.report.addLoss("result-empty", "content");
    residue.writeField(wire, "content", text, "");
    return;
  }
  const items: JsonObject[] = [];
  if (text !== undefined) {
    context.report.addLoss("output-in-content", "output");
    items.push({ type: "text", text } satisfies FlatText);
  }
  context.pathTracker.each("content", content, (each) => {
    const innerResidue = readFlatResidue(each, context);
    const item = encodeContentItem(each, innerResidue, context);
    if (item === undefined) return;
    items.push(item);
    reportFlatFields(each, innerResidue, context);
  });
  wire["content"] = items;
}

// Decodes AI SDK model messages; each becomes one canonical message.
import { isObject as isRecord } from "../../model/value-kind.ts";
import type { JsonObject } from "../../model/json/index.ts";
import type { Message, Role } from "../../model/message.ts";
import type { OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { decodeFile } from "../ai-sdk/files.ts";
import { decodeProviderOptions, storeMessageOptions } from "../ai-sdk/provider-options.ts";
import { decodeToolOutput } from "../ai-sdk/tool-output.ts";
import { joinReasoningItems, setReasoningText } from "../ai-sdk/reasoning.ts";
import { decodeInput } from "../ai-sdk/tool-calls.ts";
import { ToolCallIds } from "../kit/tools/tool-call-ids.ts";
import {
  copyField,
  describeKind,
  readMessageList,
  readObject,
  readString,
  unknownFields,
} from "../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../kit/residue/residue.ts";
import { isApprovalResponse } from "./encode-part.ts";

const ROLES: ReadonlySet<string> = new Set<Role>(["system", "user", "assistant", "tool"]);

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const calls = new ToolCallIds(context.dialect);
  return context.pathTracker.each(key, list, (value) => decodeMessage(readObject(value, context), calls, context));
}

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["role", "content"]);
const MESSAGE_FIELDS_WITH_OPTIONS: ReadonlySet<string> = new Set([...MESSAGE_FIELDS, "providerOptions"]);

function decodeMessage(wire: JsonObject, calls: ToolCallIds, context: DecodeContext): Message {
  const { dialect } = context;
  const wireRole = readString(wire, "role", context);
  const { content, providerOptions } = wire;
  // The cast is safe, because `ROLES` contains only canonical roles.
  const message: Message = { role: ROLES.has(wireRole) ? (wireRole as Role) : "user", parts: [] };
  if (!ROLES.has(wireRole)) storeForm(message, dialect, "role", wireRole);
  const isString = typeof content === "string";
  let hasOptions: boolean;
  if (isString) {
    // If the content is one text, the options of the message become options of the text part.
    const part: TextPart = { type: "text", text: content };
    message.parts = [part];
    hasOptions = decodeProviderOptions(part, providerOptions);
  } else {
    message.parts = decodeContent(content, message.role, calls, context);
    hasOptions = storeMessageOptions(message, providerOptions, message.parts.at(-1));
  }
  if (isString !== (message.role === "system")) storeForm(message, dialect, "content", isString ? "string" : "list");
  storeResidue(message, dialect, unknownFields(wire, hasOptions ? MESSAGE_FIELDS_WITH_OPTIONS : MESSAGE_FIELDS));
  return message;
}

function decodeContent(content: unknown, role: Role, calls: ToolCallIds, context: DecodeContext): Part[] {
  if (!Array.isArray(content)) {
    const code = content === undefined ? "missing-field" : "wrong-type";
    return context.fail(code, `Expected a text or a list of parts, found ${describeKind(content)}.`, "content");
  }
  const { pathTracker, dialect } = context;
  const parts: Part[] = [];
  pathTracker.enter("content");
  for (let at = 0; at < content.length; at++) {
    pathTracker.enter(at);
    const wire = readObject(content[at], context);
    parts.push(decodePart(wire, role, calls, context) ?? toOpaquePart(wire, role, dialect));
    pathTracker.leave();
  }
  pathTracker.leave();
  return role === "assistant" ? joinReasoningItems(parts) : parts;
}

/**
 * Returns the wire part as an opaque part. A form stores that an approval response was in an assistant message, because
 * the encoder would move it to a tool message.
 */
function toOpaquePart(value: JsonObject, role: Role, dialect: string): OpaquePart {
  const part: OpaquePart = { type: "opaque", dialect, value };
  if (role === "assistant" && isApprovalResponse(value)) storeForm(part, dialect, "place", role);
  return part;
}

/** Decodes a part; undefined if it has no canonical type or if a required field is missing. */
function decodePart(wire: JsonObject, role: Role, calls: ToolCallIds, context: DecodeContext): Part | undefined {
  switch (wire["type"]) {
    case "text":
    case "reasoning":
      return decodeText(wire, wire["type"], context);
    case "image":
    case "file":
      return decodeFile(wire, context);
    case "tool-call":
      return decodeToolCall(wire, calls, context);
    case "tool-result":
      return decodeToolResult(wire, role, calls, context);
    default:
      return undefined;
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text"]);
const TEXT_FIELDS_WITH_OPTIONS: ReadonlySet<string> = new Set([...TEXT_FIELDS, "providerOptions"]);

function decodeText(wire: JsonObject, type: "text" | "reasoning", context: DecodeContext): Part | undefined {
  const { text } = wire;
  if (typeof text !== "string") return undefined;
  const part: TextPart | ReasoningPart = { type, text: "" };
  const hasOptions = decodeProviderOptions(part, wire["providerOptions"]);
  if (part.type === "reasoning") setReasoningText(part, text);
  else part.text = text;
  storeResidue(part, context.dialect, unknownFields(wire, hasOptions ? TEXT_FIELDS_WITH_OPTIONS : TEXT_FIELDS));
  return part;
}

function readCallId(wire: JsonObject): string | undefined {
  const { toolCallId } = wire;
  return typeof toolCallId === "string" ? toolCallId : undefined;
}

function decodeToolCall(wire: JsonObject, calls: ToolCallIds, context: DecodeContext): ToolCallPart | undefined {
  const { dialect } = context;
  const { toolName, toolCallId, providerExecuted } = wire;
  if (typeof toolName !== "string" || (toolCallId !== undefined && typeof toolCallId !== "string")) return undefined;
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName, input: {} };
  const known = new Set(["type", "toolCallId", "toolName"]);
  // Versions of the AI SDK before 5 have the input in `args`.
  const field = wire["input"] === undefined && wire["args"] !== undefined ? "args" : "input";
  decodeInput(part, wire, field, dialect);
  known.add(field);
  if (field === "args") storeForm(part, dialect, "input", field);
  if (providerExecuted === true) {
    part.executor = "provider";
    known.add("providerExecuted");
  }
  calls.add(part, readCallId(wire));
  if (decodeProviderOptions(part, wire["providerOptions"])) known.add("providerOptions");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

function decodeToolResult(
  wire: JsonObject,
  role: Role,
  calls: ToolCallIds,
  context: DecodeContext,
): ToolResultPart | undefined {
  const { dialect } = context;
  const { toolName, toolCallId, output, result } = wire;
  if (typeof toolName !== "string" || typeof toolCallId !== "string") return undefined;
  const part: ToolResultPart = { type: "tool-result", toolCallId, toolName, isError: false };
  const known = new Set(["type", "toolCallId", "toolName", "output"]);
  if (output === undefined && result !== undefined) {
    // Versions of the AI SDK before 5 have the output as a bare value in `result`.
    copyField(wire, "result", part, "output");
    storeForm(part, dialect, "output", "result");
    known.add("result");
    if (typeof wire["isError"] === "boolean") {
      part.isError = wire["isError"];
      storeForm(part, dialect, "isError", true);
      known.add("isError");
    }
  } else if (!isRecord(output) || !decodeToolOutput(part, output, context)) return undefined;
  if (role === "assistant") part.executor = "provider";
  calls.matchResult(part, toolCallId);
  if (part.toolName !== toolName) storeForm(part, dialect, "toolName", toolName);
  if (decodeProviderOptions(part, wire["providerOptions"])) known.add("providerOptions");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

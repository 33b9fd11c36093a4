// From model messages to the model's own: one each, their parts in order.
import { isObject as isRecord } from "../../model/kind.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Message, Role } from "../../model/message.ts";
import type { OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { decodeFile } from "../kit/ai-sdk-files.ts";
import { decodeOptions, keepOptions } from "../kit/ai-sdk-options.ts";
import { decodeOutput } from "../kit/ai-sdk-output.ts";
import { joinPieces, setReasoning } from "../kit/ai-sdk-reasoning.ts";
import { readInput } from "../kit/ai-sdk-tools.ts";
import { CallBook } from "../kit/calls.ts";
import { copyField, kindOf, readMessageList, readObject, readString, unknownFields } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { isApprovalResponse } from "./encode-part.ts";

const ROLES: ReadonlySet<string> = new Set<Role>(["system", "user", "assistant", "tool"]);

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const calls = new CallBook(context.dialect);
  return context.pathTracker.each(key, list, (value) => decodeMessage(readObject(value, context), calls, context));
}

const MESSAGE: ReadonlySet<string> = new Set(["role", "content"]);
const MESSAGE_WITH_OPTIONS: ReadonlySet<string> = new Set([...MESSAGE, "providerOptions"]);

function decodeMessage(wire: JsonObject, calls: CallBook, context: DecodeContext): Message {
  const { dialect } = context;
  const word = readString(wire, "role", context);
  const { content, providerOptions } = wire;
  // The set holds nothing but roles.
  const message: Message = { role: ROLES.has(word) ? (word as Role) : "user", parts: [] };
  if (!ROLES.has(word)) storeForm(message, dialect, "role", word);
  const isString = typeof content === "string";
  let hasOptions: boolean;
  if (isString) {
    // There is one part, and what is said of the message is said of it.
    const part: TextPart = { type: "text", text: content };
    message.parts = [part];
    hasOptions = decodeOptions(part, providerOptions);
  } else {
    message.parts = decodeContent(content, message.role, calls, context);
    hasOptions = keepOptions(message, providerOptions, message.parts.at(-1));
  }
  if (isString !== (message.role === "system")) storeForm(message, dialect, "content", isString ? "string" : "list");
  storeResidue(message, dialect, unknownFields(wire, hasOptions ? MESSAGE_WITH_OPTIONS : MESSAGE));
  return message;
}

function decodeContent(content: unknown, role: Role, calls: CallBook, context: DecodeContext): Part[] {
  if (!Array.isArray(content)) {
    const code = content === undefined ? "missing-field" : "wrong-type";
    return context.fail(code, `Expected a text or a list of parts, found ${kindOf(content)}.`, "content");
  }
  const { pathTracker: trail, dialect } = context;
  const parts: Part[] = [];
  trail.enter("content");
  for (let at = 0; at < content.length; at++) {
    trail.enter(at);
    const wire = readObject(content[at], context);
    parts.push(decodePart(wire, role, calls, context) ?? opaque(wire, role, dialect));
    trail.leave();
  }
  trail.leave();
  return role === "assistant" ? joinPieces(parts) : parts;
}

/** A block as it came. An answer about an approval belongs into a tool message; that it stands elsewhere is noted. */
function opaque(value: JsonObject, role: Role, dialect: string): OpaquePart {
  const part: OpaquePart = { type: "opaque", dialect, value };
  if (role === "assistant" && isApprovalResponse(value)) storeForm(part, dialect, "place", role);
  return part;
}

/** One part; undefined where there is no word for it, or it lacks what makes it one. */
function decodePart(wire: JsonObject, role: Role, calls: CallBook, context: DecodeContext): Part | undefined {
  switch (wire["type"]) {
    case "text":
    case "reasoning":
      return decodeText(wire, wire["type"], context);
    case "image":
    case "file":
      return decodeFile(wire, context);
    case "tool-call":
      return decodeCall(wire, calls, context);
    case "tool-result":
      return decodeResult(wire, role, calls, context);
    default:
      return undefined;
  }
}

const TEXT: ReadonlySet<string> = new Set(["type", "text"]);
const TEXT_WITH_OPTIONS: ReadonlySet<string> = new Set([...TEXT, "providerOptions"]);

function decodeText(wire: JsonObject, type: "text" | "reasoning", context: DecodeContext): Part | undefined {
  const { text } = wire;
  if (typeof text !== "string") return undefined;
  const part: TextPart | ReasoningPart = { type, text: "" };
  const hasOptions = decodeOptions(part, wire["providerOptions"]);
  if (part.type === "reasoning") setReasoning(part, text);
  else part.text = text;
  storeResidue(part, context.dialect, unknownFields(wire, hasOptions ? TEXT_WITH_OPTIONS : TEXT));
  return part;
}

function idOf(wire: JsonObject): string | undefined {
  const { toolCallId } = wire;
  return typeof toolCallId === "string" ? toolCallId : undefined;
}

function decodeCall(wire: JsonObject, calls: CallBook, context: DecodeContext): ToolCallPart | undefined {
  const { dialect } = context;
  const { toolName, toolCallId, providerExecuted } = wire;
  if (typeof toolName !== "string" || (toolCallId !== undefined && typeof toolCallId !== "string")) return undefined;
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName, input: {} };
  const known = new Set(["type", "toolCallId", "toolName"]);
  // Before version 5 of the SDK it was called `args`.
  const field = wire["input"] === undefined && wire["args"] !== undefined ? "args" : "input";
  readInput(part, wire, field, dialect);
  known.add(field);
  if (field === "args") storeForm(part, dialect, "input", field);
  if (providerExecuted === true) {
    part.executor = "provider";
    known.add("providerExecuted");
  }
  calls.add(part, idOf(wire));
  if (decodeOptions(part, wire["providerOptions"])) known.add("providerOptions");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

function decodeResult(
  wire: JsonObject,
  role: Role,
  calls: CallBook,
  context: DecodeContext,
): ToolResultPart | undefined {
  const { dialect } = context;
  const { toolName, toolCallId, output, result } = wire;
  if (typeof toolName !== "string" || typeof toolCallId !== "string") return undefined;
  const part: ToolResultPart = { type: "tool-result", toolCallId, toolName, isError: false };
  const known = new Set(["type", "toolCallId", "toolName", "output"]);
  if (output === undefined && result !== undefined) {
    // Before version 5 of the SDK the value stood there by itself.
    copyField(wire, "result", part, "output");
    storeForm(part, dialect, "output", "result");
    known.add("result");
    if (typeof wire["isError"] === "boolean") {
      part.isError = wire["isError"];
      storeForm(part, dialect, "isError", true);
      known.add("isError");
    }
  } else if (!isRecord(output) || !decodeOutput(part, output, context)) return undefined;
  if (role === "assistant") part.executor = "provider";
  calls.answer(part, toolCallId);
  if (part.toolName !== toolName) storeForm(part, dialect, "toolName", toolName);
  if (decodeOptions(part, wire["providerOptions"])) known.add("providerOptions");
  storeResidue(part, dialect, unknownFields(wire, known));
  return part;
}

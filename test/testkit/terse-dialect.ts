// A correct dialect with another structure, which the suites must accept: one field for instructions, two roles, merged
// turns, a single text as a string, and tool inputs as JSON text.
import { formatArguments, isObject } from "../../src/index.ts";
import { copyField, defineDialect, NOT_PORTABLE_LOSSES, readForm, storeResidue } from "../../src/dialects/kit/index.ts";
import { parseArguments } from "../../src/index.ts";
import { storeForm, readList, readObject, readString, reportNotPortableResidue } from "../../src/dialects/kit/index.ts";
import { reportUnsupportedFields, unknownFields, restoreResidue } from "../../src/dialects/kit/index.ts";
import type { JsonObject, JsonValue, Message, Part, ModelRequest } from "../../src/index.ts";
import type { DecodeContext, EncodeContext } from "../../src/dialects/kit/index.ts";

const LOSSES = {
  ...NOT_PORTABLE_LOSSES,
  "residue-conflict": { action: "dropped", level: "loss", message: "Its place is taken." },
  "field-unsupported": { action: "dropped", level: "loss", message: "There is no field for this." },
  "part-unsupported": { action: "dropped", level: "loss", message: "There is no block for this part." },
  "turns-merged": { action: "moved", level: "note", message: "Neighbours are one turn." },
  "system-joined": { action: "approximated", level: "note", message: "Instructions are one text." },
  "system-moved": { action: "moved", level: "loss", message: "Instructions stand at the beginning only." },
} as const;
type Code = keyof typeof LOSSES;
type Context = EncodeContext<Code>;
type Who = "user" | "bot";

function decodeBlock(value: JsonValue, { dialect }: DecodeContext): Part {
  const verbatim: Part = { type: "opaque", dialect, value };
  if (!isObject(value)) return verbatim;
  const { text, call, args, id, answer } = value;
  let part: Part;
  let known: string[];
  if (typeof text === "string") [part, known] = [{ type: "text", text }, ["text"]];
  else if (typeof call === "string" && typeof args === "string" && typeof id === "string") {
    const { reason: _, ...read } = parseArguments(args);
    [part, known] = [{ type: "tool-call", toolCallId: id, toolName: call, ...read }, ["call", "args", "id"]];
  } else if (typeof answer === "string" && typeof id === "string") {
    part = { type: "tool-result", toolCallId: id, toolName: "", isError: value["failed"] === true, output: answer };
    known = ["answer", "id", part.isError ? "failed" : "answer"];
  } else return verbatim;
  storeResidue(part, dialect, unknownFields(value, new Set(known)));
  return part;
}

const CARRIED: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  "tool-call": ["toolCallId", "toolName", "input", "inputText"],
  // The wire has the tool name only in the call.
  "tool-result": ["toolCallId", "toolName", "output", "isError"],
};

function encodeBlock(part: Part, context: Context): JsonValue[] {
  const { dialect, report } = context;
  if (part.type === "opaque" && part.dialect === dialect) return [part.value as JsonValue];
  const carried = CARRIED[part.type];
  const isProvider = "executor" in part && part.executor === "provider";
  if (carried === undefined || isProvider) {
    report.addLoss("part-unsupported");
    return [];
  }
  reportUnsupportedFields(part, new Set(["type", "extra", ...carried]), context, "field-unsupported");
  reportNotPortableResidue(part, context);
  let wire: JsonObject = {};
  if (part.type === "text") wire = { text: part.text };
  if (part.type === "tool-call") wire = { call: part.toolName, args: formatArguments(part), id: part.toolCallId };
  if (part.type === "tool-result") {
    const { output, isError, toolCallId, toolName } = part;
    if (toolName !== "") report.addLoss("field-unsupported", "toolName");
    const answer = typeof output === "string" ? output : JSON.stringify(output ?? "");
    wire = { answer, id: toolCallId, ...(isError && { failed: true }) };
  }
  restoreResidue(wire, part, context);
  return [wire];
}

function decodeTurn(value: JsonValue, before: string | undefined, context: DecodeContext): Message[] {
  const wire = readObject(value, context);
  const who = readString(wire, "who", context);
  const { content } = wire;
  const isText = typeof content === "string";
  const list = isText ? [{ text: content }] : readList(content, context, "content");
  const parts = context.pathTracker.each("content", list, (block) => decodeBlock(block, context));
  const messages: Message[] = [];
  for (const part of parts) {
    const role = who === "bot" ? "assistant" : part.type === "tool-result" ? "tool" : "user";
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(part);
    else messages.push({ role, parts: [part] });
  }
  const first: Message = messages[0] ?? { role: who === "bot" ? "assistant" : "user", parts: [] };
  if (who !== "bot" && who !== "user") storeForm(first, context.dialect, "who", who);
  // The default form is a list (a string for a single text), and one turn for consecutive messages of one role.
  if (!isText && list.length === 1 && parts[0]?.type === "text") storeForm(first, context.dialect, "content", "list");
  if (before === (who === "bot" ? "bot" : "user")) storeForm(first, context.dialect, "apart", true);
  storeResidue(first, context.dialect, unknownFields(wire, new Set(["who", "content"])));
  return [first, ...messages.slice(1)];
}

interface Turn {
  who: Who;
  blocks: JsonValue[];
  first: Message;
}

function encodeTurns(messages: readonly Message[], from: number, context: Context): JsonObject[] {
  const turns: (Turn & { index: number })[] = [];
  messages.forEach((message, index) => {
    if (index < from) return;
    const { role } = message;
    context.pathTracker.enter(index);
    if (role === "system" || role === "developer") context.report.addLoss("system-moved", "role");
    reportUnsupportedFields(message, new Set(["role", "parts", "extra"]), context, "field-unsupported");
    reportNotPortableResidue(message, context);
    const blocks = context.pathTracker.each("parts", message.parts, (part) => encodeBlock(part, context)).flat();
    const who: Who = role === "assistant" ? "bot" : "user";
    const last = turns.at(-1);
    const isApart = readForm(message, context.dialect)["apart"] === true;
    if (last?.who === who && !isApart) {
      context.report.addLoss("turns-merged", "role");
      last.blocks.push(...blocks);
      if (message.extra?.[context.dialect] !== undefined) {
        context.report.addLoss("field-unsupported", ["extra", context.dialect]);
      }
    } else turns.push({ who, blocks, first: message, index });
    context.pathTracker.leave();
  });
  return turns.map(({ who, blocks, first, index }) => {
    const form = readForm(first, context.dialect);
    const [alone] = blocks;
    const text = isObject(alone) && Object.keys(alone).length === 1 ? alone["text"] : undefined;
    const isAlone = blocks.length === 1 && typeof text === "string" && form["content"] !== "list";
    const content = isAlone ? text : blocks;
    const wire: JsonObject = { who: typeof form["who"] === "string" ? form["who"] : who, content };
    context.pathTracker.into(index, () => restoreResidue(wire, first, context));
    return wire;
  });
}

function decodeRequest(wire: unknown, context: DecodeContext): ModelRequest {
  const fields = readObject(wire, context);
  const { instructions, model } = fields;
  const request: ModelRequest = { messages: [] };
  const known = new Set(["turns"]);
  if (typeof model === "string") copyField(fields, "model", request);
  if (typeof model === "string") known.add("model");
  if (typeof instructions === "string") {
    known.add("instructions");
    request.messages.push({ role: "system", parts: [{ type: "text", text: instructions }] });
  }
  let before: string | undefined;
  const turns = readList(fields["turns"], context, "turns");
  context.pathTracker.each("turns", turns, (turn) => {
    request.messages.push(...decodeTurn(turn, before, context));
    before = isObject(turn) && turn["who"] === "bot" ? "bot" : "user";
  });
  storeResidue(request, context.dialect, unknownFields(fields, known));
  return request;
}

/** Returns the leading messages that consist of one plain text. */
function leading(messages: readonly Message[]): string[] {
  const texts: string[] = [];
  for (const { role, parts } of messages) {
    const [part] = parts;
    if ((role !== "system" && role !== "developer") || parts.length !== 1 || part?.type !== "text") break;
    texts.push(part.text);
  }
  return texts;
}

function encodeRequest(request: ModelRequest, context: Context): { wire: JsonObject } {
  reportUnsupportedFields(request, new Set(["model", "messages", "extra"]), context, "field-unsupported");
  reportNotPortableResidue(request, context);
  const { messages, model } = request;
  const texts = leading(messages);
  const wire: JsonObject = {};
  if (model !== undefined) wire["model"] = model;
  context.pathTracker.into("messages", () => {
    texts.forEach((_, index) => {
      const [message, part] = [messages[index], messages[index]?.parts[0]];
      context.pathTracker.enter(index);
      if (texts.length > 1 || message?.role === "developer") context.report.addLoss("system-joined", "role");
      reportUnsupportedFields(message ?? {}, new Set(["role", "parts"]), context, "field-unsupported");
      context.pathTracker.into("parts", () =>
        context.pathTracker.into(0, () =>
          reportUnsupportedFields(part ?? {}, new Set(["type", "text"]), context, "field-unsupported"),
        ),
      );
      context.pathTracker.leave();
    });
    if (texts.length > 0) wire["instructions"] = texts.join("\n\n");
    wire["turns"] = encodeTurns(messages, texts.length, context);
  });
  restoreResidue(wire, request, context);
  return { wire };
}

export const terseDialect = defineDialect<Code>({
  id: "terse",
  title: "Terse turns",
  losses: LOSSES,
  messages: { decode: () => [], encode: () => [] },
  requests: {
    decode: (wire, context) => decodeRequest(wire, context),
    encode: (request, context) => encodeRequest(request, context),
  },
});

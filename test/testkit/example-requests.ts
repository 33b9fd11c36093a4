// Requests of the example dialect: its own enumerated values for tool choices, the stream flag in the envelope, and
// repairs of blank texts and of ids with spaces.
import { isObject } from "../../src/index.ts";
import {
  copyField,
  storeResidue,
  readList,
  readObject,
  reportNotPortableResidue,
} from "../../src/dialects/kit/index.ts";
import { sameJson } from "../../src/index.ts";
import { reportUnsupportedFields, unknownFields, restoreResidue } from "../../src/dialects/kit/index.ts";
import type { JsonObject, JsonValue, Message, Renames } from "../../src/index.ts";
import type { DecodeContext, EncodeContext } from "../../src/dialects/kit/index.ts";
import type { ModelRequest, Tool, ToolChoice } from "../../src/index.ts";
import { decodeMessage, encodeMessage, MESSAGE_LOSSES } from "./example-message-dialect.ts";

export const EXAMPLE_LOSSES = {
  ...MESSAGE_LOSSES,
  "id-renamed": { action: "repaired", level: "note", message: "Ids have no spaces here." },
  "text-blank": { action: "repaired", level: "note", message: "No text is blank here." },
  "word-approximated": { action: "approximated", level: "loss", message: "There is no such value." },
  "tool-not-portable": { action: "dropped", level: "loss", message: "A tool that only another dialect has." },
} as const;
export type ExampleLoss = keyof typeof EXAMPLE_LOSSES;
export type ExampleContext = EncodeContext<ExampleLoss>;

/** Model values and wire values of the tool choice. */
const CHOICES = [
  ["auto", "may"],
  ["none", "never"],
  ["required", "must"],
] as const;
const SETTINGS = [
  ["heat", "temperature"],
  ["share", "topP"],
  ["limit", "maxOutputTokens"],
] as const;

export const isText = (value: JsonValue): value is string => typeof value === "string";
export const isNumber = (value: JsonValue): value is number => typeof value === "number";
const isFlag = (value: JsonValue): value is boolean => typeof value === "boolean";
const isList = (value: JsonValue): value is JsonValue[] => Array.isArray(value);

/** Reads the fields of a wire object that have the right type; all others become residue. */
export class FieldReader {
  readonly #taken = new Set<string>();
  readonly wire: JsonObject;

  constructor(wire: JsonObject) {
    this.wire = wire;
  }

  take<T extends JsonValue>(key: string, isRight: (value: JsonValue) => value is T): T | undefined {
    const value = Object.hasOwn(this.wire, key) ? this.wire[key] : undefined;
    if (value === undefined || !isRight(value)) return undefined;
    this.#taken.add(key);
    return value;
  }

  /** Copies a field to another object, exact digits included. */
  copy(key: string, isRight: (value: JsonValue) => boolean, target: object, as: string): void {
    const isTaken = this.take(key, (value): value is JsonValue => isRight(value)) !== undefined;
    if (isTaken) copyField(this.wire, key, target, as);
  }

  storeRest(target: { extra?: Record<string, JsonObject> }, dialect: string): void {
    storeResidue(target, dialect, unknownFields(this.wire, this.#taken));
  }
}

function decodeTool(wire: JsonValue, dialect: string): Tool {
  if (!isObject(wire) || typeof wire["name"] !== "string") {
    return { type: "provider", dialect, name: "unknown", value: { tool: wire } };
  }
  const fields = new FieldReader(wire);
  const tool: Tool = { type: "function", name: fields.take("name", isText) ?? "" };
  fields.copy("about", isText, tool, "description");
  fields.copy("schema", isObject, tool, "inputSchema");
  fields.copy("strict", isFlag, tool, "strict");
  fields.storeRest(tool, dialect);
  return tool;
}

const TOOL_FIELDS = new Set(["type", "name", "description", "inputSchema", "strict", "extra"]);

function encodeTool(tool: Tool, context: ExampleContext): JsonValue[] {
  if (tool.type === "provider") {
    if (tool.dialect !== context.dialect) context.report.addLoss("tool-not-portable");
    reportUnsupportedFields(tool, new Set(["type", "dialect", "name", "value"]), context, "field-unsupported");
    return tool.dialect === context.dialect ? [tool.value["tool"] ?? null] : [];
  }
  reportUnsupportedFields(tool, TOOL_FIELDS, context, "field-unsupported");
  reportNotPortableResidue(tool, context);
  const wire: JsonObject = { name: tool.name };
  if (tool.description !== undefined) wire["about"] = tool.description;
  if (tool.inputSchema !== undefined) wire["schema"] = tool.inputSchema as JsonObject;
  if (tool.strict !== undefined) wire["strict"] = tool.strict;
  restoreResidue(wire, tool, context);
  return [wire];
}

function isChoice(value: JsonValue): value is JsonValue {
  if (typeof value === "string") return CHOICES.some(([, theirs]) => theirs === value);
  return isObject(value) && sameJson(Object.keys(value), ["tool"]) && typeof value["tool"] === "string";
}

function decodeChoice(wire: JsonValue): ToolChoice {
  if (isObject(wire)) return { toolName: typeof wire["tool"] === "string" ? wire["tool"] : "" };
  return CHOICES.find(([, theirs]) => theirs === wire)?.[0] ?? "auto";
}

function encodeChoice(choice: ToolChoice, context: ExampleContext): JsonValue | undefined {
  if (typeof choice === "string") return CHOICES.find(([ours]) => ours === choice)?.[1];
  if ("toolName" in choice) return { tool: choice.toolName };
  context.report.addLoss("field-unsupported", "toolChoice");
  return undefined;
}

export function decodeRequest(wire: unknown, context: DecodeContext, stream: boolean | undefined): ModelRequest {
  const fields = new FieldReader(readObject(wire, context));
  const list = readList(fields.take("dialogue", isList) ?? fields.wire["dialogue"], context, "dialogue");
  const messages = context.pathTracker.each("dialogue", list, (each) => decodeMessage(each, context));
  const request: ModelRequest = { messages };
  fields.copy("model", isText, request, "model");
  const tools = fields.take("tools", isList);
  if (tools !== undefined) request.tools = tools.map((each) => decodeTool(each, context.dialect));
  const pick = fields.take("pick", isChoice);
  if (pick !== undefined) request.toolChoice = decodeChoice(pick);
  const effort = fields.take("effort", isText);
  if (effort !== undefined) request.reasoning = { effort };
  fields.copy("notes", isObject, request, "metadata");
  const schema = fields.take("shape", isObject);
  if (schema !== undefined) request.output = { type: "json-schema", schema };
  const sampling = {};
  for (const [theirs, ours] of SETTINGS) fields.copy(theirs, isNumber, sampling, ours);
  if (Object.keys(sampling).length > 0) request.sampling = sampling;
  if (stream !== undefined) request.stream = stream;
  fields.storeRest(request, context.dialect);
  return request;
}

const REQUEST_FIELDS = new Set(
  "model messages tools toolChoice output sampling reasoning metadata stream extra".split(" "),
);

export function encodeRequest(request: ModelRequest, context: ExampleContext): { wire: JsonObject; names?: Renames } {
  const { model, tools, toolChoice, output, sampling, reasoning, metadata } = request;
  const { pathTracker: trail, report } = context;
  reportUnsupportedFields(request, REQUEST_FIELDS, context, "field-unsupported");
  reportNotPortableResidue(request, context);
  const renamed: Record<string, string> = {};
  const dialogue = trail.each("messages", request.messages, (each) => encodeTurn(each, renamed, context));
  const wire: JsonObject = { dialogue };
  if (model !== undefined) wire["model"] = model;
  if (tools !== undefined) wire["tools"] = trail.each("tools", tools, (each) => encodeTool(each, context)).flat();
  const pick = toolChoice === undefined ? undefined : encodeChoice(toolChoice, context);
  if (pick !== undefined) wire["pick"] = pick;
  if (reasoning !== undefined) {
    trail.into("reasoning", () =>
      reportUnsupportedFields(reasoning, new Set(["effort"]), context, "field-unsupported"),
    );
    if (reasoning.effort !== undefined) wire["effort"] = reasoning.effort;
  }
  if (metadata !== undefined) wire["notes"] = metadata as JsonObject;
  if (output?.type === "json-schema") {
    trail.into("output", () =>
      reportUnsupportedFields(output, new Set(["type", "schema"]), context, "field-unsupported"),
    );
    wire["shape"] = output.schema as JsonObject;
  } else if (output !== undefined) report.addLoss("field-unsupported", "output");
  if (sampling !== undefined) {
    const carried = new Set<string>(SETTINGS.map(([, ours]) => ours));
    trail.into("sampling", () => reportUnsupportedFields(sampling, carried, context, "field-unsupported"));
    for (const [theirs, ours] of SETTINGS) if (ours in sampling) copyField(sampling, ours, wire, theirs);
  }
  restoreResidue(wire, request, context);
  return Object.keys(renamed).length === 0 ? { wire } : { wire, names: { toolCallIds: renamed } };
}

/** Encodes a message, with repairs if enabled; `renamed` collects the ids that changed. */
export function encodeTurn(message: Message, renamed: Record<string, string>, context: ExampleContext): JsonObject {
  if (!context.repair) return encodeMessage(message, context);
  const parts = context.pathTracker.each("parts", message.parts, (part) => {
    if (part.type === "text" && /^\s+$/.test(part.text)) {
      context.report.addLoss("text-blank");
      return { ...part, text: "(blank)" };
    }
    if ((part.type !== "tool-call" && part.type !== "tool-result") || !part.toolCallId.includes(" ")) return part;
    context.report.addLoss("id-renamed", "toolCallId");
    const toolCallId = part.toolCallId.replaceAll(" ", "_");
    renamed[toolCallId] = part.toolCallId;
    return { ...part, toolCallId };
  });
  return encodeMessage({ ...message, parts }, context);
}

// The tools of a request, and which of them the model may or must use.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import type { FunctionTool, ProviderTool, SchemaObject, Tool, ToolChoice } from "../../model/request.ts";
import type { DecodeContext } from "../dialect.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { isObject, readObject } from "../kit/read.ts";
import { storeForm, reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { strictFaults } from "../kit/strict.ts";
import { readCache, writeCache } from "./cache.ts";
import { CUSTOM } from "./calls.ts";
import type { ChatNamedTool, ChatToolChoice } from "./types.ts";
import type { Writing } from "./writing.ts";
import { spelling } from "./writing.ts";

/** The tools in a field of the request: `tools`, or the `functions` of old. */
export function decodeTools(list: readonly JsonValue[], field: "tools" | "functions", context: DecodeContext): Tool[] {
  return context.pathTracker.each(field, list, (value) => {
    const wire = readObject(value, context);
    const tool = field === "tools" ? decodeTool(wire, context) : decodeFunction(wire, [], context);
    if (tool !== undefined && field === "functions") storeForm(tool, context.dialect, "in", field);
    return tool ?? decodeOther(wire, field, context);
  });
}

function decodeTool(wire: JsonObject, context: DecodeContext): FunctionTool | undefined {
  const { type } = wire;
  if (type !== "function" && type !== CUSTOM) return undefined;
  const data = wire[type];
  const tool = isObject(data) ? decodeFunction(data, [type], context) : undefined;
  if (tool === undefined) return undefined;
  const known = ["type", type];
  for (const key in wire) if (readCache(tool, wire, key, context)) known.push(key);
  keepOthers(tool, wire, known, context);
  return tool;
}

/** A tool that only its vendor knows; one without a name, too. */
function decodeOther(value: JsonObject, field: string, { dialect }: DecodeContext): ProviderTool {
  const { type, name } = value;
  const word = typeof type === "string" ? type : typeof name === "string" ? name : "";
  const tool: ProviderTool = { type: "provider", dialect, name: word, value };
  if (field === "functions") storeForm(tool, dialect, "in", field);
  return tool;
}

function decodeFunction(data: JsonObject, inner: string[], context: DecodeContext): FunctionTool | undefined {
  const { name, description, parameters, strict, format } = data;
  if (typeof name !== "string") return undefined;
  const tool: FunctionTool = { type: "function", name };
  const known = ["name"];
  if (typeof description === "string") {
    tool.description = description;
    known.push("description");
  }
  if (inner[0] === CUSTOM) {
    tool.format = "text";
    if (isObject(format) && readFormat(format, tool, context)) known.push("format");
  } else {
    if (isObject(parameters)) {
      tool.inputSchema = parameters;
      known.push("parameters");
    }
    if (typeof strict === "boolean") {
      tool.strict = strict;
      known.push("strict");
    }
  }
  keepOthers(tool, data, known, context, ...inner);
  return tool;
}

/** A grammar; free text is what a custom tool takes anyhow. */
function readFormat(format: JsonObject, tool: FunctionTool, context: DecodeContext): boolean {
  const { type, grammar } = format;
  const size = Object.keys(format).length;
  if (type === "text" && size === 1) storeForm(tool, context.dialect, "format", "text");
  else if (type === "grammar" && size === 2 && isObject(grammar)) tool.grammar = grammar;
  else return false;
  return true;
}

/** Writes the tools into their fields; the fields that have some. */
export function encodeTools(tools: readonly Tool[], wire: JsonObject, writing: Writing): void {
  const { context } = writing;
  const lists: Record<string, JsonObject[]> = {};
  context.pathTracker.each("tools", tools, (tool) => {
    const isFunction = spelling(tool, "in", writing) === "functions";
    const written = tool.type === "provider" ? encodeOther(tool, writing) : encodeTool(tool, isFunction, writing);
    if (written !== undefined) (lists[isFunction ? "functions" : "tools"] ??= []).push(written);
  });
  for (const field in lists) wire[field] = lists[field] ?? [];
}

function encodeOther(tool: ProviderTool, { context, dialect }: Writing): JsonObject | undefined {
  if (tool.dialect !== dialect) {
    context.report.addLoss("tool-foreign");
    return undefined;
  }
  if (tool.cache !== undefined) context.report.addLoss("bookkeeping", "cache");
  reportNotPortableResidue(tool, context);
  return tool.value;
}

const CARRIED: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "inputSchema",
  "strict",
  "format",
  "grammar",
  "cache",
  "extra",
]);

function encodeTool(tool: FunctionTool, isBare: boolean, writing: Writing): JsonObject {
  const { context, names } = writing;
  const type = tool.format === "text" && !isBare ? CUSTOM : "function";
  const data: JsonObject = { name: names.toolName(tool.name, "name") };
  if (tool.description !== undefined) data["description"] = tool.description;
  if (type === CUSTOM) writeGrammar(tool, data, writing);
  else {
    if (tool.format !== undefined)
      context.report.addLoss(tool.format === "json" ? "tool-default" : "field-unsaid", "format");
    if (tool.grammar !== undefined) context.report.addLoss("field-unsaid", "grammar");
    if (tool.inputSchema !== undefined) data["parameters"] = tool.inputSchema as JsonObject; // JSON by contract.
    if (tool.strict !== undefined) writeStrict(data, tool.strict, tool.inputSchema, "strict", writing);
  }
  const wire: JsonObject = isBare ? data : { type, [type]: data };
  reportUnsupportedFields(tool, CARRIED, context, "field-unsaid");
  if (tool.cache !== undefined) writeCache(wire, tool, writing);
  if (tool.extra !== undefined) {
    reportNotPortableResidue(tool, context);
    restoreResidue(wire, tool, context, type);
  }
  return wire;
}

function writeGrammar(tool: FunctionTool, data: JsonObject, writing: Writing): void {
  const { context } = writing;
  if (tool.strict !== undefined) context.report.addLoss("field-unsaid", "strict");
  if (tool.inputSchema !== undefined) context.report.addLoss("field-unsaid", "inputSchema");
  const { grammar } = tool;
  if (grammar === undefined) {
    if (spelling(tool, "format", writing) === "text") data["format"] = { type: "text" };
    return;
  }
  // JSON by contract.
  data["format"] = { type: "grammar", grammar: grammar as JsonObject };
}

/** Claims strict only where the schema is such that the target takes it (B53). */
export function writeStrict(
  data: JsonObject,
  strict: boolean,
  schema: SchemaObject | undefined,
  field: string | readonly string[],
  { context }: Writing,
): void {
  const [fault] = strict && context.repair ? strictFaults(schema) : [];
  if (fault === undefined) data["strict"] = strict;
  else context.report.addLoss("strict-unmet", field, `At "${fault.path}": ${fault.fault}`);
}

/** The choice that a wire value stands for; undefined where the model has no word for it. */
export function decodeChoice(wire: JsonValue, tools: readonly Tool[] | undefined): ToolChoice | undefined {
  const choice = readChoice(wire);
  // What would not come back as it was is residue.
  const isSame =
    choice !== undefined &&
    sameJson(
      choiceOf(choice, tools ?? [], (name) => name),
      wire,
    );
  return isSame ? choice : undefined;
}

function readChoice(wire: JsonValue): ToolChoice | undefined {
  if (wire === "auto" || wire === "none" || wire === "required") return wire;
  const toolName = namedTool(wire);
  if (toolName !== undefined) return { toolName };
  const allowed = isObject(wire) ? wire["allowed_tools"] : undefined;
  if (!isObject(allowed) || !Array.isArray(allowed["tools"])) return undefined;
  const { mode } = allowed;
  const toolNames = allowed["tools"].map(namedTool).filter((name) => name !== undefined);
  return mode === "auto" || mode === "required" ? { toolNames, mode } : undefined;
}

function namedTool(wire: JsonValue): string | undefined {
  if (!isObject(wire)) return undefined;
  const data = wire["type"] === CUSTOM ? wire[CUSTOM] : wire["function"];
  return isObject(data) && typeof data["name"] === "string" ? data["name"] : undefined;
}

/** A choice on the wire; a tool is named as what it is. */
export function choiceOf(
  choice: ToolChoice,
  tools: readonly Tool[],
  nameOf: (name: string, at?: number) => string,
): ChatToolChoice {
  if (typeof choice === "string") return choice;
  const named = (name: string, at?: number): ChatNamedTool => {
    const isCustom = tools.some((tool) => tool.type === "function" && tool.name === name && tool.format === "text");
    return isCustom
      ? { type: CUSTOM, custom: { name: nameOf(name, at) } }
      : { type: "function", function: { name: nameOf(name, at) } };
  };
  if ("toolName" in choice) return named(choice.toolName);
  const { mode, toolNames } = choice;
  return { type: "allowed_tools", allowed_tools: { mode, tools: toolNames.map(named) } };
}

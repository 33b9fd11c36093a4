// Decodes and encodes the tools of a request and the tool choice.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import type { FunctionTool, ProviderTool, SchemaObject, Tool, ToolChoice } from "../../../model/request.ts";
import type { DecodeContext } from "../../dialect.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { isObject, readObject } from "../../kit/fields/read-wire.ts";
import { FUNCTION_TOOL_FIELDS } from "../../kit/fields/supported-fields.ts";
import { storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { findStrictFaults } from "../../kit/schemas/strict-schema.ts";
import { decodeCacheBreakpoint, encodeCacheBreakpoint } from "../messages/cache-breakpoints.ts";
import { CUSTOM_TYPE } from "../messages/tool-calls.ts";
import type { ChatNamedTool, ChatToolChoice } from "../types.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { readFormValue } from "../encode-state.ts";

/** Decodes the tools of `tools`, or of the deprecated `functions`. */
export function decodeTools(list: readonly JsonValue[], field: "tools" | "functions", context: DecodeContext): Tool[] {
  return context.pathTracker.each(field, list, (value) => {
    const wire = readObject(value, context);
    const tool = field === "tools" ? decodeTool(wire, context) : decodeFunction(wire, [], context);
    if (tool !== undefined && field === "functions") storeForm(tool, context.dialect, "in", field);
    return tool ?? decodeProviderTool(wire, field, context);
  });
}

function decodeTool(wire: JsonObject, context: DecodeContext): FunctionTool | undefined {
  const { type } = wire;
  if (type !== "function" && type !== CUSTOM_TYPE) return undefined;
  const data = wire[type];
  const tool = isObject(data) ? decodeFunction(data, [type], context) : undefined;
  if (tool === undefined) return undefined;
  const known = ["type", type];
  for (const key in wire) if (decodeCacheBreakpoint(tool, wire, key, context)) known.push(key);
  storeUnknownFields(tool, wire, known, context);
  return tool;
}

/** Decodes a tool that is neither a function nor a custom tool, or that has no name. */
function decodeProviderTool(value: JsonObject, field: string, { dialect }: DecodeContext): ProviderTool {
  const { type, name } = value;
  const toolName = typeof type === "string" ? type : typeof name === "string" ? name : "";
  const tool: ProviderTool = { type: "provider", dialect, name: toolName, value };
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
  if (inner[0] === CUSTOM_TYPE) {
    tool.format = "text";
    if (isObject(format) && decodeFormat(format, tool, context)) known.push("format");
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
  storeUnknownFields(tool, data, known, context, ...inner);
  return tool;
}

/**
 * Decodes the format of a custom tool: a grammar, or free text, which is the default. Returns false if the format
 * becomes residue.
 */
function decodeFormat(format: JsonObject, tool: FunctionTool, context: DecodeContext): boolean {
  const { type, grammar } = format;
  const size = Object.keys(format).length;
  if (type === "text" && size === 1) storeForm(tool, context.dialect, "format", "text");
  else if (type === "grammar" && size === 2 && isObject(grammar)) tool.grammar = grammar;
  else return false;
  return true;
}

/** Encodes the tools into `tools` and `functions`. */
export function encodeTools(tools: readonly Tool[], wire: JsonObject, state: ChatEncodeState): void {
  const { context } = state;
  const lists: Record<string, JsonObject[]> = {};
  context.pathTracker.each("tools", tools, (tool) => {
    const isFunction = readFormValue(tool, "in", state) === "functions";
    const encoded = tool.type === "provider" ? encodeProviderTool(tool, state) : encodeTool(tool, isFunction, state);
    if (encoded !== undefined) (lists[isFunction ? "functions" : "tools"] ??= []).push(encoded);
  });
  for (const field in lists) wire[field] = lists[field] ?? [];
}

function encodeProviderTool(tool: ProviderTool, { context, dialect }: ChatEncodeState): JsonObject | undefined {
  if (tool.dialect !== dialect) {
    context.report.addLoss("tool-not-portable");
    return undefined;
  }
  if (tool.cache !== undefined) context.report.addLoss("metadata-dropped", "cache");
  reportNotPortableResidue(tool, context);
  return tool.value;
}

const SUPPORTED: ReadonlySet<string> = new Set([...FUNCTION_TOOL_FIELDS, "grammar"]);

function encodeTool(tool: FunctionTool, isFunctionsEntry: boolean, state: ChatEncodeState): JsonObject {
  const { context, names } = state;
  const type = tool.format === "text" && !isFunctionsEntry ? CUSTOM_TYPE : "function";
  const data: JsonObject = { name: names.encodeToolName(tool.name, "name") };
  if (tool.description !== undefined) data["description"] = tool.description;
  if (type === CUSTOM_TYPE) writeGrammar(tool, data, state);
  else {
    if (tool.format !== undefined)
      context.report.addLoss(tool.format === "json" ? "tool-default-omitted" : "field-unsupported", "format");
    if (tool.grammar !== undefined) context.report.addLoss("field-unsupported", "grammar");
    // The cast is safe, because a canonical schema is JSON.
    if (tool.inputSchema !== undefined) data["parameters"] = tool.inputSchema as JsonObject;
    if (tool.strict !== undefined) writeStrict(data, tool.strict, tool.inputSchema, "strict", state);
  }
  const wire: JsonObject = isFunctionsEntry ? data : { type, [type]: data };
  reportUnsupportedFields(tool, SUPPORTED, context, "field-unsupported");
  if (tool.cache !== undefined) encodeCacheBreakpoint(wire, tool, state);
  if (tool.extra !== undefined) {
    reportNotPortableResidue(tool, context);
    restoreResidue(wire, tool, context, type);
  }
  return wire;
}

function writeGrammar(tool: FunctionTool, data: JsonObject, state: ChatEncodeState): void {
  const { context } = state;
  if (tool.strict !== undefined) context.report.addLoss("field-unsupported", "strict");
  if (tool.inputSchema !== undefined) context.report.addLoss("field-unsupported", "inputSchema");
  const { grammar } = tool;
  if (grammar === undefined) {
    if (readFormValue(tool, "format", state) === "text") data["format"] = { type: "text" };
    return;
  }
  // The cast is safe, because a canonical grammar is JSON.
  data["format"] = { type: "grammar", grammar: grammar as JsonObject };
}

/**
 * Writes `strict`, unless the target would reject the schema as strict. `strict: true` is then dropped with a loss
 * (B53).
 */
export function writeStrict(
  data: JsonObject,
  strict: boolean,
  schema: SchemaObject | undefined,
  field: string | readonly string[],
  { context }: ChatEncodeState,
): void {
  const [fault] = strict && context.repair ? findStrictFaults(schema) : [];
  if (fault === undefined) data["strict"] = strict;
  else context.report.addLoss("strict-disabled", field, `At "${fault.path}": ${fault.fault}`);
}

/** Returns the decoded tool choice; undefined if the canonical model cannot express it exactly. */
export function decodeChoice(wire: JsonValue, tools: readonly Tool[] | undefined): ToolChoice | undefined {
  const choice = parseChoice(wire);
  // A tool choice that would not be encoded to the same value becomes residue.
  const isSame =
    choice !== undefined &&
    sameJson(
      encodeChoice(choice, tools ?? [], (name) => name),
      wire,
    );
  return isSame ? choice : undefined;
}

function parseChoice(wire: JsonValue): ToolChoice | undefined {
  if (wire === "auto" || wire === "none" || wire === "required") return wire;
  const toolName = readToolName(wire);
  if (toolName !== undefined) return { toolName };
  const allowed = isObject(wire) ? wire["allowed_tools"] : undefined;
  if (!isObject(allowed) || !Array.isArray(allowed["tools"])) return undefined;
  const { mode } = allowed;
  const toolNames = allowed["tools"].map(readToolName).filter((name) => name !== undefined);
  return mode === "auto" || mode === "required" ? { toolNames, mode } : undefined;
}

function readToolName(wire: JsonValue): string | undefined {
  if (!isObject(wire)) return undefined;
  const data = wire["type"] === CUSTOM_TYPE ? wire[CUSTOM_TYPE] : wire["function"];
  return isObject(data) && typeof data["name"] === "string" ? data["name"] : undefined;
}

/** Encodes a tool choice. Each named tool is written with its type, function or custom. */
export function encodeChoice(
  choice: ToolChoice,
  tools: readonly Tool[],
  toWireName: (name: string, index?: number) => string,
): ChatToolChoice {
  if (typeof choice === "string") return choice;
  const toNamedTool = (name: string, index?: number): ChatNamedTool => {
    const isCustom = tools.some((tool) => tool.type === "function" && tool.name === name && tool.format === "text");
    return isCustom
      ? { type: CUSTOM_TYPE, custom: { name: toWireName(name, index) } }
      : { type: "function", function: { name: toWireName(name, index) } };
  };
  if ("toolName" in choice) return toNamedTool(choice.toolName);
  const { mode, toolNames } = choice;
  return { type: "allowed_tools", allowed_tools: { mode, tools: toolNames.map(toNamedTool) } };
}

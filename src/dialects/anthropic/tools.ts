// Definitions of tools and the choice among them, both ways.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { FunctionTool, ProviderTool, Request, Tool, ToolChoice } from "../../model/request.ts";
import { copyField, isObject, readObject, restOf } from "../kit/read.ts";
import { formOf, keepFields, keepForm, reportForeignResidue, reportUncarried, restoreResidue } from "../kit/residue.ts";
import type { DecodeContext } from "../dialect.ts";
import { keepField, keepRest, readCache } from "./fields.ts";
import type { Code } from "./losses.ts";
import { closedSchema } from "./schema.ts";
import { CHOICE } from "./terms.ts";
import type { Writing } from "./writing.ts";
import { countCache, writeCache } from "./writing.ts";

export function decodeTools(tools: readonly JsonValue[], context: DecodeContext): Tool[] {
  return context.trail.each("tools", tools, (value) => {
    const tool = readObject(value, context);
    const { type, name } = tool;
    const isCustom = (type === undefined || type === null || type === "custom") && typeof name === "string";
    return isCustom ? decodeFunction(tool, name, context) : decodeProviderTool(tool, context);
  });
}

function decodeFunction(wire: JsonObject, name: string, context: DecodeContext): FunctionTool {
  const { type, description, input_schema: schema, strict } = wire;
  const tool: FunctionTool = { type: "function", name };
  const taken = ["name"];
  if (typeof description === "string") {
    tool.description = description;
    taken.push("description");
  }
  if (isObject(schema)) {
    tool.inputSchema = schema;
    taken.push("input_schema");
  } else keepForm(tool, context.dialect, "input_schema", "none");
  if (typeof strict === "boolean") {
    tool.strict = strict;
    taken.push("strict");
  }
  if (type === "custom") {
    keepForm(tool, context.dialect, "type", type);
    taken.push("type");
  }
  return keepRest(tool, wire, context, ...taken);
}

/** A tool that only this provider has; its breakpoint is the model's own word. */
function decodeProviderTool(wire: JsonObject, { dialect }: DecodeContext): ProviderTool {
  const { name, type, cache_control: control } = wire;
  const named = typeof name === "string" ? name : typeof type === "string" ? type : "";
  const tool: ProviderTool = { type: "provider", dialect, name: named, value: wire };
  const cache = readCache(control);
  if (cache === undefined) return tool;
  tool.cache = cache;
  tool.value = copyObject(wire);
  delete tool.value["cache_control"];
  return tool;
}

const FUNCTION: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "inputSchema",
  "strict",
  "format",
  "cache",
  "extra",
]);
const PROVIDER: ReadonlySet<string> = new Set(["type", "dialect", "name", "value", "cache", "extra"]);

export function encodeTools(tools: readonly Tool[], writing: Writing): JsonObject[] {
  const encoded = writing.context.trail.each("tools", tools, (tool) =>
    tool.type === "function" ? encodeFunction(tool, writing) : encodeProviderTool(tool, writing),
  );
  return encoded.filter((tool) => tool !== undefined);
}

/** What free text is put into where arguments must be an object. */
const FREE_FORM = { type: "object", properties: { value: { type: "string" } }, required: ["value"] };

function encodeFunction(tool: FunctionTool, writing: Writing): JsonObject {
  const { context, names } = writing;
  const form = formOf(tool, context.dialect);
  const wire: JsonObject = {};
  if (form["type"] === "custom") wire["type"] = "custom";
  wire["name"] = names === undefined ? tool.name : names.toolName(tool.name, "name");
  if (tool.description !== undefined) wire["description"] = tool.description;
  if (tool.inputSchema !== undefined || form["input_schema"] !== "none") {
    // A schema is a JSON object that a caller may have made read-only.
    wire["input_schema"] = encodeSchema(tool, writing) as JsonObject;
  }
  if (tool.strict !== undefined) writeStrict(tool, wire, writing);
  if (tool.format !== undefined)
    context.report.lose(tool.format === "json" ? "tool-default" : "field-unsaid", "format");
  writeCache(wire, tool, writing);
  countCache(tool.extra?.[context.dialect]?.["cache_control"], writing);
  restoreResidue(wire, tool, context);
  reportForeignResidue<Code>(tool, context);
  reportUncarried(tool, FUNCTION, context, "field-unsaid");
  return wire;
}

/** A promise that the schema must allow (B53). */
function writeStrict({ strict, inputSchema }: FunctionTool, wire: JsonObject, { context }: Writing): void {
  const isMet =
    !context.repair || strict !== true || inputSchema === undefined || closedSchema(inputSchema) === inputSchema;
  if (isMet) wire["strict"] = strict ?? false;
  else context.report.lose("strict-unmet", "strict");
}

/** Input is an object, and its schema must say so. */
function encodeSchema({ inputSchema, format }: FunctionTool, { context }: Writing): FunctionTool["inputSchema"] {
  if (inputSchema === undefined) {
    context.report.lose("schema-made", "inputSchema");
    return format === "text" ? FREE_FORM : { type: "object" };
  }
  if (inputSchema["type"] !== undefined || !context.repair) return inputSchema;
  context.report.lose("schema-changed", "inputSchema", 'It has no type; "object" was added.');
  return Object.assign(copyObject(inputSchema), { type: "object" });
}

function encodeProviderTool(tool: ProviderTool, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const { value, cache, extra } = tool;
  if (tool.dialect !== context.dialect) {
    context.report.lose("tool-foreign");
    return undefined;
  }
  if (extra !== undefined) context.report.lose("field-unsaid", "extra");
  reportUncarried(tool, PROVIDER, context, "field-unsaid");
  countCache(value["cache_control"], writing);
  if (cache === undefined) return value;
  const wire = copyObject(value);
  writeCache(wire, tool, writing);
  return wire;
}

const PARALLEL = "disable_parallel_tool_use";
const CHOICE_FIELDS: ReadonlySet<string> = new Set(["type", "name", PARALLEL]);
const NONE_FIELDS: ReadonlySet<string> = new Set(["type"]);

/** Reads the choice; one of a type that nobody knows stays as it is. */
export function decodeChoice(wire: JsonObject, request: Request, { dialect }: DecodeContext): void {
  const choice = wire["tool_choice"];
  const type = isObject(choice) ? choice["type"] : undefined;
  const known = isObject(choice) ? readChoice(choice) : undefined;
  if (!isObject(choice) || known === undefined) {
    keepField(request, wire, "tool_choice", dialect);
    return;
  }
  request.toolChoice = known;
  const isParallel = type !== "none" && typeof choice[PARALLEL] === "boolean";
  if (isParallel) request.parallelToolCalls = !choice[PARALLEL];
  const rest = restOf(choice, type === "none" ? NONE_FIELDS : CHOICE_FIELDS);
  keepFields(request, dialect, rest, "tool_choice");
  if (type !== "none" && !isParallel) keepField(request, choice, PARALLEL, dialect, "tool_choice");
  if (type !== "none" && type !== "tool") keepField(request, choice, "name", dialect, "tool_choice");
}

function readChoice({ type, name }: JsonObject): ToolChoice | undefined {
  if (type === "tool") return typeof name === "string" ? { toolName: name } : undefined;
  return typeof type === "string" ? CHOICE.ours(type) : undefined;
}

/** Writes the choice; the trail stands at the request. */
export function encodeChoice(request: Request, wire: JsonObject, writing: Writing): void {
  const { toolChoice, parallelToolCalls } = request;
  const { context } = writing;
  if (toolChoice === undefined && parallelToolCalls === undefined) return;
  const choice = writeChoice(toolChoice, writing);
  if (parallelToolCalls !== undefined) {
    if (choice["type"] === "none") context.report.lose("field-unsaid", "parallelToolCalls");
    else choice[PARALLEL] = !parallelToolCalls;
  }
  const hasTools = Array.isArray(wire["tools"]) && wire["tools"].length > 0;
  if (hasTools || !context.repair) {
    wire["tool_choice"] = choice;
    return;
  }
  for (const field of ["toolChoice", "parallelToolCalls"] as const) {
    if (request[field] !== undefined) context.report.lose("tools-empty", field);
  }
}

function writeChoice(choice: ToolChoice | undefined, { context, names }: Writing): JsonObject {
  const named = (name: string, ...path: (string | number)[]): JsonObject => {
    return { type: "tool", name: names === undefined ? name : names.toolName(name, ["toolChoice", ...path]) };
  };
  if (typeof choice !== "object") return { type: CHOICE.theirs(choice ?? "auto") ?? "auto" };
  if ("toolName" in choice) return named(choice.toolName, "toolName");
  const { toolNames, mode } = choice;
  const [only] = toolNames;
  if (mode === "required" && only !== undefined && toolNames.length === 1) return named(only, "toolNames", 0);
  context.report.lose("choice-approximated", "toolChoice");
  return { type: mode === "required" ? "any" : "auto" };
}

/** A forced choice cannot be said while the model thinks (B55). */
export function freeChoice(wire: JsonObject, { context }: Writing): void {
  const choice = wire["tool_choice"];
  if (!isObject(choice) || (choice["type"] !== "any" && choice["type"] !== "tool")) return;
  context.report.lose("choice-unfit", "toolChoice");
  const free: JsonObject = { type: "auto" };
  if (choice[PARALLEL] !== undefined) copyField(choice, PARALLEL, free);
  wire["tool_choice"] = free;
}

// The tools of a request, and which of them the model is to choose. Tools that only OpenAI knows stay as they are.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { FunctionTool, ProviderTool, SchemaObject, Tool, ToolChoice } from "../../model/request.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { FieldTable } from "../kit/fields.ts";
import { keepOthers, noteAbsent } from "../kit/openai-reading.ts";
import { copyField, isObject, readObject, unknownFields } from "../kit/read.ts";
import { reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import type { NameBook } from "../kit/names.ts";
import { strictFaults } from "../kit/strict.ts";
import type { Code } from "./losses.ts";
import { wasAbsent } from "./writing.ts";

export function decodeTools(list: readonly JsonValue[], context: DecodeContext): Tool[] {
  return context.pathTracker.each("tools", list, (value) => decodeTool(readObject(value, context), context));
}

function decodeTool(wire: JsonObject, context: DecodeContext): Tool {
  const { type, name } = wire;
  if (typeof name === "string") {
    if (type === "function") return decodeFunction(wire, name, context);
    if (type === "custom") return decodeCustom(wire, name, context);
  }
  return { type: "provider", dialect: context.dialect, name: typeof type === "string" ? type : "", value: wire };
}

const WORDS = new FieldTable<"description" | "strict">([
  ["description", "description", "string"],
  ["strict", "strict", "boolean"],
]);
const DESCRIPTION = new FieldTable<"description">([["description", "description", "string"]]);

function decodeFunction(wire: JsonObject, name: string, context: DecodeContext): FunctionTool {
  const tool: FunctionTool = { type: "function", name };
  const known = ["type", "name", ...Object.keys(wire).filter((key) => WORDS.decode(wire, key, tool))];
  const { parameters, output_schema: output } = wire;
  if (isObject(parameters)) tool.inputSchema = parameters;
  // Plainly, a tool without parameters says so.
  if (parameters === null || isObject(parameters)) known.push("parameters");
  if (isObject(output)) {
    tool.outputSchema = output;
    known.push("output_schema");
  }
  noteAbsent(tool, wire, ["parameters", "strict"], context);
  keepOthers(tool, wire, known, context);
  return tool;
}

function decodeCustom(wire: JsonObject, name: string, context: DecodeContext): FunctionTool {
  const tool: FunctionTool = { type: "function", name, format: "text" };
  const known = ["type", "name", ...Object.keys(wire).filter((key) => DESCRIPTION.decode(wire, key, tool))];
  const { format } = wire;
  if (isObject(format) && format["type"] === "grammar") {
    tool.grammar = unknownFields(format, TYPE) ?? {};
    known.push("format");
  }
  keepOthers(tool, wire, known, context);
  return tool;
}

const TYPE: ReadonlySet<string> = new Set(["type"]);

/** What went out as tools; the trail stands at the request. */
export function encodeTools(tools: readonly Tool[], names: NameBook, context: EncodeContext<Code>): JsonObject[] {
  const list = context.pathTracker.each("tools", tools, (tool) => {
    const wire = tool.type === "provider" ? encodeProvider(tool, context) : encodeFunction(tool, names, context);
    if (wire === undefined) context.report.addLoss("provider-tool");
    else reportNotPortableResidue(tool, context);
    return wire;
  });
  return list.filter((wire) => wire !== undefined);
}

const PROVIDER: ReadonlySet<string> = new Set(["type", "dialect", "name", "value", "extra"]);

function encodeProvider(tool: ProviderTool, context: EncodeContext<Code>): JsonObject | undefined {
  if (tool.dialect !== context.dialect) return undefined;
  reportUnsupportedFields(tool, PROVIDER, context, "bookkeeping");
  return tool.value;
}

const COMMON = ["type", "name", "description", "extra", "format"];
const FUNCTION: ReadonlySet<string> = new Set([...COMMON, "inputSchema", "outputSchema", "strict"]);
const CUSTOM: ReadonlySet<string> = new Set([...COMMON, "grammar"]);
const UNCARRIED = { cache: "bookkeeping" } as const;

function encodeFunction(tool: FunctionTool, names: NameBook, context: EncodeContext<Code>): JsonObject {
  const isCustom = tool.format === "text";
  reportUnsupportedFields(tool, isCustom ? CUSTOM : FUNCTION, context, "field-unsaid", UNCARRIED);
  const wire: JsonObject = { type: isCustom ? "custom" : "function", name: names.toolName(tool.name, "name") };
  if (tool.description !== undefined) wire["description"] = tool.description;
  // Schemas are JSON that their callers may have written down `as const`.
  if (isCustom) {
    if (tool.grammar !== undefined) wire["format"] = encodeGrammar(tool.grammar);
  } else {
    if (tool.format !== undefined) context.report.addLoss("tool-default", "format");
    writeSchemas(wire, tool, context);
  }
  restoreResidue(wire, tool, context);
  return wire;
}

function encodeGrammar(grammar: SchemaObject): JsonObject {
  const format: JsonObject = { type: "grammar" };
  for (const key of Object.keys(grammar)) copyField(grammar, key, format);
  return format;
}

function writeSchemas(wire: JsonObject, tool: FunctionTool, context: EncodeContext<Code>): void {
  const { inputSchema, outputSchema, strict } = tool;
  const kept = tool.extra?.[context.dialect] ?? {};
  if (inputSchema !== undefined) wire["parameters"] = inputSchema as JsonObject;
  else if (!wasAbsent(tool, "parameters", context) && kept["parameters"] === undefined) wire["parameters"] = null;
  if (outputSchema !== undefined) wire["output_schema"] = outputSchema as JsonObject;
  if (strict !== undefined) wire["strict"] = strict && isMet(inputSchema, "strict", context);
  else if (!wasAbsent(tool, "strict", context) && kept["strict"] === undefined) {
    // Functions are strict here unless they say otherwise.
    context.report.addLoss("field-filled", "strict");
    wire["strict"] = false;
  }
}

/** Whether strict can be claimed of a schema (B53). */
export function isMet(
  schema: FunctionTool["inputSchema"],
  field: string,
  { repair, report }: EncodeContext<Code>,
): boolean {
  if (!repair || strictFaults(schema).length === 0) return true;
  report.addLoss("strict-unmet", field);
  return false;
}

/** The choice; undefined where it is one that only OpenAI knows. */
export function decodeChoice(wire: JsonValue, tools: readonly Tool[]): ToolChoice | undefined {
  if (wire === "auto" || wire === "none" || wire === "required") return wire;
  const names = isObject(wire) ? namesOf(wire, tools) : undefined;
  if (!isObject(wire) || names === undefined) return undefined;
  const [toolName] = names;
  if (wire["type"] !== "allowed_tools") return toolName === undefined ? undefined : { toolName };
  const { mode } = wire;
  return mode === "auto" || mode === "required" ? { toolNames: names, mode } : undefined;
}

/** The tools that a choice names, if it says nothing else about them. */
function namesOf(choice: JsonObject, tools: readonly Tool[]): string[] | undefined {
  const isSeveral = choice["type"] === "allowed_tools";
  const list = isSeveral ? choice["tools"] : [choice];
  if (!Array.isArray(list) || (isSeveral && Object.keys(choice).length !== 3)) return undefined;
  const names: string[] = [];
  for (const each of list) {
    if (!isObject(each) || typeof each["name"] !== "string" || Object.keys(each).length !== 2) return undefined;
    if (each["type"] !== typeOf(each["name"], tools)) return undefined;
    names.push(each["name"]);
  }
  return names;
}

/** What a choice calls a tool of that name. */
function typeOf(name: string, tools: readonly Tool[]): "custom" | "function" {
  const isCustom = tools.some((tool) => tool.type === "function" && tool.name === name && tool.format === "text");
  return isCustom ? "custom" : "function";
}

export function encodeChoice(choice: ToolChoice, tools: readonly Tool[], names: NameBook): JsonValue {
  if (typeof choice === "string") return choice;
  const named = (name: string, ...path: (string | number)[]): JsonObject => {
    return { type: typeOf(name, tools), name: names.toolName(name, ["toolChoice", ...path]) };
  };
  if ("toolName" in choice) return named(choice.toolName, "toolName");
  const allowed = choice.toolNames.map((name, at) => named(name, "toolNames", at));
  return { type: "allowed_tools", mode: choice.mode, tools: allowed };
}

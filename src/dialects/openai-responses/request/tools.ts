// Decodes and encodes the tools of a request and the tool choice. OpenAI's own tools are not changed.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { FunctionTool, ProviderTool, SchemaObject, Tool, ToolChoice } from "../../../model/request.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { storeUnknownFields, storeAbsentFields } from "../../openai/unknown-fields.ts";
import { copyField, isObject, readObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import type { RenameTable } from "../../kit/tools/tool-renames.ts";
import { findStrictFaults } from "../../kit/schemas/strict-schema.ts";
import type { ResponsesLossCode } from "../losses.ts";
import { wasOmitted } from "../encode-state.ts";

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

const TOOL_FIELDS = new FieldTable<"description" | "strict">([
  ["description", "description", "string"],
  ["strict", "strict", "boolean"],
]);
const DESCRIPTION = new FieldTable<"description">([["description", "description", "string"]]);

function decodeFunction(wire: JsonObject, name: string, context: DecodeContext): FunctionTool {
  const tool: FunctionTool = { type: "function", name };
  const known = ["type", "name", ...Object.keys(wire).filter((key) => TOOL_FIELDS.decode(wire, key, tool))];
  const { parameters, output_schema: output } = wire;
  if (isObject(parameters)) tool.inputSchema = parameters;
  // By default a tool without parameters is encoded with `parameters: null`, so null is not stored as residue.
  if (parameters === null || isObject(parameters)) known.push("parameters");
  if (isObject(output)) {
    tool.outputSchema = output;
    known.push("output_schema");
  }
  storeAbsentFields(tool, wire, ["parameters", "strict"], context);
  storeUnknownFields(tool, wire, known, context);
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
  storeUnknownFields(tool, wire, known, context);
  return tool;
}

const TYPE: ReadonlySet<string> = new Set(["type"]);

/** Encodes the tools that the target supports and reports the others. The path tracker must be at the request. */
export function encodeTools(
  tools: readonly Tool[],
  names: RenameTable,
  context: EncodeContext<ResponsesLossCode>,
): JsonObject[] {
  const list = context.pathTracker.each("tools", tools, (tool) => {
    const wire = tool.type === "provider" ? encodeProvider(tool, context) : encodeFunction(tool, names, context);
    if (wire === undefined) context.report.addLoss("provider-tool-unsupported");
    else reportNotPortableResidue(tool, context);
    return wire;
  });
  return list.filter((wire) => wire !== undefined);
}

const PROVIDER: ReadonlySet<string> = new Set(["type", "dialect", "name", "value", "extra"]);

function encodeProvider(tool: ProviderTool, context: EncodeContext<ResponsesLossCode>): JsonObject | undefined {
  if (tool.dialect !== context.dialect) return undefined;
  reportUnsupportedFields(tool, PROVIDER, context, "metadata-dropped");
  return tool.value;
}

const COMMON = ["type", "name", "description", "extra", "format"];
const FUNCTION: ReadonlySet<string> = new Set([...COMMON, "inputSchema", "outputSchema", "strict"]);
const CUSTOM: ReadonlySet<string> = new Set([...COMMON, "grammar"]);
const METADATA_LOSSES = { cache: "metadata-dropped" } as const;

function encodeFunction(tool: FunctionTool, names: RenameTable, context: EncodeContext<ResponsesLossCode>): JsonObject {
  const isCustom = tool.format === "text";
  reportUnsupportedFields(tool, isCustom ? CUSTOM : FUNCTION, context, "field-unsupported", METADATA_LOSSES);
  const wire: JsonObject = { type: isCustom ? "custom" : "function", name: names.encodeToolName(tool.name, "name") };
  if (tool.description !== undefined) wire["description"] = tool.description;
  if (isCustom) {
    if (tool.grammar !== undefined) wire["format"] = encodeGrammar(tool.grammar);
  } else {
    if (tool.format !== undefined) context.report.addLoss("tool-default-omitted", "format");
    encodeSchemas(wire, tool, context);
  }
  restoreResidue(wire, tool, context);
  return wire;
}

function encodeGrammar(grammar: SchemaObject): JsonObject {
  const format: JsonObject = { type: "grammar" };
  for (const key of Object.keys(grammar)) copyField(grammar, key, format);
  return format;
}

function encodeSchemas(wire: JsonObject, tool: FunctionTool, context: EncodeContext<ResponsesLossCode>): void {
  const { inputSchema, outputSchema, strict } = tool;
  // The casts are safe, because canonical schemas are JSON; only their types can be readonly.
  if (inputSchema !== undefined) wire["parameters"] = inputSchema as JsonObject;
  else if (!wasOmitted(tool, "parameters", context)) wire["parameters"] = null;
  if (outputSchema !== undefined) wire["output_schema"] = outputSchema as JsonObject;
  if (strict !== undefined) wire["strict"] = strict && canBeStrict(inputSchema, "strict", context);
  else if (!wasOmitted(tool, "strict", context)) {
    // Functions are strict by default in Responses, but not in the canonical model.
    context.report.addLoss("field-synthesized", "strict");
    wire["strict"] = false;
  }
}

/** True if the target accepts a schema as strict. Otherwise returns false and reports a loss (B53). */
export function canBeStrict(
  schema: FunctionTool["inputSchema"],
  field: string,
  { repair, report }: EncodeContext<ResponsesLossCode>,
): boolean {
  if (!repair || findStrictFaults(schema).length === 0) return true;
  report.addLoss("strict-disabled", field);
  return false;
}

/** Returns the decoded tool choice; undefined if the canonical model cannot express it. */
export function decodeChoice(wire: JsonValue, tools: readonly Tool[]): ToolChoice | undefined {
  if (wire === "auto" || wire === "none" || wire === "required") return wire;
  const names = isObject(wire) ? readNames(wire, tools) : undefined;
  if (!isObject(wire) || names === undefined) return undefined;
  const [toolName] = names;
  if (wire["type"] !== "allowed_tools") return toolName === undefined ? undefined : { toolName };
  const { mode } = wire;
  return mode === "auto" || mode === "required" ? { toolNames: names, mode } : undefined;
}

/**
 * Returns the names of the chosen or allowed tools; undefined if an entry has further fields or another type than its
 * tool.
 */
function readNames(choice: JsonObject, tools: readonly Tool[]): string[] | undefined {
  const isSeveral = choice["type"] === "allowed_tools";
  const list = isSeveral ? choice["tools"] : [choice];
  if (!Array.isArray(list) || (isSeveral && Object.keys(choice).length !== 3)) return undefined;
  const names: string[] = [];
  for (const each of list) {
    if (!isObject(each) || typeof each["name"] !== "string" || Object.keys(each).length !== 2) return undefined;
    if (each["type"] !== findChoiceType(each["name"], tools)) return undefined;
    names.push(each["name"]);
  }
  return names;
}

/** Returns the type with which a tool choice names a tool. */
function findChoiceType(name: string, tools: readonly Tool[]): "custom" | "function" {
  const isCustom = tools.some((tool) => tool.type === "function" && tool.name === name && tool.format === "text");
  return isCustom ? "custom" : "function";
}

export function encodeChoice(choice: ToolChoice, tools: readonly Tool[], names: RenameTable): JsonValue {
  if (typeof choice === "string") return choice;
  const named = (name: string, ...path: (string | number)[]): JsonObject => {
    return { type: findChoiceType(name, tools), name: names.encodeToolName(name, ["toolChoice", ...path]) };
  };
  if ("toolName" in choice) return named(choice.toolName, "toolName");
  const allowed = choice.toolNames.map((name, at) => named(name, "toolNames", at));
  return { type: "allowed_tools", mode: choice.mode, tools: allowed };
}

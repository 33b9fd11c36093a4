// Decodes and encodes tools: function declarations, which are grouped, and Google's own tools, which stay verbatim.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import type { FunctionTool, Tool } from "../../../model/request.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";
import { copyField, isObject, readObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { FREE_FORM_SCHEMA } from "../../kit/tools/text-tools.ts";
import type { GeminiLossCode } from "../losses.ts";
import { storeUnknownFields } from "../content/decode-state.ts";
import { decodeSchema, encodeSchema, PARAMETERS_SCHEMA, RESPONSE_SCHEMA } from "../schema/schema-fields.ts";
import type { FieldSpelling } from "../content/snake-case-fields.ts";
import { storeSpelling, normalizeFieldNames, restoreSpelling } from "../content/snake-case-fields.ts";
import type { GeminiEncodeState } from "../content/encode-state.ts";

const DECLARATIONS = "functionDeclarations";
const DECLARATION_KEYS: ReadonlySet<string> = new Set([DECLARATIONS, "function_declarations"]);

export function decodeTools(wireTools: readonly JsonValue[], context: DecodeContext): Tool[] {
  const { pathTracker, dialect } = context;
  const tools: Tool[] = [];
  pathTracker.each("tools", wireTools, (value) => {
    const wire = readObject(value, context);
    const keys = Object.keys(wire);
    const key = keys.find((name) => DECLARATION_KEYS.has(name)) ?? "";
    const functions = decodeDeclarations(wire[key], context) ?? [];
    const providerFields = functions.length === 0 ? wire : unknownFields(wire, new Set([key]));
    const [name = ""] = Object.keys(providerFields ?? {});
    const providerTools: Tool[] =
      providerFields === undefined ? [] : [{ type: "provider", dialect, name, value: providerFields }];
    const isAfterFunctions = tools.at(-1)?.type === "function";
    const [leading, trailing] = key === keys[0] ? [functions, providerTools] : [providerTools, functions];
    tools.push(...leading, ...trailing);
    // By default, the encoder adds a function to the entry of the function before it, and writes any other tool as an
    // entry of its own. The form `group` stores deviations: "same" for a tool in the entry of the tool before it, and
    // "own" for a function that begins a new entry.
    if (leading[0] !== undefined && trailing[0] !== undefined) storeForm(trailing[0], dialect, "group", "same");
    if (leading[0]?.type === "function" && isAfterFunctions) storeForm(leading[0], dialect, "group", "own");
    if (functions[0] !== undefined && key !== DECLARATIONS) storeForm(functions[0], dialect, "key", key);
  });
  return tools;
}

/** Decodes the function declarations of one entry; returns undefined if there are none or if a function has no name. */
function decodeDeclarations(wireTools: JsonValue | undefined, context: DecodeContext): FunctionTool[] | undefined {
  if (!Array.isArray(wireTools) || wireTools.length === 0) return undefined;
  const tools: FunctionTool[] = [];
  for (const each of wireTools) {
    if (!isObject(each) || typeof each["name"] !== "string") return undefined;
    tools.push(decodeDeclaration(each, each["name"], context.dialect));
  }
  return tools;
}

function decodeDeclaration(declaration: JsonObject, name: string, dialect: string): FunctionTool {
  const spelling: FieldSpelling = {};
  const wire = normalizeFieldNames(declaration, spelling);
  const tool: FunctionTool = { type: "function", name };
  const decodedKeys = ["name"];
  if (typeof wire["description"] === "string") {
    tool.description = wire["description"];
    decodedKeys.push("description");
  }
  const input = decodeSchema(wire, PARAMETERS_SCHEMA, tool, decodedKeys, dialect);
  if (input !== undefined) tool.inputSchema = input;
  const output = decodeSchema(wire, RESPONSE_SCHEMA, tool, decodedKeys, dialect);
  if (output !== undefined) tool.outputSchema = output;
  storeUnknownFields(tool, wire, decodedKeys, dialect);
  storeSpelling(tool, dialect, spelling);
  return tool;
}

/** True if at least one wire tool declares functions. */
export function declaresFunctions(tools: readonly JsonObject[]): boolean {
  return tools.some((group) => Object.keys(group).some((key) => DECLARATION_KEYS.has(key)));
}

/** Encodes the list of tools. The path tracker must be at the object with the list. */
export function encodeTools(tools: readonly Tool[], { context, renameTable }: GeminiEncodeState): JsonObject[] {
  const { dialect, report } = context;
  const wireTools: JsonObject[] = [];
  let group: JsonObject | undefined;
  let functions: JsonObject[] | undefined;
  context.pathTracker.each("tools", tools, (tool) => {
    const form = readForm(tool, dialect);
    if (tool.type === "function") {
      const declaration = encodeDeclaration(tool, renameTable.encodeToolName(tool.name, "name"), context);
      const key = typeof form["key"] === "string" && DECLARATION_KEYS.has(form["key"]) ? form["key"] : DECLARATIONS;
      if (functions !== undefined && form["group"] === undefined) functions.push(declaration);
      else {
        functions = [declaration];
        if (form["group"] === "same" && group !== undefined && !Object.hasOwn(group, key)) group[key] = functions;
        else wireTools.push((group = { [key]: functions }));
      }
    } else if (tool.dialect !== dialect) report.addLoss("opaque-not-portable");
    else {
      functions = undefined;
      reportUnsupportedFields(tool, PROVIDER_TOOL_FIELDS, context, "field-unsupported", METADATA_LOSSES);
      reportNotPortableResidue(tool, context);
      // The decoder uses the first field of the value as the name of the tool, so a different name is lost.
      if (tool.name !== (Object.keys(tool.value)[0] ?? "")) report.addLoss("metadata-dropped", "name");
      if (form["group"] === "same" && group !== undefined) {
        for (const key of Object.keys(tool.value)) copyField(tool.value, key, group);
      }
      // The value is copied, because later tools may be added to the group and the tool's own value must not change.
      else wireTools.push((group = copyObject(tool.value)));
    }
  });
  return wireTools;
}

const METADATA_LOSSES = { cache: "metadata-dropped" } as const;
const PROVIDER_TOOL_FIELDS: ReadonlySet<string> = new Set(["type", "dialect", "name", "value", "extra"]);
const FUNCTION_TOOL_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "inputSchema",
  "outputSchema",
  "extra",
]);

function encodeDeclaration(tool: FunctionTool, name: string, context: EncodeContext<GeminiLossCode>): JsonObject {
  const { description, inputSchema, outputSchema } = tool;
  const wire: JsonObject = { name };
  if (description !== undefined) wire["description"] = description;
  const isFreeForm = inputSchema === undefined && tool.format === "text";
  if (isFreeForm) context.report.addLoss("schema-synthesized", "inputSchema");
  const input = isFreeForm ? FREE_FORM_SCHEMA : inputSchema;
  if (input !== undefined) encodeSchema(input, "inputSchema", PARAMETERS_SCHEMA, tool, wire, context);
  if (outputSchema !== undefined) encodeSchema(outputSchema, "outputSchema", RESPONSE_SCHEMA, tool, wire, context);
  const format = tool.format === "json" ? "tool-default-omitted" : "field-unsupported";
  reportUnsupportedFields(tool, FUNCTION_TOOL_FIELDS, context, "field-unsupported", { ...METADATA_LOSSES, format });
  if (tool.extra === undefined) return wire;
  reportNotPortableResidue(tool, context);
  restoreResidue(wire, tool, context);
  return restoreSpelling(wire, tool, context);
}

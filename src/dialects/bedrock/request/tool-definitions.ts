// Decodes and encodes tool definitions.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { FunctionTool, Tool } from "../../../model/request.ts";
import { encodeInputSchema, PROVIDER_TOOL_FIELDS } from "../../blocks/tool-blocks.ts";
import type { DecodeContext } from "../../dialect.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { isObject, readObject } from "../../kit/fields/read-wire.ts";
import { FUNCTION_TOOL_FIELDS } from "../../kit/fields/supported-fields.ts";
import { readForm, restoreResidue, storeForm } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { toObjectSchema, allowsObjectType } from "../../kit/schemas/object-schema.ts";
import { readCachePoint, storeRest } from "../content/cache-point.ts";
import type { BedrockEncodeState } from "../content/encode-state.ts";
import { countCachePoint, encodeCachePoint } from "../content/encode-state.ts";
import type { BedrockLoss } from "../losses.ts";

/**
 * Decodes the field `tools`. A cache point becomes `cache` of the tool before it. The path tracker is at the object
 * with `tools`.
 */
export function decodeTools(list: readonly JsonValue[], context: DecodeContext): Tool[] {
  const tools: Tool[] = [];
  context.pathTracker.each("tools", list, (value) => {
    const wire = readObject(value, context);
    const last = tools[tools.length - 1];
    const cache = last !== undefined && last.cache === undefined ? readCachePoint(wire) : undefined;
    if (last !== undefined && cache !== undefined) last.cache = cache;
    else tools.push(decodeTool(wire, context));
  });
  return tools;
}

/** Fields of a function tool that have the same name in the model and on the wire. */
const SAME_NAME_FIELDS = new FieldTable<"description" | "strict">([
  ["description", "description", "string"],
  ["strict", "strict", "boolean"],
]);

function decodeTool(wire: JsonObject, { dialect }: DecodeContext): Tool {
  const { toolSpec, systemTool } = wire;
  if (!isObject(toolSpec) || typeof toolSpec["name"] !== "string") {
    const systemName = isObject(systemTool) ? systemTool["name"] : undefined;
    const name = typeof systemName === "string" ? systemName : (Object.keys(wire)[0] ?? "");
    return { type: "provider", dialect, name, value: wire };
  }
  const { name, inputSchema } = toolSpec;
  const tool: FunctionTool = { type: "function", name };
  const decoded = ["name"];
  for (const key in toolSpec) if (SAME_NAME_FIELDS.decode(toolSpec, key, tool)) decoded.push(key);
  const schema = isObject(inputSchema) ? inputSchema["json"] : undefined;
  if (isObject(inputSchema) && isObject(schema)) {
    tool.inputSchema = schema;
    decoded.push("inputSchema");
    storeRest(tool, inputSchema, dialect, ["toolSpec", "inputSchema"], "json");
  } else storeForm(tool, dialect, "inputSchema", "none");
  storeRest(tool, toolSpec, dialect, ["toolSpec"], ...decoded);
  return storeRest(tool, wire, dialect, [], "toolSpec");
}

export function encodeTools(tools: readonly Tool[], state: BedrockEncodeState): JsonObject[] {
  const { context } = state;
  const list: JsonObject[] = [];
  context.pathTracker.each("tools", tools, (tool) => {
    if (tool.type === "function") list.push(encodeFunctionTool(tool, state));
    else if (tool.dialect === context.dialect) {
      if (tool.extra !== undefined) context.report.addLoss("field-unsupported", "extra");
      reportUnsupportedFields(tool, PROVIDER_TOOL_FIELDS, context, "field-unsupported");
      countCachePoint(tool.value, state);
      list.push(tool.value);
    } else return context.report.addLoss("tool-not-portable");
    const cachePoint = encodeCachePoint(tool, "system", state);
    if (cachePoint !== undefined) list.push(cachePoint);
  });
  return list;
}

function encodeFunctionTool(tool: FunctionTool, state: BedrockEncodeState): JsonObject {
  const { context, names } = state;
  const { description, strict, format } = tool;
  const spec: JsonObject = { name: names === undefined ? tool.name : names.encodeToolName(tool.name, "name") };
  if (description !== undefined) spec["description"] = description;
  if (tool.inputSchema !== undefined || readForm(tool, context.dialect)["inputSchema"] !== "none") {
    // The cast is safe: the caller's schema may be read-only, but it is not modified.
    spec["inputSchema"] = { json: encodeInputSchema(tool, context, allowsObjectType, toObjectSchema) as JsonObject };
  }
  if (strict !== undefined) spec["strict"] = strict;
  if (format !== undefined)
    context.report.addLoss(format === "json" ? "tool-default-omitted" : "field-unsupported", "format");
  const wire: JsonObject = { toolSpec: spec };
  restoreResidue(wire, tool, context, "toolSpec", "inputSchema");
  reportNotPortableResidue<BedrockLoss>(tool, context);
  reportUnsupportedFields(tool, FUNCTION_TOOL_FIELDS, context, "field-unsupported");
  return wire;
}

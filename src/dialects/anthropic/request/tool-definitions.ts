// Decodes and encodes tool definitions.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import type { FunctionTool, ProviderTool, Tool } from "../../../model/request.ts";
import { encodeInputSchema, PROVIDER_TOOL_FIELDS } from "../../blocks/tool-blocks.ts";
import type { DecodeContext } from "../../dialect.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { isObject, readObject } from "../../kit/fields/read-wire.ts";
import { FUNCTION_TOOL_FIELDS } from "../../kit/fields/supported-fields.ts";
import { readForm, restoreResidue, storeForm } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { closeSchema } from "../../kit/schemas/closed-schema.ts";
import { isPlainObjectSchema, toPlainObjectSchema } from "../../kit/schemas/object-schema.ts";
import { readCacheControl, storeRest } from "../content/cache-control.ts";
import type { AnthropicEncodeState } from "../content/encode-state.ts";
import { countCacheControl, writeCacheControl } from "../content/encode-state.ts";
import type { AnthropicLoss } from "../losses.ts";

export function decodeTools(tools: readonly JsonValue[], context: DecodeContext): Tool[] {
  return context.pathTracker.each("tools", tools, (value) => {
    const tool = readObject(value, context);
    const { type, name } = tool;
    const isCustom = (type === undefined || type === null || type === "custom") && typeof name === "string";
    return isCustom ? decodeCustomTool(tool, name, context) : decodeProviderTool(tool, context);
  });
}

/** Tool fields that have the same name in the canonical model and on the wire. */
const SAME_NAME_FIELDS = new FieldTable<"description" | "strict">([
  ["description", "description", "string"],
  ["strict", "strict", "boolean"],
]);

function decodeCustomTool(wire: JsonObject, name: string, context: DecodeContext): FunctionTool {
  const { type, input_schema: schema } = wire;
  const tool: FunctionTool = { type: "function", name };
  const decoded = ["name"];
  for (const key in wire) if (SAME_NAME_FIELDS.decode(wire, key, tool)) decoded.push(key);
  if (isObject(schema)) {
    tool.inputSchema = schema;
    decoded.push("input_schema");
  } else storeForm(tool, context.dialect, "input_schema", "none");
  if (type === "custom") {
    storeForm(tool, context.dialect, "type", type);
    decoded.push("type");
  }
  return storeRest(tool, wire, context, ...decoded);
}

/** Decodes a tool that only Anthropic offers. Its cache breakpoint becomes `cache`. */
function decodeProviderTool(wire: JsonObject, { dialect }: DecodeContext): ProviderTool {
  const { name: wireName, type, cache_control: cacheControl } = wire;
  const name = typeof wireName === "string" ? wireName : typeof type === "string" ? type : "";
  const tool: ProviderTool = { type: "provider", dialect, name, value: wire };
  const cache = readCacheControl(cacheControl);
  if (cache === undefined) return tool;
  tool.cache = cache;
  tool.value = copyObject(wire);
  delete tool.value["cache_control"];
  return tool;
}

export function encodeTools(tools: readonly Tool[], state: AnthropicEncodeState): JsonObject[] {
  const encoded = state.context.pathTracker.each("tools", tools, (tool) =>
    tool.type === "function" ? encodeFunctionTool(tool, state) : encodeProviderTool(tool, state),
  );
  return encoded.filter((tool) => tool !== undefined);
}

function encodeFunctionTool(tool: FunctionTool, state: AnthropicEncodeState): JsonObject {
  const { context, names } = state;
  const form = readForm(tool, context.dialect);
  const wire: JsonObject = {};
  if (form["type"] === "custom") wire["type"] = "custom";
  wire["name"] = names === undefined ? tool.name : names.encodeToolName(tool.name, "name");
  if (tool.description !== undefined) wire["description"] = tool.description;
  if (tool.inputSchema !== undefined || form["input_schema"] !== "none") {
    // The cast is safe although the caller's schema may be read-only, because the schema is not modified.
    wire["input_schema"] = encodeInputSchema(tool, context, isPlainObjectSchema, toPlainObjectSchema) as JsonObject;
  }
  if (tool.strict !== undefined) writeStrict(tool, wire, state);
  if (tool.format !== undefined)
    context.report.addLoss(tool.format === "json" ? "tool-default-omitted" : "field-unsupported", "format");
  writeCacheControl(wire, tool, state);
  countCacheControl(tool.extra?.[context.dialect]?.["cache_control"], state);
  restoreResidue(wire, tool, context);
  reportNotPortableResidue<AnthropicLoss>(tool, context);
  reportUnsupportedFields(tool, FUNCTION_TOOL_FIELDS, context, "field-unsupported");
  return wire;
}

/** Writes `strict`. Drops and reports `strict: true` if Anthropic would reject it with this schema (B53). */
function writeStrict({ strict }: FunctionTool, wire: JsonObject, { context }: AnthropicEncodeState): void {
  const { input_schema: schema } = wire;
  const isAccepted = !context.repair || strict !== true || !isObject(schema) || closeSchema(schema) === schema;
  if (isAccepted) wire["strict"] = strict ?? false;
  else context.report.addLoss("strict-disabled", "strict");
}

function encodeProviderTool(tool: ProviderTool, state: AnthropicEncodeState): JsonObject | undefined {
  const { context } = state;
  const { value, cache, extra } = tool;
  if (tool.dialect !== context.dialect) {
    context.report.addLoss("tool-not-portable");
    return undefined;
  }
  if (extra !== undefined) context.report.addLoss("field-unsupported", "extra");
  reportUnsupportedFields(tool, PROVIDER_TOOL_FIELDS, context, "field-unsupported");
  countCacheControl(value["cache_control"], state);
  if (cache === undefined) return value;
  const wire = copyObject(value);
  writeCacheControl(wire, tool, state);
  return wire;
}

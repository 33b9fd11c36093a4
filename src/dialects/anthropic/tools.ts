// Definitions of tools, both ways.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { FunctionTool, ProviderTool, Tool } from "../../model/request.ts";
import { closedSchema } from "../kit/closed-schema.ts";
import { FieldTable } from "../kit/fields.ts";
import { isPlainObject, plainObjectSchema } from "../kit/object-schema.ts";
import { isObject, readObject } from "../kit/read.ts";
import {
  readForm,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import type { DecodeContext } from "../dialect.ts";
import { FREE_FORM } from "../kit/text-tools.ts";
import { keepRest, readCache } from "./fields.ts";
import type { Code } from "./losses.ts";
import type { Writing } from "./writing.ts";
import { countCache, writeCache } from "./writing.ts";

export function decodeTools(tools: readonly JsonValue[], context: DecodeContext): Tool[] {
  return context.pathTracker.each("tools", tools, (value) => {
    const tool = readObject(value, context);
    const { type, name } = tool;
    const isCustom = (type === undefined || type === null || type === "custom") && typeof name === "string";
    return isCustom ? decodeFunction(tool, name, context) : decodeProviderTool(tool, context);
  });
}

/** Fields that are called the same in both. */
const SAME = new FieldTable<"description" | "strict">([
  ["description", "description", "string"],
  ["strict", "strict", "boolean"],
]);

function decodeFunction(wire: JsonObject, name: string, context: DecodeContext): FunctionTool {
  const { type, input_schema: schema } = wire;
  const tool: FunctionTool = { type: "function", name };
  const taken = ["name"];
  for (const key in wire) if (SAME.decode(wire, key, tool)) taken.push(key);
  if (isObject(schema)) {
    tool.inputSchema = schema;
    taken.push("input_schema");
  } else storeForm(tool, context.dialect, "input_schema", "none");
  if (type === "custom") {
    storeForm(tool, context.dialect, "type", type);
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
  const encoded = writing.context.pathTracker.each("tools", tools, (tool) =>
    tool.type === "function" ? encodeFunction(tool, writing) : encodeProviderTool(tool, writing),
  );
  return encoded.filter((tool) => tool !== undefined);
}

function encodeFunction(tool: FunctionTool, writing: Writing): JsonObject {
  const { context, names } = writing;
  const form = readForm(tool, context.dialect);
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
    context.report.addLoss(tool.format === "json" ? "tool-default" : "field-unsaid", "format");
  writeCache(wire, tool, writing);
  countCache(tool.extra?.[context.dialect]?.["cache_control"], writing);
  restoreResidue(wire, tool, context);
  reportNotPortableResidue<Code>(tool, context);
  reportUnsupportedFields(tool, FUNCTION, context, "field-unsaid");
  return wire;
}

/** A promise that the schema must allow (B53). */
function writeStrict({ strict }: FunctionTool, wire: JsonObject, { context }: Writing): void {
  const { input_schema: schema } = wire;
  const isMet = !context.repair || strict !== true || !isObject(schema) || closedSchema(schema) === schema;
  if (isMet) wire["strict"] = strict ?? false;
  else context.report.addLoss("strict-unmet", "strict");
}

/** Input is an object, and its schema must say so at its root, in one piece. */
function encodeSchema({ inputSchema, format }: FunctionTool, { context }: Writing): FunctionTool["inputSchema"] {
  if (inputSchema === undefined) {
    context.report.addLoss("schema-made", "inputSchema");
    return format === "text" ? FREE_FORM : { type: "object" };
  }
  if (!context.repair || isPlainObject(inputSchema)) return inputSchema;
  const { schema, what } = plainObjectSchema(inputSchema);
  context.report.addLoss("schema-changed", "inputSchema", what);
  return schema;
}

function encodeProviderTool(tool: ProviderTool, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const { value, cache, extra } = tool;
  if (tool.dialect !== context.dialect) {
    context.report.addLoss("tool-foreign");
    return undefined;
  }
  if (extra !== undefined) context.report.addLoss("field-unsaid", "extra");
  reportUnsupportedFields(tool, PROVIDER, context, "field-unsaid");
  countCache(value["cache_control"], writing);
  if (cache === undefined) return value;
  const wire = copyObject(value);
  writeCache(wire, tool, writing);
  return wire;
}

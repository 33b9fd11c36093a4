// Definitions of tools, both ways.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { FunctionTool, Tool } from "../../model/request.ts";
import type { DecodeContext } from "../dialect.ts";
import { FieldTable } from "../kit/fields.ts";
import { objectSchema, saysObject } from "../kit/object-schema.ts";
import { isObject, readObject } from "../kit/read.ts";
import {
  readForm,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import { FREE_FORM } from "../kit/text-tools.ts";
import { keepRest, readCachePoint } from "./fields.ts";
import type { Code } from "./losses.ts";
import type { Writing } from "./writing.ts";
import { countCache, encodeCache } from "./writing.ts";

/** The tools in the field of that name; the trail stands at what they are the field of. */
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

/** Fields that are called the same in both. */
const SAME = new FieldTable<"description" | "strict">([
  ["description", "description", "string"],
  ["strict", "strict", "boolean"],
]);

function decodeTool(wire: JsonObject, { dialect }: DecodeContext): Tool {
  const { toolSpec, systemTool } = wire;
  if (!isObject(toolSpec) || typeof toolSpec["name"] !== "string") {
    const name = isObject(systemTool) ? systemTool["name"] : undefined;
    const named = typeof name === "string" ? name : (Object.keys(wire)[0] ?? "");
    return { type: "provider", dialect, name: named, value: wire };
  }
  const { name, inputSchema } = toolSpec;
  const tool: FunctionTool = { type: "function", name };
  const taken = ["name"];
  for (const key in toolSpec) if (SAME.decode(toolSpec, key, tool)) taken.push(key);
  const schema = isObject(inputSchema) ? inputSchema["json"] : undefined;
  if (isObject(inputSchema) && isObject(schema)) {
    tool.inputSchema = schema;
    taken.push("inputSchema");
    keepRest(tool, inputSchema, dialect, ["toolSpec", "inputSchema"], "json");
  } else storeForm(tool, dialect, "inputSchema", "none");
  keepRest(tool, toolSpec, dialect, ["toolSpec"], ...taken);
  return keepRest(tool, wire, dialect, [], "toolSpec");
}

const FUNCTION: ReadonlySet<string> = new Set("type name description inputSchema strict format cache extra".split(" "));
const PROVIDER: ReadonlySet<string> = new Set(["type", "dialect", "name", "value", "cache", "extra"]);

export function encodeTools(tools: readonly Tool[], writing: Writing): JsonObject[] {
  const { context } = writing;
  const list: JsonObject[] = [];
  context.pathTracker.each("tools", tools, (tool) => {
    if (tool.type === "function") list.push(encodeFunction(tool, writing));
    else if (tool.dialect === context.dialect) {
      if (tool.extra !== undefined) context.report.addLoss("field-unsaid", "extra");
      reportUnsupportedFields(tool, PROVIDER, context, "field-unsaid");
      countCache(tool.value, writing);
      list.push(tool.value);
    } else return context.report.addLoss("tool-foreign");
    const point = encodeCache(tool, "system", writing);
    if (point !== undefined) list.push(point);
  });
  return list;
}

function encodeFunction(tool: FunctionTool, writing: Writing): JsonObject {
  const { context, names } = writing;
  const { description, strict, format } = tool;
  const spec: JsonObject = { name: names === undefined ? tool.name : names.toolName(tool.name, "name") };
  if (description !== undefined) spec["description"] = description;
  if (tool.inputSchema !== undefined || readForm(tool, context.dialect)["inputSchema"] !== "none") {
    // A schema is a JSON object that a caller may have made read-only.
    spec["inputSchema"] = { json: encodeSchema(tool, writing) as JsonObject };
  }
  if (strict !== undefined) spec["strict"] = strict;
  if (format !== undefined) context.report.addLoss(format === "json" ? "tool-default" : "field-unsaid", "format");
  const wire: JsonObject = { toolSpec: spec };
  restoreResidue(wire, tool, context, "toolSpec", "inputSchema");
  reportNotPortableResidue<Code>(tool, context);
  reportUnsupportedFields(tool, FUNCTION, context, "field-unsaid");
  return wire;
}

/** Input is an object, and its schema must say so at its root. */
function encodeSchema({ inputSchema, format }: FunctionTool, { context }: Writing): FunctionTool["inputSchema"] {
  if (inputSchema === undefined) {
    context.report.addLoss("schema-made", "inputSchema");
    return format === "text" ? FREE_FORM : { type: "object" };
  }
  if (!context.repair || saysObject(inputSchema)) return inputSchema;
  const { schema, what } = objectSchema(inputSchema);
  context.report.addLoss("schema-changed", "inputSchema", what);
  return schema;
}

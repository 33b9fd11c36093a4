// Tools: function declarations, which stand in groups, and everything else, which only Gemini knows and keeps verbatim.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { FunctionTool, Tool } from "../../model/request.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { copyField, isObject, readObject, unknownFields } from "../kit/read.ts";
import {
  readForm,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../kit/residue.ts";
import { FREE_FORM } from "../kit/text-tools.ts";
import type { Code } from "./losses.ts";
import { keepRest } from "./reading.ts";
import { decodeSchema, encodeSchema, PARAMETERS, RESPONSE } from "./schemas.ts";
import type { Spelling } from "./snake.ts";
import { keepNames, readNames, writeNames } from "./snake.ts";
import type { Writing } from "./writing.ts";

const GROUP = "functionDeclarations";
const GROUPS: ReadonlySet<string> = new Set([GROUP, "function_declarations"]);

export function decodeTools(list: readonly JsonValue[], context: DecodeContext): Tool[] {
  const { pathTracker: trail, dialect } = context;
  const tools: Tool[] = [];
  trail.each("tools", list, (value) => {
    const wire = readObject(value, context);
    const names = Object.keys(wire);
    const key = names.find((name) => GROUPS.has(name)) ?? "";
    const functions = decodeDeclarations(wire[key], context) ?? [];
    const rest = functions.length === 0 ? wire : unknownFields(wire, new Set([key]));
    const [name = ""] = Object.keys(rest ?? {});
    const others: Tool[] = rest === undefined ? [] : [{ type: "provider", dialect, name, value: rest }];
    const isAfterFunctions = tools.at(-1)?.type === "function";
    const [first, second] = key === names[0] ? [functions, others] : [others, functions];
    tools.push(...first, ...second);
    // Without a note, functions go where the functions before them are, and all else stands alone.
    if (first[0] !== undefined && second[0] !== undefined) storeForm(second[0], dialect, "group", "same");
    if (first[0]?.type === "function" && isAfterFunctions) storeForm(first[0], dialect, "group", "own");
    if (functions[0] !== undefined && key !== GROUP) storeForm(functions[0], dialect, "key", key);
  });
  return tools;
}

/** The functions of a group; undefined where one of them has no name, or there is none. */
function decodeDeclarations(list: JsonValue | undefined, context: DecodeContext): FunctionTool[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const tools: FunctionTool[] = [];
  for (const each of list) {
    if (!isObject(each) || typeof each["name"] !== "string") return undefined;
    tools.push(decodeDeclaration(each, each["name"], context.dialect));
  }
  return tools;
}

function decodeDeclaration(declared: JsonObject, name: string, dialect: string): FunctionTool {
  const spelling: Spelling = {};
  const wire = readNames(declared, spelling);
  const tool: FunctionTool = { type: "function", name };
  const taken = ["name"];
  if (typeof wire["description"] === "string") {
    tool.description = wire["description"];
    taken.push("description");
  }
  const input = decodeSchema(wire, PARAMETERS, tool, taken, dialect);
  if (input !== undefined) tool.inputSchema = input;
  const output = decodeSchema(wire, RESPONSE, tool, taken, dialect);
  if (output !== undefined) tool.outputSchema = output;
  keepRest(tool, wire, taken, dialect);
  keepNames(tool, dialect, spelling);
  return tool;
}

/** Whether functions are declared among tools on the wire. */
export function hasFunctions(tools: readonly JsonObject[]): boolean {
  return tools.some((group) => Object.keys(group).some((key) => GROUPS.has(key)));
}

/** The list of tools; the trail stands at what holds it. */
export function encodeTools(tools: readonly Tool[], { context, names }: Writing): JsonObject[] {
  const { dialect, report } = context;
  const list: JsonObject[] = [];
  let group: JsonObject | undefined;
  let functions: JsonObject[] | undefined;
  context.pathTracker.each("tools", tools, (tool) => {
    const form = readForm(tool, dialect);
    if (tool.type === "function") {
      const declared = encodeDeclaration(tool, names.toolName(tool.name, "name"), context);
      const key = typeof form["key"] === "string" && GROUPS.has(form["key"]) ? form["key"] : GROUP;
      if (functions !== undefined && form["group"] === undefined) functions.push(declared);
      else {
        functions = [declared];
        if (form["group"] === "same" && group !== undefined && !Object.hasOwn(group, key)) group[key] = functions;
        else list.push((group = { [key]: functions }));
      }
    } else if (tool.dialect !== dialect) report.addLoss("opaque-foreign");
    else {
      functions = undefined;
      reportUnsupportedFields(tool, PROVIDER, context, "field-unsaid", BOOKKEEPING);
      reportNotPortableResidue(tool, context);
      // Its name is what its value says first.
      if (tool.name !== (Object.keys(tool.value)[0] ?? "")) report.addLoss("bookkeeping", "name");
      if (form["group"] === "same" && group !== undefined) {
        for (const key of Object.keys(tool.value)) copyField(tool.value, key, group);
      }
      // A group may still grow, a tool's value must not.
      else list.push((group = copyObject(tool.value)));
    }
  });
  return list;
}

const BOOKKEEPING = { cache: "bookkeeping" } as const;
const PROVIDER: ReadonlySet<string> = new Set(["type", "dialect", "name", "value", "extra"]);
const FUNCTION: ReadonlySet<string> = new Set(["type", "name", "description", "inputSchema", "outputSchema", "extra"]);

function encodeDeclaration(tool: FunctionTool, name: string, context: EncodeContext<Code>): JsonObject {
  const { description, inputSchema, outputSchema } = tool;
  const wire: JsonObject = { name };
  if (description !== undefined) wire["description"] = description;
  const isFreeForm = inputSchema === undefined && tool.format === "text";
  if (isFreeForm) context.report.addLoss("schema-made", "inputSchema");
  const input = isFreeForm ? FREE_FORM : inputSchema;
  if (input !== undefined) encodeSchema(input, "inputSchema", PARAMETERS, tool, wire, context);
  if (outputSchema !== undefined) encodeSchema(outputSchema, "outputSchema", RESPONSE, tool, wire, context);
  const format = tool.format === "json" ? "tool-default" : "field-unsaid";
  reportUnsupportedFields(tool, FUNCTION, context, "field-unsaid", { ...BOOKKEEPING, format });
  if (tool.extra === undefined) return wire;
  reportNotPortableResidue(tool, context);
  restoreResidue(wire, tool, context);
  return writeNames(wire, tool, context);
}

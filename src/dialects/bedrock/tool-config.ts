// Tools and the choice among them, both ways: they stand in one object of the wire.
import type { JsonObject } from "../../model/json.ts";
import type { ModelRequest, ToolChoice } from "../../model/request.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject } from "../kit/read.ts";
import { readForm, storeResidue, storeForm } from "../kit/residue.ts";
import { keepRest } from "./fields.ts";
import { decodeTools, encodeTools } from "./tools.ts";
import type { Writing } from "./writing.ts";

const CONFIG = "toolConfig";

export function decodeToolConfig(config: JsonObject, request: ModelRequest, context: DecodeContext): void {
  const { dialect, pathTracker: trail } = context;
  const { tools, toolChoice } = config;
  const taken: string[] = [];
  if (Array.isArray(tools)) {
    trail.enter(CONFIG);
    request.tools = decodeTools(tools, context);
    trail.leave();
    taken.push("tools");
    if (tools.length === 0) storeForm(request, dialect, "tools", "empty");
  }
  const choice = isObject(toolChoice) ? readChoice(toolChoice) : undefined;
  if (choice !== undefined) {
    request.toolChoice = choice;
    taken.push("toolChoice");
  }
  if (request.tools === undefined) storeResidue(request, dialect, {}, CONFIG);
  keepRest(request, config, dialect, [CONFIG], ...taken);
}

/** A choice in words of the model; undefined where it says anything else. */
function readChoice(choice: JsonObject): ToolChoice | undefined {
  const [key = "", ...others] = Object.keys(choice);
  const inner = choice[key];
  if (others.length > 0 || !isObject(inner)) return undefined;
  const fields = Object.keys(inner);
  const { name } = inner;
  if (key === "tool") return typeof name === "string" && fields.length === 1 ? { toolName: name } : undefined;
  if (fields.length > 0) return undefined;
  return key === "auto" ? "auto" : key === "any" ? "required" : undefined;
}

/** Writes the tools; the trail stands at the request. */
export function encodeToolConfig(request: ModelRequest, wire: JsonObject, writing: Writing): void {
  const { tools, toolChoice, parallelToolCalls } = request;
  const { context } = writing;
  const { repair, report, dialect } = context;
  const list = encodeTools(tools ?? [], writing);
  const config: JsonObject = {};
  if (list.length > 0) config["tools"] = list;
  else if (tools?.length === 0) {
    if (!repair || readForm(request, dialect)["tools"] === "empty") config["tools"] = list;
    else report.addLoss("tools-empty", "tools");
  }
  const canCall = list.length > 0 || !repair;
  if (parallelToolCalls !== undefined) report.addLoss(canCall ? "field-unsaid" : "tools-empty", "parallelToolCalls");
  if (toolChoice !== undefined) {
    const isForced = toolChoice !== "auto" && toolChoice !== "none";
    if (!canCall) report.addLoss(isForced ? "choice-lost" : "tools-empty", "toolChoice");
    else {
      const choice = encodeChoice(toolChoice, writing);
      if (choice !== undefined) config["toolChoice"] = choice;
    }
  }
  if (Object.keys(config).length > 0) wire[CONFIG] = config;
}

function encodeChoice(choice: ToolChoice, { context, names }: Writing): JsonObject | undefined {
  const named = (name: string, ...path: (string | number)[]): JsonObject => ({
    tool: { name: names === undefined ? name : names.toolName(name, ["toolChoice", ...path]) },
  });
  if (choice === "auto") return { auto: {} };
  if (choice === "required") return { any: {} };
  if (typeof choice === "object") {
    if ("toolName" in choice) return named(choice.toolName, "toolName");
    const { toolNames, mode } = choice;
    const [only] = toolNames;
    if (mode === "required" && only !== undefined && toolNames.length === 1) return named(only, "toolNames", 0);
    context.report.addLoss("choice-approximated", "toolChoice");
    return mode === "required" ? { any: {} } : { auto: {} };
  }
  context.report.addLoss("choice-approximated", "toolChoice");
  return undefined;
}

/** Whether the model must call. */
export function isForced(choice: unknown): boolean {
  return isObject(choice) && (choice["any"] !== undefined || choice["tool"] !== undefined);
}

/** A history with calls is refused without tools: those that were called are described by their names. */
export function makeTools(wire: JsonObject, writing: Writing): void {
  const { context, calls } = writing;
  const config = wire[CONFIG];
  if (isObject(config) && config["tools"] !== undefined) return;
  const called = new Set<string>();
  for (const { written, isServed } of calls.values()) if (!isServed) called.add(written);
  if (called.size === 0) return;
  context.report.addLoss("tools-made", "tools");
  const tools = [...called].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: "object" } } } }));
  wire[CONFIG] = { ...(isObject(config) ? config : {}), tools };
}

// Decodes and encodes `toolConfig`: the tools and the tool choice.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ModelRequest, ToolChoice } from "../../../model/request.ts";
import type { DecodeContext } from "../../dialect.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm, storeResidue } from "../../kit/residue/residue.ts";
import { storeRest } from "../content/cache-point.ts";
import type { BedrockEncodeState } from "../content/encode-state.ts";
import { decodeTools, encodeTools } from "./tool-definitions.ts";

const TOOL_CONFIG = "toolConfig";

export function decodeToolConfig(config: JsonObject, request: ModelRequest, context: DecodeContext): void {
  const { dialect, pathTracker } = context;
  const { tools, toolChoice } = config;
  const decoded: string[] = [];
  if (Array.isArray(tools)) {
    pathTracker.enter(TOOL_CONFIG);
    request.tools = decodeTools(tools, context);
    pathTracker.leave();
    decoded.push("tools");
    if (tools.length === 0) storeForm(request, dialect, "tools", "empty");
  }
  const choice = isObject(toolChoice) ? readToolChoice(toolChoice) : undefined;
  if (choice !== undefined) {
    request.toolChoice = choice;
    decoded.push("toolChoice");
  }
  if (request.tools === undefined) storeResidue(request, dialect, {}, TOOL_CONFIG);
  storeRest(request, config, dialect, [TOOL_CONFIG], ...decoded);
}

/** Decodes a tool choice; undefined if the choice has fields or kinds without a canonical counterpart. */
function readToolChoice(choice: JsonObject): ToolChoice | undefined {
  const [key = "", ...others] = Object.keys(choice);
  const inner = choice[key];
  if (others.length > 0 || !isObject(inner)) return undefined;
  const fields = Object.keys(inner);
  const { name } = inner;
  if (key === "tool") return typeof name === "string" && fields.length === 1 ? { toolName: name } : undefined;
  if (fields.length > 0) return undefined;
  return key === "auto" ? "auto" : key === "any" ? "required" : undefined;
}

/** Encodes the tools and the tool choice as `toolConfig`; the path tracker is at the request. */
export function encodeToolConfig(request: ModelRequest, wire: JsonObject, state: BedrockEncodeState): void {
  const { tools, toolChoice, parallelToolCalls } = request;
  const { context } = state;
  const { repair, report, dialect } = context;
  const list = encodeTools(tools ?? [], state);
  const config: JsonObject = {};
  if (list.length > 0) config["tools"] = list;
  else if (tools?.length === 0) {
    if (!repair || readForm(request, dialect)["tools"] === "empty") config["tools"] = list;
    else report.addLoss("tool-settings-dropped", "tools");
  }
  const canCall = list.length > 0 || !repair;
  if (parallelToolCalls !== undefined)
    report.addLoss(canCall ? "field-unsupported" : "tool-settings-dropped", "parallelToolCalls");
  if (toolChoice !== undefined) {
    const forcesCall = toolChoice !== "auto" && toolChoice !== "none";
    if (!canCall) report.addLoss(forcesCall ? "tool-choice-dropped" : "tool-settings-dropped", "toolChoice");
    else {
      const choice = encodeToolChoice(toolChoice, state);
      if (choice !== undefined) config["toolChoice"] = choice;
    }
  }
  if (Object.keys(config).length > 0) wire[TOOL_CONFIG] = config;
}

/** Encodes a tool choice; undefined for `none`, which Bedrock does not have. */
function encodeToolChoice(choice: ToolChoice, { context, names }: BedrockEncodeState): JsonObject | undefined {
  const forceTool = (name: string, ...path: (string | number)[]): JsonObject => ({
    tool: { name: names === undefined ? name : names.encodeToolName(name, ["toolChoice", ...path]) },
  });
  if (choice === "auto") return { auto: {} };
  if (choice === "required") return { any: {} };
  if (typeof choice === "object") {
    if ("toolName" in choice) return forceTool(choice.toolName, "toolName");
    const { toolNames, mode } = choice;
    const [only] = toolNames;
    if (mode === "required" && only !== undefined && toolNames.length === 1) return forceTool(only, "toolNames", 0);
    context.report.addLoss("tool-choice-approximated", "toolChoice");
    return mode === "required" ? { any: {} } : { auto: {} };
  }
  context.report.addLoss("tool-choice-approximated", "toolChoice");
  return undefined;
}

/** True if a wire tool choice forces the model to call a tool. */
export function isForced(choice: unknown): boolean {
  return isObject(choice) && (choice["any"] !== undefined || choice["tool"] !== undefined);
}

/**
 * Adds a definition for each tool that the history calls, because Bedrock rejects tool calls in a request without
 * tools.
 */
export function addCalledTools(wire: JsonObject, state: BedrockEncodeState): void {
  const { context, calls } = state;
  const config = wire[TOOL_CONFIG];
  if (isObject(config) && config["tools"] !== undefined) return;
  const calledNames = new Set<string>();
  for (const { wireName, isProviderCall } of calls.values()) if (!isProviderCall) calledNames.add(wireName);
  if (calledNames.size === 0) return;
  context.report.addLoss("tools-synthesized", "tools");
  const tools = [...calledNames].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: "object" } } } }));
  wire[TOOL_CONFIG] = { ...(isObject(config) ? config : {}), tools };
}

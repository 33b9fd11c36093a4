// Decodes and encodes `toolChoice` and `parallelToolCalls`, which is the field `disable_parallel_tool_use` of the tool
// choice on the wire.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { ModelRequest, ToolChoice } from "../../../model/request.ts";
import { storeField } from "../../blocks/fields.ts";
import type { DecodeContext } from "../../dialect.ts";
import { copyField, isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { storeResidue } from "../../kit/residue/residue.ts";
import type { AnthropicEncodeState } from "../content/encode-state.ts";
import { TOOL_CHOICES } from "../terms.ts";

const DISABLE_PARALLEL = "disable_parallel_tool_use";

/** Decodes the tool choice. A tool choice of an unknown type is stored as residue. */
export function decodeToolChoice(wire: JsonObject, request: ModelRequest, { dialect }: DecodeContext): void {
  const choice = wire["tool_choice"];
  const toolChoice = isObject(choice) ? readToolChoice(choice) : undefined;
  if (!isObject(choice) || toolChoice === undefined) {
    storeField(request, wire, "tool_choice", dialect);
    return;
  }
  request.toolChoice = toolChoice;
  const { type, [DISABLE_PARALLEL]: isSingle } = choice;
  const decoded = new Set(["type"]);
  if (type === "tool") decoded.add("name");
  if (type !== "none" && typeof isSingle === "boolean") {
    request.parallelToolCalls = !isSingle;
    decoded.add(DISABLE_PARALLEL);
  }
  storeResidue(request, dialect, unknownFields(choice, decoded), "tool_choice");
}

function readToolChoice({ type, name }: JsonObject): ToolChoice | undefined {
  if (type === "tool") return typeof name === "string" ? { toolName: name } : undefined;
  return typeof type === "string" ? TOOL_CHOICES.toModel(type) : undefined;
}

/** Encodes the tool choice. The path tracker must be at the request. */
export function encodeToolChoice(request: ModelRequest, wire: JsonObject, state: AnthropicEncodeState): void {
  const { toolChoice, parallelToolCalls } = request;
  const { context } = state;
  if (toolChoice === undefined && parallelToolCalls === undefined) return;
  const choice = buildToolChoice(toolChoice, state);
  if (parallelToolCalls !== undefined) {
    if (choice["type"] === "none") context.report.addLoss("field-unsupported", "parallelToolCalls");
    else choice[DISABLE_PARALLEL] = !parallelToolCalls;
  }
  const hasTools = Array.isArray(wire["tools"]) && wire["tools"].length > 0;
  // The provider itself reads the list of tools from an MCP server, so a tool choice is valid without `tools`.
  const hasMcpServers = request.extra?.[context.dialect]?.["mcp_servers"] !== undefined;
  if (hasTools || hasMcpServers || !context.repair) {
    wire["tool_choice"] = choice;
    return;
  }
  for (const field of ["toolChoice", "parallelToolCalls"] as const) {
    if (request[field] === undefined) continue;
    context.report.addLoss(
      field === "toolChoice" && isForced(choice) ? "tool-choice-dropped" : "tool-settings-dropped",
      field,
    );
  }
}

/** True if the model must call a tool. */
export function isForced(choice: JsonValue | undefined): choice is JsonObject {
  return isObject(choice) && (choice["type"] === "any" || choice["type"] === "tool");
}

function buildToolChoice(choice: ToolChoice | undefined, { context, names }: AnthropicEncodeState): JsonObject {
  const forceTool = (name: string, ...path: (string | number)[]): JsonObject => {
    return { type: "tool", name: names === undefined ? name : names.encodeToolName(name, ["toolChoice", ...path]) };
  };
  if (typeof choice !== "object") return { type: TOOL_CHOICES.toWire(choice ?? "auto") ?? "auto" };
  if ("toolName" in choice) return forceTool(choice.toolName, "toolName");
  const { toolNames, mode } = choice;
  const [only] = toolNames;
  if (mode === "required" && only !== undefined && toolNames.length === 1) return forceTool(only, "toolNames", 0);
  context.report.addLoss("tool-choice-approximated", "toolChoice");
  return { type: mode === "required" ? "any" : "auto" };
}

/** Replaces a forced tool choice by `auto`, because Anthropic rejects a forced one while the model thinks (B55). */
export function releaseForcedChoice(wire: JsonObject, { context }: AnthropicEncodeState): void {
  const choice = wire["tool_choice"];
  if (!isForced(choice)) return;
  context.report.addLoss("tool-choice-incompatible", "toolChoice");
  const released: JsonObject = { type: "auto" };
  if (choice[DISABLE_PARALLEL] !== undefined) copyField(choice, DISABLE_PARALLEL, released);
  wire["tool_choice"] = released;
}

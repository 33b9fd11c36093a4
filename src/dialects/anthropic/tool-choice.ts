// The choice among tools, both ways; whether several may be called at once is said within it.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ModelRequest, ToolChoice } from "../../model/request.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, unknownFields } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";
import { keepField } from "./fields.ts";
import { CHOICE } from "./terms.ts";
import type { Writing } from "./writing.ts";

const PARALLEL = "disable_parallel_tool_use";

/** Reads the choice; one of a type that nobody knows stays as it is. */
export function decodeChoice(wire: JsonObject, request: ModelRequest, { dialect }: DecodeContext): void {
  const choice = wire["tool_choice"];
  const known = isObject(choice) ? readChoice(choice) : undefined;
  if (!isObject(choice) || known === undefined) {
    keepField(request, wire, "tool_choice", dialect);
    return;
  }
  request.toolChoice = known;
  const { type, [PARALLEL]: isSingle } = choice;
  const taken = new Set(["type"]);
  if (type === "tool") taken.add("name");
  if (type !== "none" && typeof isSingle === "boolean") {
    request.parallelToolCalls = !isSingle;
    taken.add(PARALLEL);
  }
  storeResidue(request, dialect, unknownFields(choice, taken), "tool_choice");
}

function readChoice({ type, name }: JsonObject): ToolChoice | undefined {
  if (type === "tool") return typeof name === "string" ? { toolName: name } : undefined;
  return typeof type === "string" ? CHOICE.ours(type) : undefined;
}

/** Writes the choice; the trail stands at the request. */
export function encodeChoice(request: ModelRequest, wire: JsonObject, writing: Writing): void {
  const { toolChoice, parallelToolCalls } = request;
  const { context } = writing;
  if (toolChoice === undefined && parallelToolCalls === undefined) return;
  const choice = writeChoice(toolChoice, writing);
  if (parallelToolCalls !== undefined) {
    if (choice["type"] === "none") context.report.addLoss("field-unsaid", "parallelToolCalls");
    else choice[PARALLEL] = !parallelToolCalls;
  }
  const hasTools = Array.isArray(wire["tools"]) && wire["tools"].length > 0;
  // A server of tools is one that the provider asks for them.
  const hasServers = request.extra?.[context.dialect]?.["mcp_servers"] !== undefined;
  if (hasTools || hasServers || !context.repair) {
    wire["tool_choice"] = choice;
    return;
  }
  for (const field of ["toolChoice", "parallelToolCalls"] as const) {
    if (request[field] === undefined) continue;
    context.report.addLoss(field === "toolChoice" && isForced(choice) ? "choice-lost" : "tools-empty", field);
  }
}

/** Whether the model must call. */
export function isForced(choice: JsonValue | undefined): choice is JsonObject {
  return isObject(choice) && (choice["type"] === "any" || choice["type"] === "tool");
}

function writeChoice(choice: ToolChoice | undefined, { context, names }: Writing): JsonObject {
  const named = (name: string, ...path: (string | number)[]): JsonObject => {
    return { type: "tool", name: names === undefined ? name : names.toolName(name, ["toolChoice", ...path]) };
  };
  if (typeof choice !== "object") return { type: CHOICE.theirs(choice ?? "auto") ?? "auto" };
  if ("toolName" in choice) return named(choice.toolName, "toolName");
  const { toolNames, mode } = choice;
  const [only] = toolNames;
  if (mode === "required" && only !== undefined && toolNames.length === 1) return named(only, "toolNames", 0);
  context.report.addLoss("choice-approximated", "toolChoice");
  return { type: mode === "required" ? "any" : "auto" };
}

/** A forced choice cannot be said while the model thinks (B55). */
export function freeChoice(wire: JsonObject, { context }: Writing): void {
  const choice = wire["tool_choice"];
  if (!isForced(choice)) return;
  context.report.addLoss("choice-unfit", "toolChoice");
  const free: JsonObject = { type: "auto" };
  if (choice[PARALLEL] !== undefined) copyField(choice, PARALLEL, free);
  wire["tool_choice"] = free;
}

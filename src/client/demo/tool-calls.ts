// Creates the tool calls of the demo provider from the tools that a request offers and the calls that a message
// requests.
import type { FunctionTool, ModelRequest, ToolChoice } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import { requestError } from "./demo-errors.ts";
import { sampleValue } from "./sample/sample-value.ts";
import type { ScriptPart } from "./script.ts";
import { createCallId } from "./signature.ts";
import type { RequestedCall } from "./parse-calls.ts";

type CallScriptPart = Extract<ScriptPart, { type: "call" }>;

/** The tools that may be called, and whether a call is required. */
export interface ToolOffer {
  tools: FunctionTool[];
  isCallRequired: boolean;
}

export function readToolOffer({ tools = [], toolChoice = "auto" }: ModelRequest): ToolOffer {
  const functions = tools.filter((tool) => tool.type === "function");
  const names = readChosenNames(toolChoice);
  const unknown = names?.find((name) => !functions.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    throw requestError(
      "invalid-request",
      400,
      "/toolChoice",
      `The request chooses the tool "${unknown}", but does not offer it.`,
    );
  }
  const allowed = toolChoice === "none" ? [] : functions.filter(({ name }) => names?.includes(name) ?? true);
  const must =
    toolChoice === "required" ||
    (typeof toolChoice === "object" && !("mode" in toolChoice && toolChoice.mode === "auto"));
  return { tools: allowed, isCallRequired: must && allowed.length > 0 };
}

function readChosenNames(choice: ToolChoice): string[] | undefined {
  if (typeof choice === "string") return undefined;
  return "toolName" in choice ? [choice.toolName] : choice.toolNames;
}

/**
 * Returns the tool with this name; if there is none, the tool whose name differs only in case and surrounding
 * punctuation.
 */
export function findTool(tools: readonly FunctionTool[], name: string): FunctionTool | undefined {
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find((tool) => normalizeToolName(tool.name) === normalizeToolName(name))
  );
}

function normalizeToolName(name: string): string {
  return name.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

/**
 * Creates a call of a tool; `origin` makes the call id unique. Arguments that the message does not contain are
 * generated from the schema.
 */
export function createCall(
  tool: FunctionTool,
  requested: RequestedCall | undefined,
  issuer: string,
  origin: string,
): CallScriptPart {
  return {
    type: "call",
    toolCallId: createCallId(issuer, origin),
    toolName: tool.name,
    argumentsText:
      tool.format === "text"
        ? readFreeText(requested)
        : (requested?.argumentsText ?? stringifyJson(sampleValue({ type: "object", ...tool.inputSchema }))),
    format: tool.format,
  };
}

/** Returns the input of a free-text tool, without the quotes around it. */
function readFreeText(requested: RequestedCall | undefined): string {
  const text = requested?.argumentsText;
  if (text === undefined) return "example";
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text;
  }
}

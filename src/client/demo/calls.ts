// Which tools the demo calls, and with what: the request's offer and choice of tools, and the wanted calls of a message.
import type { FunctionTool, ModelRequest, ToolChoice } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import { refuse } from "./failures.ts";
import { sampleOf } from "./sample/sample.ts";
import type { Piece } from "./script.ts";
import { callId } from "./signature.ts";
import type { WantedCall } from "./wanted-calls.ts";

type CallPiece = Extract<Piece, { type: "call" }>;

/** The tools that may be called now, and whether one of them must be. */
export interface Offer {
  tools: FunctionTool[];
  must: boolean;
}

export function offerOf({ tools = [], toolChoice = "auto" }: ModelRequest): Offer {
  const functions = tools.filter((tool) => tool.type === "function");
  const names = namedIn(toolChoice);
  const unknown = names?.find((name) => !functions.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    throw refuse(
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
  return { tools: allowed, must: must && allowed.length > 0 };
}

function namedIn(choice: ToolChoice): string[] | undefined {
  if (typeof choice === "string") return undefined;
  return "toolName" in choice ? [choice.toolName] : choice.toolNames;
}

/** The tool that a message means: by its exact name, else without regard to case and punctuation around it. */
export function findTool(tools: readonly FunctionTool[], name: string): FunctionTool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => plain(tool.name) === plain(name));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

/** A call of a tool; `origin` tells it apart from every other call. */
export function callOf(tool: FunctionTool, wanted: WantedCall | undefined, issuer: string, origin: string): CallPiece {
  return {
    type: "call",
    toolCallId: callId(issuer, origin),
    toolName: tool.name,
    argumentsText:
      tool.format === "text"
        ? freeText(wanted)
        : (wanted?.argumentsText ?? stringifyJson(sampleOf({ type: "object", ...tool.inputSchema }))),
    format: tool.format,
  };
}

/** Free-form tools take text: a quoted one without its quotes. */
function freeText(wanted: WantedCall | undefined): string {
  const text = wanted?.argumentsText;
  if (text === undefined) return "example";
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text;
  }
}

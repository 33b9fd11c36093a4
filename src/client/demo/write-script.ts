// Writes the script of the demo's answer. The script depends only on the request.
import type { FunctionTool, ModelRequest } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import type { ToolOffer } from "./tool-calls.ts";
import { createCall, findTool, readToolOffer } from "./tool-calls.ts";
import type { DemoAction, DemoPlan } from "./commands.ts";
import { createDemoError } from "./demo-errors.ts";
import { sampleValue } from "./sample/sample-value.ts";
import type { ScriptPart, DemoScript } from "./script.ts";
import type { DemoTurn } from "./read-turn.ts";
import type { RequestedCall } from "./parse-calls.ts";
import { echoText, helpText, joinWithAnd, longText, PAUSED, REFUSAL, resultsText } from "./sentences.ts";

/** The data from which a script is written. */
export interface ScriptInput {
  request: ModelRequest;
  turn: DemoTurn;
  plan: DemoPlan;
  issuer: string;
  /** A fingerprint of the history, from which the ids of the answer's calls are derived. */
  origin: string;
  choice: number;
}

export function writeScript(input: ScriptInput): DemoScript {
  const script = writeAnswer(input);
  if (!hasReasoning(input)) return script;
  return { ...script, parts: [{ type: "reasoning", text: writeReasoning(input, script) }, ...script.parts] };
}

/**
 * True if the answer begins with reasoning, because the message or the request enables it and the request does not
 * disable it.
 */
function hasReasoning({ plan, request }: ScriptInput): boolean {
  const { effort, budget } = request.reasoning ?? {};
  return allowsReasoning(request) && (plan.think || effort !== undefined || budget !== undefined);
}

export function allowsReasoning({ reasoning }: ModelRequest): boolean {
  return reasoning?.effort !== "none" && reasoning?.budget !== 0;
}

function writeReasoning({ turn }: ScriptInput, { parts: pieces }: DemoScript): string {
  const toolNames = pieces.filter((piece) => piece.type === "call").map(({ toolName }) => toolName);
  const before = turn.results.length > 0 ? "The tools have answered. " : "";
  if (toolNames.length > 0) return `${before}I am to call ${joinWithAnd(toolNames)}, so I write the arguments.`;
  return turn.results.length > 0
    ? `${before}Now I can sum up.`
    : "The first word of the message is a command, so I follow it.";
}

function writeAnswer(input: ScriptInput): DemoScript {
  const { turn, plan, request } = input;
  const offer = readToolOffer(request);
  const { action } = plan;
  if (turn.continues) return textScript(action.kind === "pause" ? PAUSED[1] : "… and this is the continuation.");
  const step = readCallSteps(action, request)[turn.rounds] ?? [];
  const { matched, missing } = matchTools(step, offer);
  if (step.length > 0 && missing.length === 0) return callScript(matched, input);
  const forced = offer.isCallRequired ? offer.tools[0] : undefined;
  if (forced !== undefined) return callScript([{ tool: forced, requested: undefined }], input);
  if (missing.length > 0) return structuredScript(request) ?? textScript(missingText(missing, offer));
  if (turn.results.length > 0) return structuredScript(request) ?? textScript(resultsText(turn.results));
  return actionScript(action, input);
}

/** Returns the steps of calls that the message requests. If parallel calls are disabled, each call is a step. */
function readCallSteps(action: DemoAction, { parallelToolCalls }: ModelRequest): RequestedCall[][] {
  if (action.kind !== "call") return [];
  return parallelToolCalls === false ? action.steps.flat().map((call) => [call]) : action.steps;
}

/** Returns the tools that a step calls, and the names for which no tool is offered. */
function matchTools(
  step: readonly RequestedCall[],
  { tools }: ToolOffer,
): { matched: MatchedCall[]; missing: string[] } {
  const matched: MatchedCall[] = [];
  const missing: string[] = [];
  for (const requested of step) {
    const tool = findTool(tools, requested.name);
    if (tool === undefined) missing.push(requested.name);
    else matched.push({ tool, requested });
  }
  return { matched, missing };
}

function missingText(missing: readonly string[], { tools }: ToolOffer): string {
  const names = tools.map(({ name }) => name);
  const offered = names.length === 0 ? "No tool is available" : `Available tools: ${names.join(", ")}`;
  return `You ask me to call ${joinWithAnd(missing.map((name) => `“${name}”`))}, but no such tool is offered. ${offered}.`;
}

interface MatchedCall {
  tool: FunctionTool;
  requested: RequestedCall | undefined;
}

function callScript(calls: readonly MatchedCall[], { issuer, origin, choice }: ScriptInput): DemoScript {
  const parts = calls.map(({ tool, requested }, index) =>
    createCall(tool, requested, issuer, `${origin}/${choice}/${index}`),
  );
  return { parts, finish: "tool-calls" };
}

function actionScript(action: DemoAction, { request, turn, choice }: ScriptInput): DemoScript {
  switch (action.kind) {
    case "echo":
      return structuredScript(request) ?? textScript(echoText(turn, choice));
    case "call":
      return structuredScript(request) ?? textScript("Write the name of a tool after “call”.");
    case "help":
      return structuredScript(request) ?? textScript(helpText());
    case "say":
      return textScript(action.text);
    case "json":
      return textScript(action.text === "" ? stringifyJson(sampleJson(request)) : action.text);
    case "long":
      return textScript(longText(action.words));
    case "error":
      return { ...textScript("So far, so good, but "), error: createDemoError(action.error) };
    case "stall":
      return { ...textScript("One moment "), stalls: true };
    case "refuse":
      return { parts: [{ type: "refusal", text: REFUSAL }], finish: "refusal" };
    case "filter":
      return { ...textScript("This sentence ends where a filter"), finish: "content-filter" };
    case "pause":
      return { ...textScript(PAUSED[0]), finish: "pause" };
    case "stop":
      return { parts: [], finish: "stop" };
  }
}

/** Returns a script with JSON in the requested output format; undefined if plain text is requested. */
function structuredScript(request: ModelRequest): DemoScript | undefined {
  return request.output === undefined || request.output.type === "text"
    ? undefined
    : textScript(stringifyJson(sampleJson(request)));
}

function sampleJson({ output }: ModelRequest): unknown {
  return output?.type === "json-schema" ? sampleValue(output.schema) : { model: "koine", isLanguageModel: false };
}

function textScript(text: string): DemoScript {
  const part: ScriptPart = { type: "text", text };
  return { parts: [part], finish: "stop" };
}

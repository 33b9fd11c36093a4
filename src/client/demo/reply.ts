// What the demo answers: a pure function of the request.
import type { FunctionTool, ModelRequest } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import type { Offer } from "./calls.ts";
import { callOf, findTool, offerOf } from "./calls.ts";
import type { Act, Plan } from "./cues.ts";
import { failure } from "./failures.ts";
import { sampleOf } from "./sample/sample.ts";
import type { Piece, Script } from "./script.ts";
import type { Turn } from "./turn.ts";
import type { WantedCall } from "./wanted-calls.ts";
import { echoText, helpText, listed, longText, PAUSED, REFUSAL, resultsText } from "./words.ts";

/** One answer to be worked out. */
export interface Question {
  request: ModelRequest;
  turn: Turn;
  plan: Plan;
  issuer: string;
  /** Tells this answer's calls apart from those of every other answer. */
  origin: string;
  choice: number;
}

export function scriptOf(question: Question): Script {
  const script = answer(question);
  if (!thinks(question)) return script;
  return { ...script, pieces: [{ type: "reasoning", text: reasoningOf(question, script) }, ...script.pieces] };
}

/** Whether the answer begins with reasoning: the message or the request asks for it, and the request does not forbid it. */
function thinks({ plan, request }: Question): boolean {
  const { effort, budget } = request.reasoning ?? {};
  return mayThink(request) && (plan.think || effort !== undefined || budget !== undefined);
}

export function mayThink({ reasoning }: ModelRequest): boolean {
  return reasoning?.effort !== "none" && reasoning?.budget !== 0;
}

function reasoningOf({ turn }: Question, { pieces }: Script): string {
  const called = pieces.filter((piece) => piece.type === "call").map(({ toolName }) => toolName);
  const before = turn.results.length > 0 ? "The tools have answered. " : "";
  if (called.length > 0) return `${before}I am to call ${listed(called)}, so I write down the arguments.`;
  return turn.results.length > 0
    ? `${before}Now I can sum up.`
    : "I look at the first word of the message and do what it says.";
}

function answer(question: Question): Script {
  const { turn, plan, request } = question;
  const offer = offerOf(request);
  const { act } = plan;
  if (turn.continues) return says(act.kind === "pause" ? PAUSED[1] : "… and this is how I go on from there.");
  const step = callsOf(act, request)[turn.rounds] ?? [];
  const { found, missing } = findCalls(step, offer);
  if (step.length > 0 && missing.length === 0) return calls(found, question);
  const forced = offer.must ? offer.tools[0] : undefined;
  if (forced !== undefined) return calls([{ tool: forced, wanted: undefined }], question);
  if (missing.length > 0) return outputOf(request) ?? says(missingText(missing, offer));
  if (turn.results.length > 0) return outputOf(request) ?? says(resultsText(turn.results));
  return actScript(act, question);
}

/** The steps of calls; where the request forbids parallel ones, one call is a step. */
function callsOf(act: Act, { parallelToolCalls }: ModelRequest): WantedCall[][] {
  if (act.kind !== "call") return [];
  return parallelToolCalls === false ? act.steps.flat().map((call) => [call]) : act.steps;
}

/** The tools of a step, and the names that no tool has. */
function findCalls(step: readonly WantedCall[], { tools }: Offer): { found: Call[]; missing: string[] } {
  const found: Call[] = [];
  const missing: string[] = [];
  for (const wanted of step) {
    const tool = findTool(tools, wanted.name);
    if (tool === undefined) missing.push(wanted.name);
    else found.push({ tool, wanted });
  }
  return { found, missing };
}

function missingText(missing: readonly string[], { tools }: Offer): string {
  const names = tools.map(({ name }) => name);
  const offered = names.length === 0 ? "There is none that I may call" : `What I may call: ${names.join(", ")}`;
  return `You ask me to call ${listed(missing.map((name) => `“${name}”`))}, but no such tool is offered. ${offered}.`;
}

interface Call {
  tool: FunctionTool;
  wanted: WantedCall | undefined;
}

function calls(wanted: readonly Call[], { issuer, origin, choice }: Question): Script {
  const pieces = wanted.map(({ tool, wanted: call }, index) =>
    callOf(tool, call, issuer, `${origin}/${choice}/${index}`),
  );
  return { pieces, finish: "tool-calls" };
}

function actScript(act: Act, { request, turn, choice }: Question): Script {
  switch (act.kind) {
    case "echo":
      return outputOf(request) ?? says(echoText(turn, choice));
    case "call":
      return outputOf(request) ?? says("Which tool shall I call? Write its name after “call”.");
    case "help":
      return outputOf(request) ?? says(helpText());
    case "say":
      return says(act.text);
    case "json":
      return says(act.text === "" ? stringifyJson(jsonOf(request)) : act.text);
    case "long":
      return says(longText(act.words));
    case "error":
      return { ...says("So far, so good, but "), error: failure(act.error) };
    case "stall":
      return { ...says("One moment "), stalls: true };
    case "refuse":
      return { pieces: [{ type: "refusal", text: REFUSAL }], finish: "refusal" };
    case "filter":
      return { ...says("This sentence ends where a filter"), finish: "content-filter" };
    case "pause":
      return { ...says(PAUSED[0]), finish: "pause" };
    case "stop":
      return { pieces: [], finish: "stop" };
  }
}

/** The answer in the form that the request asks for; undefined where that is plain text. */
function outputOf(request: ModelRequest): Script | undefined {
  return request.output === undefined || request.output.type === "text"
    ? undefined
    : says(stringifyJson(jsonOf(request)));
}

function jsonOf({ output }: ModelRequest): unknown {
  return output?.type === "json-schema" ? sampleOf(output.schema) : { model: "koine", isLanguageModel: false };
}

function says(text: string): Script {
  const piece: Piece = { type: "text", text };
  return { pieces: [piece], finish: "stop" };
}

// What a conversation says, apart from how its messages are cut: runs of one voice with their texts, the calls of
// client tools, and what came back for each. What only one dialect can say (reasoning, media, blocks of its own, tools
// that the provider runs) is left out.
import { formatArguments } from "../model/tool-arguments.ts";
import { parseJson } from "../model/json/index.ts";
import type { Message } from "../model/message.ts";
import type { Part, ToolResultPart } from "../model/parts.ts";

export interface Run {
  voice: "user" | "assistant" | "tool";
  text: string;
  /** Name, input, and the number of the call in the conversation. */
  calls: { name: string; input: unknown; number: number }[];
  /** Results by the number of their call. */
  results: { number: number; text: string }[];
}
export interface Dialogue {
  /** Everything that system and developer messages say, without white space. */
  instructions: string;
  runs: Run[];
}

export function dialogueOf(messages: readonly Message[]): Dialogue {
  const numbers = new Map<string, number>();
  const runs: Run[] = [];
  let instructions = "";
  for (const { role, parts } of messages) {
    if (role === "system" || role === "developer") {
      instructions += parts.map(textOf).join("");
      continue;
    }
    for (const part of parts.filter(isSaid)) {
      addPart(runOf(runs, part.type === "tool-result" ? "tool" : role), part, numbers);
    }
  }
  // Parallel results may come in any order.
  for (const run of runs) run.results.sort((one, other) => one.number - other.number);
  return { instructions: bare(instructions), runs };
}

/** The run that a part belongs to: the last one, where that has the same voice. */
function runOf(runs: Run[], voice: Run["voice"]): Run {
  const last = runs.at(-1);
  if (last?.voice === voice) return last;
  const run: Run = { voice, text: "", calls: [], results: [] };
  runs.push(run);
  return run;
}

function isSaid(part: Part): boolean {
  if (part.type === "tool-call" || part.type === "tool-result") return part.executor !== "provider";
  return textOf(part).trim() !== "";
}

/** Where blocks are joined, white space may come between them. */
export function bare(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

function textOf(part: Part): string {
  return part.type === "text" || part.type === "refusal" ? part.text : "";
}

function addPart(run: Run, part: Part, numbers: Map<string, number>): void {
  run.text += bare(textOf(part));
  if (part.type === "tool-call") {
    const number = numbers.size;
    numbers.set(part.toolCallId, number);
    run.calls.push({ name: part.toolName, input: inputOf(formatArguments(part)), number });
  }
  if (part.type === "tool-result") {
    run.results.push({ number: numbers.get(part.toolCallId) ?? -1, text: resultText(part) });
  }
}

/** Arguments that are no JSON, or a text of their own, are compared as what they say. */
function inputOf(text: string): unknown {
  try {
    return parseJson(text === "" ? "{}" : text);
  } catch {
    return text;
  }
}

/** A result as text; a JSON value as its text. */
function resultText({ output, content }: ToolResultPart): string {
  const said = [output, ...(content ?? []).map((part) => (part.type === "text" ? part.text : undefined))];
  const texts = said.flatMap((each) =>
    each === undefined ? [] : [typeof each === "string" ? each : JSON.stringify(each)],
  );
  return bare(texts.join(""));
}

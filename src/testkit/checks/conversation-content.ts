// Reduces a conversation to its portable content: texts per turn, calls of client tools, and their results. Reasoning,
// media, opaque parts and tools of the provider are left out, because other dialects cannot represent all of them.
import { formatArguments } from "../../model/tool-arguments.ts";
import { parseJson } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Part, ToolResultPart } from "../../model/parts.ts";

export interface ConversationTurn {
  role: "user" | "assistant" | "tool";
  text: string;
  /** The calls of client tools, numbered in the order of the whole conversation. */
  calls: { name: string; input: unknown; number: number }[];
  /** The tool results, each with the number of its call; -1 for a result without a call. */
  results: { number: number; text: string }[];
}
export interface ConversationContent {
  /** The text of all system and developer messages, without white space. */
  instructions: string;
  turns: ConversationTurn[];
}

export function readConversationContent(messages: readonly Message[]): ConversationContent {
  const callNumbers = new Map<string, number>();
  const turns: ConversationTurn[] = [];
  let instructions = "";
  for (const { role, parts } of messages) {
    if (role === "system" || role === "developer") {
      instructions += parts.map(readPartText).join("");
      continue;
    }
    for (const part of parts.filter(isPortableContent)) {
      addPart(requireTurn(turns, part.type === "tool-result" ? "tool" : role), part, callNumbers);
    }
  }
  // The results are sorted, because the order of parallel results is not defined.
  for (const turn of turns) turn.results.sort((one, other) => one.number - other.number);
  return { instructions: removeWhiteSpace(instructions), turns };
}

/** Returns the last turn if it has the role; otherwise adds a new turn to the list and returns it. */
function requireTurn(turns: ConversationTurn[], role: ConversationTurn["role"]): ConversationTurn {
  const last = turns.at(-1);
  if (last?.role === role) return last;
  const turn: ConversationTurn = { role, text: "", calls: [], results: [] };
  turns.push(turn);
  return turn;
}

function isPortableContent(part: Part): boolean {
  if (part.type === "tool-call" || part.type === "tool-result") return part.executor !== "provider";
  return readPartText(part).trim() !== "";
}

/** Removes white space, because an encoder that joins blocks may insert white space between them. */
export function removeWhiteSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

function readPartText(part: Part): string {
  return part.type === "text" || part.type === "refusal" ? part.text : "";
}

function addPart(turn: ConversationTurn, part: Part, callNumbers: Map<string, number>): void {
  turn.text += removeWhiteSpace(readPartText(part));
  if (part.type === "tool-call") {
    const number = callNumbers.size;
    callNumbers.set(part.toolCallId, number);
    turn.calls.push({ name: part.toolName, input: parseInput(formatArguments(part)), number });
  }
  if (part.type === "tool-result") {
    turn.results.push({ number: callNumbers.get(part.toolCallId) ?? -1, text: formatResult(part) });
  }
}

/** Parses the arguments of a call; returns the text unchanged if it is not JSON. */
function parseInput(text: string): unknown {
  try {
    return parseJson(text === "" ? "{}" : text);
  } catch {
    return text;
  }
}

/** Returns the output and the text content of a result as one text. */
function formatResult({ output, content }: ToolResultPart): string {
  const values = [output, ...(content ?? []).map((part) => (part.type === "text" ? part.text : undefined))];
  const texts = values.flatMap((each) =>
    each === undefined ? [] : [typeof each === "string" ? each : JSON.stringify(each)],
  );
  return removeWhiteSpace(texts.join(""));
}

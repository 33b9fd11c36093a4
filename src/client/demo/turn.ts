// Where a conversation stands: what was asked last, and what has happened since.
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../model/index.ts";

export interface Turn {
  /** Where the last user message stands; −1 where there is none. */
  asked: number;
  /** Its texts, one per part. */
  texts: string[];
  /** What is attached to it: "an image", "2 files". */
  attachments: string[];
  /** How many rounds of calls were made since. */
  rounds: number;
  /** What the tools have answered since, in the order of their calls; empty unless that is what to speak of next. */
  results: ToolResultPart[];
  /** The history ends with the assistant's own words: they are to be continued. */
  continues: boolean;
}

export function readTurn(messages: readonly Message[]): Turn {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const question = messages[asked]?.parts ?? [];
  const since = messages.slice(asked + 1);
  const rounds = since.filter(({ role, parts }) => role === "assistant" && parts.some(isClientCall));
  const last = since.at(-1);
  return {
    asked,
    texts: question.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    attachments: countMedia(question),
    rounds: rounds.length,
    results: last?.role === "tool" ? resultsOf(since) : [],
    continues: last?.role === "assistant",
  };
}

function isClientCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.executor !== "provider";
}

function resultsOf(since: readonly Message[]): ToolResultPart[] {
  const parts = since.flatMap(({ parts }) => parts);
  const order = new Map(parts.filter(isClientCall).map(({ toolCallId }, index) => [toolCallId, index]));
  const place = ({ toolCallId }: ToolResultPart): number => order.get(toolCallId) ?? Infinity;
  const results = parts.filter((part) => part.type === "tool-result" && part.executor !== "provider");
  return results.filter((part) => part.type === "tool-result").sort((a, b) => place(a) - place(b));
}

function countMedia(parts: readonly Part[]): string[] {
  const counts = new Map<string, number>();
  for (const { type } of parts) if (type !== "text") counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => counted(type === "opaque" ? "part" : type, count));
}

function counted(thing: string, count: number): string {
  return count === 1 ? `${/^[aeiou]/.test(thing) ? "an" : "a"} ${thing}` : `${count} ${thing}s`;
}

// Reads the current turn of a conversation: the last user message and all messages after it.
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../model/index.ts";

export interface DemoTurn {
  /** Index of the last user message; −1 if there is no user message. */
  userIndex: number;
  /** The texts of the user message, one per part. */
  texts: string[];
  /** The attachments of the user message as phrases, such as "an image" or "2 files". */
  attachments: string[];
  /** The number of assistant messages with tool calls after the user message. */
  rounds: number;
  /**
   * The tool results after the user message, in the order of their calls. The list is empty if the last message of the
   * history is not a tool message, because the results were then already answered.
   */
  results: ToolResultPart[];
  /** True if the history ends with an assistant message, which the answer continues. */
  continues: boolean;
}

export function readTurn(messages: readonly Message[]): DemoTurn {
  const userIndex = messages.findLastIndex(({ role }) => role === "user");
  const userParts = messages[userIndex]?.parts ?? [];
  const since = messages.slice(userIndex + 1);
  const rounds = since.filter(({ role, parts }) => role === "assistant" && parts.some(isClientCall));
  const last = since.at(-1);
  return {
    userIndex,
    texts: userParts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    attachments: countMedia(userParts),
    rounds: rounds.length,
    results: last?.role === "tool" ? sortResults(since) : [],
    continues: last?.role === "assistant",
  };
}

function isClientCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.executor !== "provider";
}

function sortResults(since: readonly Message[]): ToolResultPart[] {
  const parts = since.flatMap(({ parts }) => parts);
  const order = new Map(parts.filter(isClientCall).map(({ toolCallId }, index) => [toolCallId, index]));
  const position = ({ toolCallId }: ToolResultPart): number => order.get(toolCallId) ?? Infinity;
  const results = parts.filter((part) => part.type === "tool-result" && part.executor !== "provider");
  return results.filter((part) => part.type === "tool-result").sort((a, b) => position(a) - position(b));
}

function countMedia(parts: readonly Part[]): string[] {
  const counts = new Map<string, number>();
  for (const { type } of parts) if (type !== "text") counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => describeCount(type === "opaque" ? "part" : type, count));
}

function describeCount(noun: string, count: number): string {
  return count === 1 ? `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}` : `${count} ${noun}s`;
}

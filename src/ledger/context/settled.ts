// Leaves interrupted turns out of a path (B90), and with them the other half of every pair of call and result that was
// half in them: no provider takes a result without its call, or a call that others came after without its result.
import { copyObject } from "../../model/json.ts";
import type { StoredMessage } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";

export function isInterrupted({ metadata }: StoredMessage): boolean {
  return metadata.interrupted === true;
}

/** A call with its results. */
interface Pair {
  /** Whether the call's message is kept. */
  isCalled: boolean;
  /** Whether a result is kept, and whether one is not. */
  isAnswered: boolean;
  isBroken: boolean;
}

/** The messages without interrupted ones, oldest first as they are given. */
export function settled(messages: StoredMessage[]): StoredMessage[] {
  if (!messages.some(isInterrupted)) return messages;
  const pairs = pairsOf(messages);
  const isWhole = (part: Part): boolean => {
    const pair = pairs.get(part);
    if (pair === undefined) return true;
    // A call that nobody answered yet is still waiting.
    return part.type === "tool-result" ? pair.isCalled : pair.isAnswered || !pair.isBroken;
  };
  const kept: StoredMessage[] = [];
  for (const message of messages) {
    if (isInterrupted(message)) continue;
    const parts = message.parts.filter(isWhole);
    if (parts.length === message.parts.length) kept.push(message);
    // Reasoning that led to a call says nothing without it, and is refused by itself.
    else if (parts.some(({ type }) => type !== "reasoning")) kept.push(Object.assign(copyObject(message), { parts }));
  }
  return kept;
}

/** The pair that each call and result belongs to. A result without a call above it belongs to none. */
function pairsOf(messages: readonly StoredMessage[]): Map<Part, Pair> {
  const pairs = new Map<Part, Pair>();
  /** By call id, which may come again. */
  const last = new Map<string, Pair>();
  for (const message of messages) {
    const isKept = !isInterrupted(message);
    for (const part of message.parts) {
      if (part.type === "tool-call")
        last.set(part.toolCallId, { isCalled: isKept, isAnswered: false, isBroken: false });
      else if (part.type !== "tool-result") continue;
      const pair = last.get(part.toolCallId);
      if (pair === undefined) continue;
      pairs.set(part, pair);
      if (part.type === "tool-call") continue;
      if (isKept) pair.isAnswered = true;
      else pair.isBroken = true;
    }
  }
  return pairs;
}

// Removes interrupted turns, the partial answers of failed and cancelled runs, from a path (B90). Also removes a tool
// call or result whose counterpart was in an interrupted turn: providers reject a result without its call, and also a
// call that is followed by other messages instead of its result.
import { copyObject } from "../../model/json/index.ts";
import type { StoredMessage } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";

export function isInterrupted({ metadata }: StoredMessage): boolean {
  return metadata.interrupted === true;
}

/** A tool call with its results. */
interface CallPair {
  /** True if the message with the call is not interrupted. */
  hasCall: boolean;
  /** True if at least one result is in a message that is not interrupted. */
  hasResult: boolean;
  /** True if at least one result is in an interrupted message. */
  hasInterruptedResult: boolean;
}

/**
 * Returns the messages without interrupted turns, and without calls and results that lost their counterpart. The
 * messages must be in order, oldest first.
 */
export function removeInterruptedTurns(messages: StoredMessage[]): StoredMessage[] {
  if (!messages.some(isInterrupted)) return messages;
  const pairs = pairCallsAndResults(messages);
  const isComplete = (part: Part): boolean => {
    const pair = pairs.get(part);
    if (pair === undefined) return true;
    // A result is kept if its call is kept. A call is kept if a result is kept, or if it never had a result and is
    // still pending.
    return part.type === "tool-result" ? pair.hasCall : pair.hasResult || !pair.hasInterruptedResult;
  };
  const remaining: StoredMessage[] = [];
  for (const message of messages) {
    if (isInterrupted(message)) continue;
    const parts = message.parts.filter(isComplete);
    if (parts.length === message.parts.length) remaining.push(message);
    // A message of which only reasoning remains is omitted: providers reject reasoning without the call that followed
    // it.
    else if (parts.some(({ type }) => type !== "reasoning"))
      remaining.push(Object.assign(copyObject(message), { parts }));
  }
  return remaining;
}

/** Maps each call and result to its pair. A result without an earlier call is not in the map. */
function pairCallsAndResults(messages: readonly StoredMessage[]): Map<Part, CallPair> {
  const pairs = new Map<Part, CallPair>();
  /** The most recent pair of each call id; several calls may have the same id. */
  const last = new Map<string, CallPair>();
  for (const message of messages) {
    const isRemaining = !isInterrupted(message);
    for (const part of message.parts) {
      if (part.type === "tool-call")
        last.set(part.toolCallId, { hasCall: isRemaining, hasResult: false, hasInterruptedResult: false });
      else if (part.type !== "tool-result") continue;
      const pair = last.get(part.toolCallId);
      if (pair === undefined) continue;
      pairs.set(part, pair);
      if (part.type === "tool-call") continue;
      if (isRemaining) pair.hasResult = true;
      else pair.hasInterruptedResult = true;
    }
  }
  return pairs;
}

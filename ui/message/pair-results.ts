// Pairs tool calls with their results: by id, in order, the first result wins (B24). Results without a call and
// duplicate results are kept apart. Pure.
import type { Message, Part, ToolCallPart, ToolResultPart } from "koine";

export interface ToolResultPairing {
  /** Keyed by the call itself: a message may use an id twice. */
  results: ReadonlyMap<ToolCallPart, ToolResultPart>;
  /** Results that are shown inside the card of their call. */
  paired: ReadonlySet<Part>;
  /** Further results of a call that already has one. */
  duplicates: ReadonlySet<Part>;
}

/** `toolMessages`: the messages after it, which contain the tool results. */
export function pairResults(
  parts: readonly Part[],
  toolMessages: readonly Pick<Message, "parts">[],
): ToolResultPairing {
  const openCalls = new Map<string, ToolCallPart[]>();
  for (const part of parts) {
    if (part.type !== "tool-call") continue;
    const sameIdCalls = openCalls.get(part.toolCallId);
    if (sameIdCalls === undefined) openCalls.set(part.toolCallId, [part]);
    else sameIdCalls.push(part);
  }
  const results = new Map<ToolCallPart, ToolResultPart>();
  const [paired, doubles] = [new Set<Part>(), new Set<Part>()];
  for (const part of [parts, ...toolMessages.map((tool) => tool.parts)].flat()) {
    const calls = part.type === "tool-result" ? openCalls.get(part.toolCallId) : undefined;
    if (part.type !== "tool-result" || calls === undefined) continue;
    const call = calls.shift();
    if (call === undefined) doubles.add(part);
    else {
      results.set(call, part);
      paired.add(part);
    }
  }
  return { results, paired, duplicates: doubles };
}

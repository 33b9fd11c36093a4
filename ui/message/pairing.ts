// Which result belongs to which call: by id, in order, and the first counts (B24). Nothing is left out: what answers no call,
// or one that was answered before, is named as what it is. Pure.
import type { Message, Part, ToolCallPart, ToolResultPart } from "koine";

export interface Pairing {
  /** By the call itself: a message may use an id twice. */
  results: ReadonlyMap<ToolCallPart, ToolResultPart>;
  /** Results that stand in the card of their call. */
  paired: ReadonlySet<Part>;
  /** Results of a call that has one already. */
  doubles: ReadonlySet<Part>;
}

/** `tools`: the messages that follow, which hold what the tools gave back. */
export function pairResults(parts: readonly Part[], tools: readonly Pick<Message, "parts">[]): Pairing {
  const waiting = new Map<string, ToolCallPart[]>();
  for (const part of parts) {
    if (part.type !== "tool-call") continue;
    const same = waiting.get(part.toolCallId);
    if (same === undefined) waiting.set(part.toolCallId, [part]);
    else same.push(part);
  }
  const results = new Map<ToolCallPart, ToolResultPart>();
  const [paired, doubles] = [new Set<Part>(), new Set<Part>()];
  for (const part of [parts, ...tools.map((tool) => tool.parts)].flat()) {
    const calls = part.type === "tool-result" ? waiting.get(part.toolCallId) : undefined;
    if (part.type !== "tool-result" || calls === undefined) continue;
    const call = calls.shift();
    if (call === undefined) doubles.add(part);
    else {
      results.set(call, part);
      paired.add(part);
    }
  }
  return { results, paired, doubles };
}

// Pairs tool calls with their results by id. If several calls have the same id, the first result belongs to the first
// call, the second result to the second (B24). A result without a call, and a result after all calls with its id have
// one, is shown separately.
import type { Message, Part, ToolCallPart, ToolResultPart } from "koine";

export interface ToolResultPairing {
  /**
   * Results by tool call. The key is the call object and not its id, because two calls of a message may have the same
   * id.
   */
  results: ReadonlyMap<ToolCallPart, ToolResultPart>;
  /** Results that have a call and are shown inside its card. */
  paired: ReadonlySet<Part>;
  /** Further results of calls that already have a result. */
  duplicates: ReadonlySet<Part>;
}

/** Pairs the tool calls in `parts` with results in `parts` and in `toolMessages`, the messages that follow. */
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
  const [paired, duplicates] = [new Set<Part>(), new Set<Part>()];
  for (const part of [parts, ...toolMessages.map((tool) => tool.parts)].flat()) {
    const calls = part.type === "tool-result" ? openCalls.get(part.toolCallId) : undefined;
    if (part.type !== "tool-result" || calls === undefined) continue;
    const call = calls.shift();
    if (call === undefined) duplicates.add(part);
    else {
      results.set(call, part);
      paired.add(part);
    }
  }
  return { results, paired, duplicates };
}

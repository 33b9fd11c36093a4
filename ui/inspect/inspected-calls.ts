// Lists the model calls along a path of a conversation, and computes the window of messages that the inspector shows.
import { listPath } from "../data/conversation/message-tree.ts";
import type { OutlineNode } from "../data/types.ts";

export interface InspectedCall {
  runId: string;
  /** Id of the last assistant message of the call. */
  messageId: string;
  model: string;
  /** Beginning of the answer's text; without text, the names of the called tools. */
  preview: string;
}

/** Returns the ids from the root to the message `at`; the active path if `at` is undefined or unknown. */
export function listInspectedPath(
  nodes: ReadonlyMap<string, OutlineNode>,
  activePath: readonly string[],
  at: string | undefined,
): readonly string[] {
  if (at === undefined || !nodes.has(at)) return activePath;
  return listPath(nodes, at);
}

export interface MessageWindow {
  /**
   * Number of system and developer messages at the start of the path, which are shown in addition to the window; 0 if
   * the window contains them.
   */
  leadCount: number;
  /** Index in the path of the window's first message. */
  from: number;
}

/**
 * Returns the window of the last `limit` messages of a path. If the window would start with another role, its start is
 * moved back to the previous user message.
 */
export function computeWindow(
  nodes: ReadonlyMap<string, OutlineNode>,
  path: readonly string[],
  limit: number,
): MessageWindow {
  const readRole = (at: number): string | undefined => nodes.get(path[at] ?? "")?.role;
  const start = Math.max(0, path.length - limit);
  let lead = 0;
  while (readRole(lead) === "system" || readRole(lead) === "developer") lead++;
  let from = start;
  while (from > lead && readRole(from) !== "user") from--;
  // If the window starts directly after the leading system and developer messages, it is extended to the whole path.
  return from <= lead ? { leadCount: 0, from: 0 } : { leadCount: lead, from };
}

/** Returns the model calls along a path, oldest first. All messages with the same run id belong to one call. */
export function listCalls(nodes: ReadonlyMap<string, OutlineNode>, path: readonly string[]): InspectedCall[] {
  const calls = new Map<string, InspectedCall>();
  for (const id of path) {
    const { runId, role, model = "", preview, toolCalls = [] } = nodes.get(id) ?? {};
    if (runId === undefined || role !== "assistant") continue;
    const callPreview = preview !== "" && preview !== undefined ? preview : toolCalls.join(", ");
    calls.set(runId, { runId, messageId: id, model, preview: callPreview });
  }
  return [...calls.values()];
}

/** Returns a text such as "3. gpt-5: It is clear, 24 °C." */
export function formatCallLabel({ model, preview }: InspectedCall, index: number): string {
  const short = preview.length > 60 ? `${preview.slice(0, 60)}…` : preview;
  return `${index + 1}. ${[model, short].filter((each) => each !== "").join(": ")}`;
}

// The calls along a path of a conversation, and the window of messages that the inspector shows.
import type { OutlineNode } from "../data/types.ts";

export interface InspectedCall {
  runId: string;
  /** The last message of the call. */
  messageId: string;
  model: string;
  /** Beginning of the answer. */
  preview: string;
}

/** Returns the ids from the root to a message; the active path if it is unknown or not given. */
export function listInspectedPath(
  nodes: ReadonlyMap<string, OutlineNode>,
  activePath: readonly string[],
  at: string | undefined,
): readonly string[] {
  if (at === undefined || !nodes.has(at)) return activePath;
  const path: string[] = [];
  for (let id: string | null | undefined = at; id !== null && id !== undefined; id = nodes.get(id)?.parentMessageId) {
    path.unshift(id);
  }
  return path;
}

export interface MessageWindow {
  /** Number of leading messages that are always shown: system and developer messages. */
  leadCount: number;
  /** Index in the path of the first further message. */
  from: number;
}

/** Returns the last `limit` messages of a path, extended to the start of their turn. */
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
  // Nothing would be omitted.
  return from <= lead ? { leadCount: 0, from: 0 } : { leadCount: lead, from };
}

/** Lists the calls along a path, oldest first. Several messages of one run are one call. */
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

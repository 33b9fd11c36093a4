// The path of a conversation as a list of calls: which of them can be looked at.
import type { OutlineNode } from "../data/types.ts";

export interface Turn {
  runId: string;
  /** The message that the call ends with. */
  messageId: string;
  model: string;
  /** A few words of what was answered. */
  words: string;
}

/** Ids from the root to a message; the active path where there is no such message, or none is named. */
export function pathTo(
  nodes: ReadonlyMap<string, OutlineNode>,
  active: readonly string[],
  at: string | undefined,
): readonly string[] {
  if (at === undefined || !nodes.has(at)) return active;
  const path: string[] = [];
  for (let id: string | null | undefined = at; id !== null && id !== undefined; id = nodes.get(id)?.parentMessageId) {
    path.unshift(id);
  }
  return path;
}

export interface Window {
  /** How many of the first messages are shown in any case: what the model is told before anybody speaks. */
  lead: number;
  /** The index in the path with which the rest begins. */
  from: number;
}

/** The last `most` messages of a path, and as many before them as belong to the same turn: none begins amid one. */
export function windowOf(nodes: ReadonlyMap<string, OutlineNode>, path: readonly string[], most: number): Window {
  const roleAt = (at: number): string | undefined => nodes.get(path[at] ?? "")?.role;
  const wanted = Math.max(0, path.length - most);
  let lead = 0;
  while (roleAt(lead) === "system" || roleAt(lead) === "developer") lead++;
  let from = wanted;
  while (from > lead && roleAt(from) !== "user") from--;
  // What is left out would be nothing.
  return from <= lead ? { lead: 0, from: 0 } : { lead, from };
}

/** The calls along a path, oldest first. A call that said several things is one. */
export function turnsOf(nodes: ReadonlyMap<string, OutlineNode>, path: readonly string[]): Turn[] {
  const turns = new Map<string, Turn>();
  for (const id of path) {
    const { runId, role, model = "", preview, toolCalls = [] } = nodes.get(id) ?? {};
    if (runId === undefined || role !== "assistant") continue;
    const words = preview !== "" && preview !== undefined ? preview : toolCalls.join(", ");
    turns.set(runId, { runId, messageId: id, model, words });
  }
  return [...turns.values()];
}

/** "3. gpt-5: It is clear, 24 °C." */
export function turnLabel({ model, words }: Turn, index: number): string {
  const short = words.length > 60 ? `${words.slice(0, 60)}…` : words;
  return `${index + 1}. ${[model, short].filter((each) => each !== "").join(": ")}`;
}

// What stands in one place of a conversation: messages that answer the same one, and answers to it that are on their way.
import type { LiveRun } from "../data/types.ts";
import { childrenOf, siblingsOf, type Tree } from "../branches/tree.ts";
import type { Sibling } from "./context.ts";
import type { LiveRow, MessageRow } from "./rows.ts";

export interface SiblingPlace {
  /** Oldest first; fewer than two: there is nothing to choose. */
  siblings: readonly Sibling[];
  at: number;
}

const ALONE: SiblingPlace = { siblings: [], at: 0 };

export function placeOf(row: MessageRow | LiveRow, tree: Tree, live: readonly LiveRun[]): SiblingPlace {
  if (row.kind === "live") {
    // Only the first message of a run stands beside others: those behind it are its own.
    const { after, runId } = row.run;
    return row.at > 0 ? ALONE : placeAmong(childrenOf(tree, after), after, runId, tree, live);
  }
  // Mostly it is the message itself; else the first of its results that another one stands beside.
  const own = row.ids.find((id) => siblingsOf(tree, id).length > 1) ?? row.ids[0];
  return placeAmong(siblingsOf(tree, own), tree.nodes.get(own)?.parentMessageId ?? null, own, tree, live);
}

function placeAmong(
  recorded: readonly string[],
  after: string | null,
  own: string,
  tree: Tree,
  live: readonly LiveRun[],
): SiblingPlace {
  const running = live.filter((run) => run.after === after && !isRecorded(tree, recorded, run.runId));
  if (recorded.length + running.length < 2) return ALONE;
  const siblings = [
    ...recorded.map((id): Sibling => ({ id, kind: "message" })),
    ...running.map(({ runId }): Sibling => ({ id: runId, kind: "run" })),
  ];
  return { siblings, at: siblings.findIndex(({ id }) => id === own) };
}

/** Its first message is there already. */
function isRecorded({ nodes }: Tree, ids: readonly string[], runId: string): boolean {
  return ids.some((id) => nodes.get(id)?.runId === runId);
}

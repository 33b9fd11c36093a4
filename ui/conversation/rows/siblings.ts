// Finds the siblings of a row: the stored messages with the same parent, and the live runs that answer that parent.
import type { RunInProgress } from "../../data/types.ts";
import { listChildren, listSiblings, type BranchTree } from "../../branches/branch-tree.ts";
import type { Sibling } from "./row-commands.ts";
import type { LiveRow, StoredMessageRow } from "./build-rows.ts";

export interface SiblingPosition {
  /** The siblings, including the row itself, oldest first; empty if the row has no siblings. */
  siblings: readonly Sibling[];
  siblingIndex: number;
}

const NO_SIBLINGS: SiblingPosition = { siblings: [], siblingIndex: 0 };

export function findSiblings(
  row: StoredMessageRow | LiveRow,
  tree: BranchTree,
  liveRuns: readonly RunInProgress[],
): SiblingPosition {
  if (row.kind === "live") {
    // Only the first message of a run can have siblings, which are other answers to the same message. The later
    // messages of the run have the run's previous message as their parent.
    const { answeredId, runId } = row.run;
    return row.messageIndex > 0
      ? NO_SIBLINGS
      : buildPosition(listChildren(tree, answeredId), answeredId, runId, tree, liveRuns);
  }
  // A row consists of a message and the messages with its tool results. `ownId` is the first of them that has siblings;
  // the row's own message if none has.
  const ownId = row.ids.find((id) => listSiblings(tree, id).length > 1) ?? row.ids[0];
  return buildPosition(
    listSiblings(tree, ownId),
    tree.nodes.get(ownId)?.parentMessageId ?? null,
    ownId,
    tree,
    liveRuns,
  );
}

function buildPosition(
  storedIds: readonly string[],
  parentId: string | null,
  ownId: string,
  tree: BranchTree,
  liveRuns: readonly RunInProgress[],
): SiblingPosition {
  const running = liveRuns.filter((run) => run.answeredId === parentId && !isRunStored(tree, storedIds, run.runId));
  if (storedIds.length + running.length < 2) return NO_SIBLINGS;
  const siblings = [
    ...storedIds.map((id): Sibling => ({ id, kind: "message" })),
    ...running.map(({ runId }): Sibling => ({ id: runId, kind: "run" })),
  ];
  return { siblings, siblingIndex: siblings.findIndex(({ id }) => id === ownId) };
}

/** True if one of the stored messages belongs to the run; then the run is not listed a second time as a live run. */
function isRunStored({ nodes }: BranchTree, ids: readonly string[], runId: string): boolean {
  return ids.some((id) => nodes.get(id)?.runId === runId);
}

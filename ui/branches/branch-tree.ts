// Builds the tree of a conversation's messages, and finds children, siblings and paths in it. The functions use loops
// instead of recursion, because a conversation may be too deep for the call stack (B93).
import { listPath } from "../data/conversation/message-tree.ts";
import type { OutlineNode } from "../data/types.ts";

export interface BranchTree {
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  /** Ids of the child messages by parent id, oldest first. The key null has the root messages. */
  readonly children: ReadonlyMap<string | null, readonly string[]>;
}

const NO_IDS: readonly string[] = [];

export function buildTree(nodes: ReadonlyMap<string, OutlineNode>): BranchTree {
  const children = new Map<string | null, string[]>();
  for (const node of nodes.values()) {
    const parent = findParentId(nodes, node);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [node.id]);
    else siblings.push(node.id);
  }
  return { nodes, children };
}

/** Returns the parent's id; null for a root message and for a message whose parent is missing. */
function findParentId(nodes: ReadonlyMap<string, OutlineNode>, { parentMessageId }: OutlineNode): string | null {
  return parentMessageId !== null && nodes.has(parentMessageId) ? parentMessageId : null;
}

export function listChildren({ children }: BranchTree, id: string | null): readonly string[] {
  return children.get(id) ?? NO_IDS;
}

/** Returns the ids of the message and its siblings, oldest first; an empty list if the message is unknown. */
export function listSiblings(tree: BranchTree, id: string): readonly string[] {
  const node = tree.nodes.get(id);
  return node === undefined ? NO_IDS : listChildren(tree, findParentId(tree.nodes, node));
}

/** Returns the ids from the root to a message, both included; an empty list if the message is unknown. */
export function listPathTo({ nodes }: BranchTree, id: string): string[] {
  return listPath(nodes, id);
}

/**
 * For each parent id, the id of the child that was shown last; the key null has the id of the root message that was
 * shown last.
 */
export type LeafSelections = ReadonlyMap<string | null, string>;

/**
 * Returns the leaf to show when the user switches to the branch of the message `id`: from each message on, the child
 * that was shown last, otherwise the newest complete child. An interrupted answer that was never continued is skipped,
 * because it is not part of any path.
 */
export function findLeafUnder(tree: BranchTree, id: string, selections?: LeafSelections): string {
  let leaf = id;
  for (;;) {
    const next = findNext(tree, leaf, selections);
    if (next === undefined) return leaf;
    leaf = next;
  }
}

function findNext(tree: BranchTree, id: string, selections: LeafSelections | undefined): string | undefined {
  const children = listChildren(tree, id);
  const selected = selections?.get(id);
  if (selected !== undefined && children.includes(selected)) return selected;
  const isInterrupted = (child: string): boolean => tree.nodes.get(child)?.interrupted === true;
  const complete = children.findLast((child) => !isInterrupted(child));
  if (complete !== undefined) return complete;
  // All children are interrupted. If this message is interrupted, too, its children belong to the same run, and the
  // path leads to the end of that run. Otherwise only an interrupted child that was continued by a complete message is
  // used.
  if (isInterrupted(id)) return children.at(-1);
  return children.findLast((child) => listChildren(tree, child).some((grandchild) => !isInterrupted(grandchild)));
}

/** Stores each message of a path as the selected child of its parent, so that `findLeafUnder` finds the same leaf. */
export function storeSelections(selections: Map<string | null, string>, path: readonly string[]): void {
  let parent: string | null = null;
  for (const id of path) {
    selections.set(parent, id);
    parent = id;
  }
}

// The tree of a conversation's messages with its queries: children, siblings, paths. Iterative, because a conversation
// may be very deep (B93).
import type { OutlineNode } from "../data/types.ts";

export interface BranchTree {
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  /** By parent, oldest first; the roots under null. */
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

/** A message whose parent is missing becomes a root. */
function findParentId(nodes: ReadonlyMap<string, OutlineNode>, { parentMessageId }: OutlineNode): string | null {
  return parentMessageId !== null && nodes.has(parentMessageId) ? parentMessageId : null;
}

export function listChildren({ children }: BranchTree, id: string | null): readonly string[] {
  return children.get(id) ?? NO_IDS;
}

/** Returns the message and its siblings, oldest first. */
export function listSiblings(tree: BranchTree, id: string): readonly string[] {
  const node = tree.nodes.get(id);
  return node === undefined ? NO_IDS : listChildren(tree, findParentId(tree.nodes, node));
}

/** Returns the ids from the root to a message. */
export function listPathTo({ nodes }: BranchTree, id: string): string[] {
  const path: string[] = [];
  // Imported threads may contain a cycle.
  for (let node = nodes.get(id); node !== undefined && path.length <= nodes.size;) {
    path.push(node.id);
    node = node.parentMessageId === null ? undefined : nodes.get(node.parentMessageId);
  }
  return path.reverse();
}

/** The child that was last shown, by parent. */
export type LeafSelections = ReadonlyMap<string | null, string>;

/**
 * Returns the leaf to show when the user switches to a branch: the one that was last shown in it, else the newest.
 * Interrupted answers without a continuation are skipped: they stand beside the path.
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
  // All messages of an interrupted run are marked; a selected one is shown completely.
  if (isInterrupted(id)) return children.at(-1);
  return children.findLast((child) => listChildren(tree, child).some((grandchild) => !isInterrupted(grandchild)));
}

/** Stores the children of a path, so that returning to one of its branches shows the same leaf. */
export function storeSelections(selections: Map<string | null, string>, path: readonly string[]): void {
  let parent: string | null = null;
  for (const id of path) {
    selections.set(parent, id);
    parent = id;
  }
}

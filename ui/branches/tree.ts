// The tree of a conversation as its views ask for it: children, siblings, ways through it. Every walk is a loop, never a
// recursion: a conversation may be very deep (B93).
import type { OutlineNode } from "../data/types.ts";

export interface Tree {
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  /** By parent, oldest first; the roots under null. */
  readonly children: ReadonlyMap<string | null, readonly string[]>;
}

const NONE: readonly string[] = [];

export function treeOf(nodes: ReadonlyMap<string, OutlineNode>): Tree {
  const children = new Map<string | null, string[]>();
  for (const node of nodes.values()) {
    const parent = parentOf(nodes, node);
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [node.id]);
    else known.push(node.id);
  }
  return { nodes, children };
}

/** What stands behind a message that cannot be read is shown as a beginning. */
function parentOf(nodes: ReadonlyMap<string, OutlineNode>, { parentMessageId }: OutlineNode): string | null {
  return parentMessageId !== null && nodes.has(parentMessageId) ? parentMessageId : null;
}

export function childrenOf({ children }: Tree, id: string | null): readonly string[] {
  return children.get(id) ?? NONE;
}

/** The message and what stands in the same place, oldest first. */
export function siblingsOf(tree: Tree, id: string): readonly string[] {
  const node = tree.nodes.get(id);
  return node === undefined ? NONE : childrenOf(tree, parentOf(tree.nodes, node));
}

/** Ids from the root to a message. */
export function pathTo({ nodes }: Tree, id: string): string[] {
  const path: string[] = [];
  // What was imported may be a circle.
  for (let node = nodes.get(id); node !== undefined && path.length <= nodes.size;) {
    path.push(node.id);
    node = node.parentMessageId === null ? undefined : nodes.get(node.parentMessageId);
  }
  return path.reverse();
}

/** Which child a reader went on with, by parent. */
export type Choices = ReadonlyMap<string | null, string>;

/**
 * Where a branch ends for whoever switches to it: where they were in it last, else the newest of what was said. An
 * interrupted answer that nobody went on from is no end: it stands beside the path that it did not finish.
 */
export function leafUnder(tree: Tree, id: string, choices?: Choices): string {
  let leaf = id;
  for (;;) {
    const next = nextAfter(tree, leaf, choices);
    if (next === undefined) return leaf;
    leaf = next;
  }
}

function nextAfter(tree: Tree, id: string, choices: Choices | undefined): string | undefined {
  const children = childrenOf(tree, id);
  const chosen = choices?.get(id);
  if (chosen !== undefined && children.includes(chosen)) return chosen;
  const isInterrupted = (child: string): boolean => tree.nodes.get(child)?.interrupted === true;
  const whole = children.findLast((child) => !isInterrupted(child));
  if (whole !== undefined) return whole;
  // Of an interrupted turn, every message is marked: one that was chosen stays together.
  if (isInterrupted(id)) return children.at(-1);
  return children.findLast((child) => childrenOf(tree, child).some((grandchild) => !isInterrupted(grandchild)));
}

/** Notes the way of a path, so that whoever comes back to one of its branches finds the same end. */
export function noteChoices(choices: Map<string | null, string>, path: readonly string[]): void {
  let parent: string | null = null;
  for (const id of path) {
    choices.set(parent, id);
    parent = id;
  }
}

// Layout of the branch tree: one row per message from the root down, each in a lane. One child of a message continues
// in its lane; the others are laid out before it, one lane to the right. Long unbranched sequences are folded into one
// row. Linear in the size of the tree, without recursion.
import { listChildren, type BranchTree } from "./branch-tree.ts";

interface TreeRowPosition {
  /** 0: the lane of the active path and its continuation. */
  lane: number;
  /** The line comes from the lane to the left, not from above. */
  startsLane: boolean;
  /** The lane continues below. */
  hasRowBelow: boolean;
  active: boolean;
  /** Row of the message where this lane branches off; -1: none. */
  parentRow: number;
  /** Position among the rows of the same lane and parent row, from 1, and their number. */
  position: number;
  setSize: number;
}

export type TreeRow = TreeRowPosition &
  (
    | { kind: "message"; id: string }
    /** Folded messages; the id is that of the first one. */
    | { kind: "gap"; id: string; count: number }
    /** Shown above several root messages. */
    | { kind: "start"; id: "" }
  );

export interface TreeLayout {
  rows: readonly TreeRow[];
  /** Number of lanes. */
  lanes: number;
  /** Row of the active leaf; -1: none. */
  leafRow: number;
}

export interface TreeLayoutOptions {
  tree: BranchTree;
  /** From the root to the active leaf. */
  path: readonly string[];
  /** Expanded gaps, by the id of their first message. */
  expanded?: ReadonlySet<string>;
}

/** Shorter sequences are not folded. */
const MAX_UNFOLDED_MESSAGES = 2;

export function layoutTree({ tree, path, expanded = new Set() }: TreeLayoutOptions): TreeLayout {
  const active = new Set(path);
  const order = createChildOrder(tree, active, countDescendants(tree));
  const builder = new LayoutBuilder(tree, active, path.at(-1), expanded);
  const stack: LayoutStep[] = [];
  // The stack is last-in-first-out, so the child of the same lane is pushed first and laid out last.
  const pushChildren = (
    ordered: readonly string[],
    { lane, parentRow }: Pick<LayoutStep, "lane" | "parentRow">,
    row: number,
  ): void => {
    ordered.forEach((id, at) =>
      stack.push(
        at === 0
          ? { id, lane, startsLane: false, parentRow }
          : { id, lane: lane + 1, startsLane: true, parentRow: row },
      ),
    );
  };
  const hasStart = listChildren(tree, null).length > 1;
  if (hasStart) builder.addStart();
  pushChildren(order(null), { lane: 0, parentRow: -1 }, hasStart ? 0 : -1);
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    pushChildren(order(step.id), step, builder.addMessage(step));
  }
  return builder.finish();
}

interface LayoutStep {
  id: string;
  lane: number;
  startsLane: boolean;
  parentRow: number;
}

/**
 * Counts the messages under each message. Children follow their parents, so a backward pass visits every child first.
 */
function countDescendants({ nodes }: BranchTree): Map<string, number> {
  const counts = new Map<string, number>();
  const backwards = [...nodes.values()].reverse();
  for (const { id, parentMessageId } of backwards) {
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    if (parentMessageId !== null) counts.set(parentMessageId, (counts.get(parentMessageId) ?? 0) + count);
  }
  return counts;
}

/**
 * Returns the children of a message. First the one that continues its lane: the active one, else that of the largest
 * branch, which keeps the number of lanes small (at most log n besides the active path). Then the others, newest first.
 */
function createChildOrder(tree: BranchTree, active: ReadonlySet<string>, weights: ReadonlyMap<string, number>) {
  const readWeight = (id: string): number => (active.has(id) ? Number.POSITIVE_INFINITY : (weights.get(id) ?? 0));
  return (parent: string | null): readonly string[] => {
    const children = listChildren(tree, parent);
    if (children.length < 2) return children;
    let sameLane = children[0] ?? "";
    for (const child of children) if (readWeight(child) >= readWeight(sameLane)) sameLane = child;
    return [sameLane, ...children.filter((child) => child !== sameLane).reverse()];
  };
}

/** Appends rows, and folds unbranched sequences. */
class LayoutBuilder {
  readonly #rows: TreeRow[] = [];
  #leafRow = -1;
  /** The gap that is being filled; always the last row. */
  #gap: { row: TreeRow & { kind: "gap" }; steps: LayoutStep[] } | undefined;
  /** Last message of an expanded sequence. */
  #lastExpanded: string | undefined;
  readonly #tree: BranchTree;
  readonly #active: ReadonlySet<string>;
  readonly #leaf: string | undefined;
  readonly #expanded: ReadonlySet<string>;

  constructor(tree: BranchTree, active: ReadonlySet<string>, leaf: string | undefined, expanded: ReadonlySet<string>) {
    this.#tree = tree;
    this.#active = active;
    this.#leaf = leaf;
    this.#expanded = expanded;
  }

  addStart(): void {
    const position = { lane: 0, startsLane: false, hasRowBelow: true, active: this.#active.size > 0, parentRow: -1 };
    this.#rows.push({ kind: "start", id: "", ...position, position: 0, setSize: 0 });
  }

  /** Adds a message, or folds it into the current gap. Returns its row. */
  addMessage(step: LayoutStep): number {
    if (!this.#canFold(step) || this.#isExpanded(step.id)) {
      this.#closeGap();
      this.#addRow(step);
    } else if (this.#gap === undefined) {
      this.#gap = { row: { kind: "gap", id: step.id, count: 1, ...this.#toPosition(step) }, steps: [step] };
      this.#rows.push(this.#gap.row);
    } else {
      this.#gap.row.count = this.#gap.steps.push(step);
    }
    return this.#rows.length - 1;
  }

  finish(): TreeLayout {
    this.#closeGap();
    const groups = new Map<string, TreeRow[]>();
    let lanes = 1;
    for (const row of this.#rows) {
      const key = `${row.lane} ${row.parentRow}`;
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      row.position = group.push(row);
      lanes = Math.max(lanes, row.lane + 1);
    }
    for (const group of groups.values()) for (const row of group) row.setSize = group.length;
    return { rows: this.#rows, lanes, leafRow: this.#leafRow };
  }

  /** True if the message is neither a root nor a leaf nor at a branch. */
  #canFold({ id, startsLane }: LayoutStep): boolean {
    const parent = this.#tree.nodes.get(id)?.parentMessageId ?? null;
    const isOnlyChild =
      parent !== null && this.#tree.nodes.has(parent) && listChildren(this.#tree, parent).length === 1;
    return isOnlyChild && !startsLane && id !== this.#leaf && listChildren(this.#tree, id).length === 1;
  }

  /** True inside a sequence that the user has expanded; the set contains its first message. */
  #isExpanded(id: string): boolean {
    const parent = this.#tree.nodes.get(id)?.parentMessageId;
    if (!this.#expanded.has(id) && (this.#lastExpanded === undefined || this.#lastExpanded !== parent)) return false;
    this.#lastExpanded = id;
    return true;
  }

  #addRow(step: LayoutStep): void {
    if (step.id === this.#leaf) this.#leafRow = this.#rows.length;
    this.#rows.push({ kind: "message", id: step.id, ...this.#toPosition(step) });
  }

  #toPosition({ id, lane, startsLane, parentRow }: LayoutStep): TreeRowPosition {
    const goesOn = listChildren(this.#tree, id).length > 0;
    return { lane, startsLane, hasRowBelow: goesOn, active: this.#active.has(id), parentRow, position: 0, setSize: 0 };
  }

  /** A gap with very few messages is expanded. */
  #closeGap(): void {
    const gap = this.#gap;
    this.#gap = undefined;
    if (gap === undefined || gap.steps.length > MAX_UNFOLDED_MESSAGES) return;
    this.#rows.pop();
    for (const step of gap.steps) this.#addRow(step);
  }
}

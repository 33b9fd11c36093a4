// Computes the layout of the branch tree: one row per message from the root down, each in a lane (a column). One child
// of a message continues in the message's lane; the other children are laid out before it, one lane to the right. Long
// unbranched sequences are folded into one row. The layout takes time linear in the size of the tree and does not use
// recursion.
import { listChildren, type BranchTree } from "./branch-tree.ts";

interface TreeRowPosition {
  /**
   * Number of the lane, counted from the left, starting at 0. Lane 0 has the active path and the messages that continue
   * it.
   */
  lane: number;
  /** True for the first row of a branch: its line comes from the lane to the left, not from the row above. */
  startsLane: boolean;
  /** True if the lane continues below this row. */
  hasRowBelow: boolean;
  active: boolean;
  /** Index of the row where this lane branches off; -1 for a lane that starts at a root message. */
  parentRow: number;
  /**
   * Position of the row among the rows of its branch (the same lane and parent row), counted from 1, for screen
   * readers.
   */
  position: number;
  /** Number of rows of the branch (the same lane and parent row), for screen readers. */
  setSize: number;
}

export type TreeRow = TreeRowPosition &
  (
    | { kind: "message"; id: string }
    /** A folded sequence of `count` messages; `id` is the id of its first message. */
    | { kind: "gap"; id: string; count: number }
    /** The row above the root messages, if there are several of them. */
    | { kind: "start"; id: "" }
  );

export interface TreeLayout {
  rows: readonly TreeRow[];
  /** Number of lanes. */
  lanes: number;
  /** Index of the active leaf's row; -1 if there is no active leaf. */
  leafRow: number;
}

export interface TreeLayoutOptions {
  tree: BranchTree;
  /** Ids from the root to the active leaf. */
  path: readonly string[];
  /** Ids of the first messages of the folded sequences that the user has expanded. */
  expanded?: ReadonlySet<string>;
}

/** Unbranched sequences with at most this number of messages are not folded. */
const MAX_UNFOLDED_MESSAGES = 2;

export function layoutTree({ tree, path, expanded = new Set() }: TreeLayoutOptions): TreeLayout {
  const active = new Set(path);
  const order = createChildOrder(tree, active, countDescendants(tree));
  const builder = new LayoutBuilder(tree, active, path.at(-1), expanded);
  const stack: LayoutStep[] = [];
  // The first child in `ordered` continues the lane. It is pushed first, so that the loop pops it last and lays it out
  // below the others.
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
 * Counts the messages under each message, including itself. In `nodes`, children follow their parents, so a backward
 * pass visits every child before its parent.
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
 * Creates a function that lists the children of a message. The first listed child continues the message's lane: the
 * child on the active path, otherwise the child with the most descendants, which keeps the number of lanes logarithmic.
 * The other children follow, newest first.
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

/** Creates the rows in the order in which messages are added, and folds unbranched sequences into one row ("gap"). */
class LayoutBuilder {
  readonly #rows: TreeRow[] = [];
  #leafRow = -1;
  /**
   * The folded sequence to which messages are being added, which is always the last row; undefined if the last row is
   * not a gap.
   */
  #gap: { row: TreeRow & { kind: "gap" }; steps: LayoutStep[] } | undefined;
  /**
   * Id of the message that was added last to an expanded sequence. If the next message is its only child, it belongs to
   * the same sequence and is not folded either.
   */
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

  /**
   * Adds a row for a message, or adds the message to the current gap. Returns the index of the row that has the
   * message.
   */
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

  /** True if the message is an only child with exactly one child, and is neither a root nor the active leaf. */
  #canFold({ id, startsLane }: LayoutStep): boolean {
    const parent = this.#tree.nodes.get(id)?.parentMessageId ?? null;
    const isOnlyChild =
      parent !== null && this.#tree.nodes.has(parent) && listChildren(this.#tree, parent).length === 1;
    return isOnlyChild && !startsLane && id !== this.#leaf && listChildren(this.#tree, id).length === 1;
  }

  /**
   * True if the message belongs to a sequence that the user has expanded: `#expanded` has the id of the sequence's
   * first message.
   */
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
    const hasRowBelow = listChildren(this.#tree, id).length > 0;
    return { lane, startsLane, hasRowBelow, active: this.#active.has(id), parentRow, position: 0, setSize: 0 };
  }

  /**
   * Ends the current gap. If it has at most `MAX_UNFOLDED_MESSAGES` messages, replaces the gap by a row for each
   * message.
   */
  #closeGap(): void {
    const gap = this.#gap;
    this.#gap = undefined;
    if (gap === undefined || gap.steps.length > MAX_UNFOLDED_MESSAGES) return;
    this.#rows.pop();
    for (const step of gap.steps) this.#addRow(step);
  }
}

// Where each message of a tree is drawn. Rows run from the beginning downwards; a row has a lane. Of the children of a
// message one goes on in its lane, straight below; the others are drawn before it, one lane further right. Long stretches
// without a branch become one row. Linear in the size of the tree, and without recursion.
import { childrenOf, type Tree } from "./tree.ts";

interface Place {
  /** 0: the active path and what goes on from it. */
  lane: number;
  /** It comes out of the lane left of it, not from above. */
  turns: boolean;
  /** Its lane goes on below. */
  goesOn: boolean;
  /** On the active path. */
  active: boolean;
  /** The row of the message where this lane left another one; -1: none. */
  under: number;
  /** Its place among the rows of the same lane under the same row, from 1, and how many these are. */
  position: number;
  of: number;
}

export type TreeRow = Place &
  (
    | { kind: "message"; id: string }
    /** Messages of a stretch that are not drawn one by one; named after the first of them. */
    | { kind: "gap"; id: string; count: number }
    /** Above several first messages. */
    | { kind: "start"; id: "" }
  );

export interface Layout {
  rows: readonly TreeRow[];
  /** How many lanes there are. */
  lanes: number;
  /** The row of the active leaf; -1: none. */
  leafRow: number;
}

export interface LayoutOptions {
  tree: Tree;
  /** From the root to the active leaf. */
  path: readonly string[];
  /** Gaps that are drawn out, by the message they are named after. */
  expanded?: ReadonlySet<string>;
}

/** Stretches of so many messages or fewer are drawn as they are. */
const SHORT = 2;

export function layoutTree({ tree, path, expanded = new Set() }: LayoutOptions): Layout {
  const active = new Set(path);
  const order = ordering(tree, active, weigh(tree));
  const drawing = new Drawing(tree, active, path.at(-1), expanded);
  const stack: Step[] = [];
  // A stack gives the last first: the child that goes on is put there before the others.
  const plan = (ordered: readonly string[], { lane, under }: Pick<Step, "lane" | "under">, row: number): void => {
    ordered.forEach((id, at) =>
      stack.push(at === 0 ? { id, lane, turns: false, under } : { id, lane: lane + 1, turns: true, under: row }),
    );
  };
  const hasStart = childrenOf(tree, null).length > 1;
  if (hasStart) drawing.start();
  plan(order(null), { lane: 0, under: -1 }, hasStart ? 0 : -1);
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    plan(order(step.id), step, drawing.message(step));
  }
  return drawing.finish();
}

interface Step {
  id: string;
  lane: number;
  turns: boolean;
  under: number;
}

/** How many messages stand under each. Children come after their parents, so that backwards every child is known. */
function weigh({ nodes }: Tree): Map<string, number> {
  const weights = new Map<string, number>();
  const backwards = [...nodes.values()].reverse();
  for (const { id, parentMessageId } of backwards) {
    const own = (weights.get(id) ?? 0) + 1;
    weights.set(id, own);
    if (parentMessageId !== null) weights.set(parentMessageId, (weights.get(parentMessageId) ?? 0) + own);
  }
  return weights;
}

/**
 * The children of a message, first the one that goes on in its lane: the active one, else that of the largest branch, so that
 * there are few lanes (of n messages, at most log n beside the active path); then the others, newest first.
 */
function ordering(tree: Tree, active: ReadonlySet<string>, weights: ReadonlyMap<string, number>) {
  const weightOf = (id: string): number => (active.has(id) ? Number.POSITIVE_INFINITY : (weights.get(id) ?? 0));
  return (parent: string | null): readonly string[] => {
    const children = childrenOf(tree, parent);
    if (children.length < 2) return children;
    let straight = children[0] ?? "";
    for (const child of children) if (weightOf(child) >= weightOf(straight)) straight = child;
    return [straight, ...children.filter((child) => child !== straight).reverse()];
  };
}

/** Puts rows one after the other, and joins those of a stretch without a branch. */
class Drawing {
  readonly #rows: TreeRow[] = [];
  #leafRow = -1;
  /** The gap that is being filled, which is the last row. */
  #gap: { row: TreeRow & { kind: "gap" }; steps: Step[] } | undefined;
  /** The last message of a stretch that the reader has opened. */
  #opened: string | undefined;
  readonly #tree: Tree;
  readonly #active: ReadonlySet<string>;
  readonly #leaf: string | undefined;
  readonly #expanded: ReadonlySet<string>;

  constructor(tree: Tree, active: ReadonlySet<string>, leaf: string | undefined, expanded: ReadonlySet<string>) {
    this.#tree = tree;
    this.#active = active;
    this.#leaf = leaf;
    this.#expanded = expanded;
  }

  start(): void {
    const place = { lane: 0, turns: false, goesOn: true, active: this.#active.size > 0, under: -1 };
    this.#rows.push({ kind: "start", id: "", ...place, position: 0, of: 0 });
  }

  /** Draws a message, or leaves it to a gap. Gives the row that it is in. */
  message(step: Step): number {
    if (!this.#isPlain(step) || this.#isOpened(step.id)) {
      this.#closeGap();
      this.#draw(step);
    } else if (this.#gap === undefined) {
      this.#gap = { row: { kind: "gap", id: step.id, count: 1, ...this.#place(step) }, steps: [step] };
      this.#rows.push(this.#gap.row);
    } else {
      this.#gap.row.count = this.#gap.steps.push(step);
    }
    return this.#rows.length - 1;
  }

  finish(): Layout {
    this.#closeGap();
    const groups = new Map<string, TreeRow[]>();
    let lanes = 1;
    for (const row of this.#rows) {
      const key = `${row.lane} ${row.under}`;
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      row.position = group.push(row);
      lanes = Math.max(lanes, row.lane + 1);
    }
    for (const group of groups.values()) for (const row of group) row.of = group.length;
    return { rows: this.#rows, lanes, leafRow: this.#leafRow };
  }

  /** Neither a beginning nor an end, nor at a branch: it need not be named. */
  #isPlain({ id, turns }: Step): boolean {
    const parent = this.#tree.nodes.get(id)?.parentMessageId ?? null;
    const isOnlyChild = parent !== null && this.#tree.nodes.has(parent) && childrenOf(this.#tree, parent).length === 1;
    return isOnlyChild && !turns && id !== this.#leaf && childrenOf(this.#tree, id).length === 1;
  }

  /** In a stretch that the reader has opened: it is known by its first message. */
  #isOpened(id: string): boolean {
    const parent = this.#tree.nodes.get(id)?.parentMessageId;
    if (!this.#expanded.has(id) && (this.#opened === undefined || this.#opened !== parent)) return false;
    this.#opened = id;
    return true;
  }

  #draw(step: Step): void {
    if (step.id === this.#leaf) this.#leafRow = this.#rows.length;
    this.#rows.push({ kind: "message", id: step.id, ...this.#place(step) });
  }

  #place({ id, lane, turns, under }: Step): Place {
    const goesOn = childrenOf(this.#tree, id).length > 0;
    return { lane, turns, goesOn, active: this.#active.has(id), under, position: 0, of: 0 };
  }

  /** A gap that would hide next to nothing is drawn out after all. */
  #closeGap(): void {
    const gap = this.#gap;
    this.#gap = undefined;
    if (gap === undefined || gap.steps.length > SHORT) return;
    this.#rows.pop();
    for (const step of gap.steps) this.#draw(step);
  }
}

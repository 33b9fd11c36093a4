// Tests the layout of branch trees and their navigation, with random and very large trees.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layoutTree, type TreeLayout, type TreeRow } from "../../../ui/branches/tree-layout.ts";
import {
  findLeafUnder,
  storeSelections,
  listPathTo,
  listSiblings,
  buildTree,
  type BranchTree,
} from "../../../ui/branches/branch-tree.ts";
import type { OutlineNode } from "../../../ui/data/types.ts";

const toId = (at: number): string => String(at).padStart(7, "0");

/** Creates a tree from parent indexes; -1 for a root. */
function createTree(parents: readonly number[], interrupted: ReadonlySet<number> = new Set()): BranchTree {
  const nodes = parents.map((parent, at): OutlineNode => {
    const parentMessageId = parent < 0 ? null : toId(parent);
    const node: OutlineNode = { id: toId(at), parentMessageId, role: "user", createdAt: "", preview: `${at}` };
    return interrupted.has(at) ? { ...node, interrupted: true } : node;
  });
  return buildTree(new Map(nodes.map((node) => [node.id, node])));
}

const trees = fc
  .array(fc.nat(), { minLength: 1, maxLength: 60 })
  .chain((seeds) =>
    fc.record({
      // Mostly chains, with some roots and forks.
      parents: fc.constant(seeds.map((seed, at) => (seed % 11 === 0 ? -1 : seed % 3 === 0 ? seed % (at + 1) : at) - 1)),
      leaf: fc.nat({ max: seeds.length - 1 }),
    }),
  )
  .map(({ parents, leaf }) => {
    const tree = createTree(parents);
    return { tree, path: listPathTo(tree, toId(leaf)) };
  });

const listIds = ({ rows }: TreeLayout): string[] => rows.flatMap((row) => (row.kind === "message" ? [row.id] : []));
const countHidden = ({ rows }: TreeLayout): number =>
  rows.reduce((sum, row) => sum + (row.kind === "gap" ? row.count : 0), 0);

/** Asserts the invariants of a layout. */
function assertLayout(tree: BranchTree, path: readonly string[], layout: TreeLayout): void {
  const { rows } = layout;
  const drawn = listIds(layout);
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(drawn.length + countHidden(layout)).toBe(tree.nodes.size);
  const rowOf = new Map(rows.map((row, at) => [row.id, at]));
  const onPath = new Set(path);
  for (const [at, row] of rows.entries()) {
    if (row.kind === "start") continue;
    const parent = tree.nodes.get(row.id)?.parentMessageId ?? null;
    // A row that starts a lane references its parent's row, one lane to the left.
    if (row.startsLane) expect(rows[row.parentRow]).toMatchObject({ id: parent ?? "", lane: row.lane - 1 });
    const parentRow = parent === null ? undefined : rowOf.get(parent);
    if (parentRow !== undefined) expect(parentRow).toBeLessThan(at);
    if (onPath.has(row.id)) expect(row).toMatchObject({ lane: 0, active: true });
    else expect(row.active).toBe(false);
    if (row.kind === "gap") expect(row.count).toBeGreaterThan(2);
  }
  expect(rows[layout.leafRow]?.id).toBe(path.at(-1));
  expect(layout.lanes).toBeLessThanOrEqual(2 + Math.log2(tree.nodes.size));
}

describe("the tree layout", () => {
  test("shows every message once, parents above, the active path in the first lane, with few lanes", () => {
    fc.assert(fc.property(trees, ({ tree, path }) => assertLayout(tree, path, layoutTree({ tree, path }))));
  });

  test("contains every message if all gaps are expanded", () => {
    fc.assert(
      fc.property(trees, ({ tree, path }) => {
        const gaps = layoutTree({ tree, path }).rows.filter(({ kind }) => kind === "gap");
        const layout = layoutTree({ tree, path, expanded: new Set(gaps.map(({ id }) => id)) });
        expect(countHidden(layout)).toBe(0);
        assertLayout(tree, path, layout);
      }),
    );
  });

  test("numbers the rows of a lane", () => {
    fc.assert(
      fc.property(trees, ({ tree, path }) => {
        const groups = Map.groupBy(layoutTree({ tree, path }).rows, ({ lane, parentRow }) => `${lane} ${parentRow}`);
        for (const group of groups.values()) {
          expect(group.map(({ position, setSize }) => [position, setSize])).toStrictEqual(
            group.map((_, at) => [at + 1, group.length]),
          );
        }
      }),
    );
  });

  test("folds a long unbranched sequence, and keeps a short one", () => {
    const shape = (parents: number[], leaf: number, expanded: string[] = []): string => {
      const tree = createTree(parents);
      const layout = layoutTree({ tree, path: listPathTo(tree, toId(leaf)), expanded: new Set(expanded) });
      const word = (row: TreeRow): string => (row.kind === "gap" ? `(${row.count})` : `${Number(row.id)}`);
      return layout.rows.map((row) => ">".repeat(row.lane) + word(row)).join(" ");
    };
    expect(shape([-1, 0, 1, 2], 3)).toBe("0 1 2 3");
    expect(shape([-1, 0, 1, 2, 3], 4)).toBe("0 (3) 4");
    expect(shape([-1, 0, 1, 2, 3], 4, [toId(1)])).toBe("0 1 2 3 4");
    // Regenerated at 1: the previous answer is beside it, even if it is longer.
    expect(shape([-1, 0, 1, 2, 3, 0], 5)).toBe("0 >1 >2 >3 >4 5");
    expect(shape([-1, 0, 1, 2, 3, 0], 4)).toBe("0 >5 1 2 3 4");
    // The path may end before its branch.
    expect(shape([-1, 0, 1, 2, 3, 4, 5], 3)).toBe("0 1 2 3 4 5 6");
    expect(shape([-1, -1], 0)).toBe("0 >1 0");
  });

  test.each([
    ["one chain", (at: number) => at - 1, 3],
    ["one question with very many answers", (at: number) => (at === 0 ? -1 : 0), 100_000],
    ["a comb", (at: number) => (at < 2 ? at - 1 : at % 2 === 0 ? at - 2 : at - 1), 100_000],
    ["only roots", () => -1, 100_001],
  ])("handles 100,000 messages without recursion: %s", (_, parent, rows) => {
    const tree = createTree(Array.from({ length: 100_000 }, (__, at) => parent(at)));
    const layout = layoutTree({ tree, path: listPathTo(tree, toId(99_999)) });
    expect(layout.rows).toHaveLength(rows);
    expect(layout.lanes).toBeLessThan(20);
    expect(findLeafUnder(tree, toId(0))).toBeDefined();
  });
});

describe("navigation in a tree", () => {
  // 0 ┬ 1 ─ 2 ┬ 3
  //   │       └ 4
  //   └ 5 (interrupted)
  const tree = createTree([-1, 0, 1, 2, 2, 0], new Set([5]));
  const leaf = (from: number, ...chosen: number[]): number => {
    const choices = new Map<string | null, string>();
    if (chosen.length > 0) storeSelections(choices, listPathTo(tree, toId(chosen[0] ?? 0)));
    return Number(findLeafUnder(tree, toId(from), choices));
  };

  test("B93: siblings are the messages with the same parent", () => {
    expect(listSiblings(tree, toId(3)).map(Number)).toStrictEqual([3, 4]);
    expect(listSiblings(tree, toId(1)).map(Number)).toStrictEqual([1, 5]);
    expect(listSiblings(tree, "unknown")).toStrictEqual([]);
  });

  test("a branch ends with its newest complete message, or with the leaf that was shown last", () => {
    expect(leaf(0)).toBe(4);
    expect(leaf(1, 3)).toBe(3);
    expect(leaf(0, 3)).toBe(3);
    expect(leaf(5)).toBe(5);
  });

  test("an interrupted answer is a leaf only if it has a continuation", () => {
    expect(Number(findLeafUnder(createTree([-1, 0], new Set([1])), toId(0)))).toBe(0);
    expect(Number(findLeafUnder(createTree([-1, 0, 1], new Set([1])), toId(0)))).toBe(2);
    expect(Number(findLeafUnder(createTree([-1, 0, 1], new Set([1, 2])), toId(1)))).toBe(2);
  });
});

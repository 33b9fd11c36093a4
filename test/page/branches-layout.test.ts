// Where a tree of messages is drawn, and which ways lead through it: of trees made at random, and of very large ones.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layoutTree, type Layout, type TreeRow } from "../../ui/branches/layout.ts";
import { leafUnder, noteChoices, pathTo, siblingsOf, treeOf, type Tree } from "../../ui/branches/tree.ts";
import type { OutlineNode } from "../../ui/data/types.ts";

const nameOf = (at: number): string => String(at).padStart(7, "0");

/** A tree of as many messages as there are numbers: each says which of those before it the message answers; -1: none. */
function treeFrom(parents: readonly number[], interrupted: ReadonlySet<number> = new Set()): Tree {
  const nodes = parents.map((parent, at): OutlineNode => {
    const parentMessageId = parent < 0 ? null : nameOf(parent);
    const node: OutlineNode = { id: nameOf(at), parentMessageId, role: "user", createdAt: "", preview: `${at}` };
    return interrupted.has(at) ? { ...node, interrupted: true } : node;
  });
  return treeOf(new Map(nodes.map((node) => [node.id, node])));
}

const trees = fc
  .array(fc.nat(), { minLength: 1, maxLength: 60 })
  .chain((seeds) =>
    fc.record({
      // Mostly chains, with roots and forks among them.
      parents: fc.constant(seeds.map((seed, at) => (seed % 11 === 0 ? -1 : seed % 3 === 0 ? seed % (at + 1) : at) - 1)),
      leaf: fc.nat({ max: seeds.length - 1 }),
    }),
  )
  .map(({ parents, leaf }) => {
    const tree = treeFrom(parents);
    return { tree, path: pathTo(tree, nameOf(leaf)) };
  });

const idsOf = ({ rows }: Layout): string[] => rows.flatMap((row) => (row.kind === "message" ? [row.id] : []));
const hidden = ({ rows }: Layout): number => rows.reduce((sum, row) => sum + (row.kind === "gap" ? row.count : 0), 0);

/** What a reader must be able to trust of a drawing. */
function checkDrawing(tree: Tree, path: readonly string[], layout: Layout): void {
  const { rows } = layout;
  const drawn = idsOf(layout);
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(drawn.length + hidden(layout)).toBe(tree.nodes.size);
  const rowOf = new Map(rows.map((row, at) => [row.id, at]));
  const onPath = new Set(path);
  for (const [at, row] of rows.entries()) {
    if (row.kind === "start") continue;
    const parent = tree.nodes.get(row.id)?.parentMessageId ?? null;
    // Whatever is not straight below its parent says where it comes from, which is above, one lane to the left.
    if (row.turns) expect(rows[row.under]).toMatchObject({ id: parent ?? "", lane: row.lane - 1 });
    const parentRow = parent === null ? undefined : rowOf.get(parent);
    if (parentRow !== undefined) expect(parentRow).toBeLessThan(at);
    if (onPath.has(row.id)) expect(row).toMatchObject({ lane: 0, active: true });
    else expect(row.active).toBe(false);
    if (row.kind === "gap") expect(row.count).toBeGreaterThan(2);
  }
  expect(rows[layout.leafRow]?.id).toBe(path.at(-1));
  expect(layout.lanes).toBeLessThanOrEqual(2 + Math.log2(tree.nodes.size));
}

describe("the drawing of a tree", () => {
  test("shows every message once, parents above, the active path in the first lane, few lanes", () => {
    fc.assert(fc.property(trees, ({ tree, path }) => checkDrawing(tree, path, layoutTree({ tree, path }))));
  });

  test("is the whole tree where every gap is drawn out", () => {
    fc.assert(
      fc.property(trees, ({ tree, path }) => {
        const gaps = layoutTree({ tree, path }).rows.filter(({ kind }) => kind === "gap");
        const layout = layoutTree({ tree, path, expanded: new Set(gaps.map(({ id }) => id)) });
        expect(hidden(layout)).toBe(0);
        checkDrawing(tree, path, layout);
      }),
    );
  });

  test("numbers the rows of a lane among their like", () => {
    fc.assert(
      fc.property(trees, ({ tree, path }) => {
        const groups = Map.groupBy(layoutTree({ tree, path }).rows, ({ lane, under }) => `${lane} ${under}`);
        for (const group of groups.values()) {
          expect(group.map(({ position, of }) => [position, of])).toStrictEqual(
            group.map((_, at) => [at + 1, group.length]),
          );
        }
      }),
    );
  });

  test("joins a long stretch, and draws a short one as it is", () => {
    const shape = (parents: number[], leaf: number, expanded: string[] = []): string => {
      const tree = treeFrom(parents);
      const layout = layoutTree({ tree, path: pathTo(tree, nameOf(leaf)), expanded: new Set(expanded) });
      const word = (row: TreeRow): string => (row.kind === "gap" ? `(${row.count})` : `${Number(row.id)}`);
      return layout.rows.map((row) => ">".repeat(row.lane) + word(row)).join(" ");
    };
    expect(shape([-1, 0, 1, 2], 3)).toBe("0 1 2 3");
    expect(shape([-1, 0, 1, 2, 3], 4)).toBe("0 (3) 4");
    expect(shape([-1, 0, 1, 2, 3], 4, [nameOf(1)])).toBe("0 1 2 3 4");
    // Regenerated at 1: the former answer stands beside, also where it is the longer one.
    expect(shape([-1, 0, 1, 2, 3, 0], 5)).toBe("0 >1 >2 >3 >4 5");
    expect(shape([-1, 0, 1, 2, 3, 0], 4)).toBe("0 >5 1 2 3 4");
    // The path may end before its branch does.
    expect(shape([-1, 0, 1, 2, 3, 4, 5], 3)).toBe("0 1 2 3 4 5 6");
    expect(shape([-1, -1], 0)).toBe("0 >1 0");
  });

  test.each([
    ["one chain", (at: number) => at - 1, 3],
    ["one question with very many answers", (at: number) => (at === 0 ? -1 : 0), 100_000],
    ["a comb", (at: number) => (at < 2 ? at - 1 : at % 2 === 0 ? at - 2 : at - 1), 100_000],
    ["nothing but beginnings", () => -1, 100_001],
  ])("of 100,000 messages is there without a recursion: %s", (_, parent, rows) => {
    const tree = treeFrom(Array.from({ length: 100_000 }, (__, at) => parent(at)));
    const layout = layoutTree({ tree, path: pathTo(tree, nameOf(99_999)) });
    expect(layout.rows).toHaveLength(rows);
    expect(layout.lanes).toBeLessThan(20);
    expect(leafUnder(tree, nameOf(0))).toBeDefined();
  });
});

describe("the way through a tree", () => {
  // 0 ┬ 1 ─ 2 ┬ 3
  //   │       └ 4
  //   └ 5 (interrupted)
  const tree = treeFrom([-1, 0, 1, 2, 2, 0], new Set([5]));
  const leaf = (from: number, ...chosen: number[]): number => {
    const choices = new Map<string | null, string>();
    if (chosen.length > 0) noteChoices(choices, pathTo(tree, nameOf(chosen[0] ?? 0)));
    return Number(leafUnder(tree, nameOf(from), choices));
  };

  test("B93: siblings are what answers the same message", () => {
    expect(siblingsOf(tree, nameOf(3)).map(Number)).toStrictEqual([3, 4]);
    expect(siblingsOf(tree, nameOf(1)).map(Number)).toStrictEqual([1, 5]);
    expect(siblingsOf(tree, "unknown")).toStrictEqual([]);
  });

  test("a branch ends with the newest that was said whole, or where the reader was in it last", () => {
    expect(leaf(0)).toBe(4);
    expect(leaf(1, 3)).toBe(3);
    expect(leaf(0, 3)).toBe(3);
    expect(leaf(5)).toBe(5);
  });

  test("an interrupted answer is an end only where somebody went on from it", () => {
    expect(Number(leafUnder(treeFrom([-1, 0], new Set([1])), nameOf(0)))).toBe(0);
    expect(Number(leafUnder(treeFrom([-1, 0, 1], new Set([1])), nameOf(0)))).toBe(2);
    expect(Number(leafUnder(treeFrom([-1, 0, 1], new Set([1, 2])), nameOf(1)))).toBe(2);
  });
});

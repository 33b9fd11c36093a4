// Ways through trees that branch at random, compared with the plain ways.
import { expect, test } from "vitest";
import type { MessageRow } from "../../src/ledger/index.ts";
import { findOnPath, leaving, pathUp } from "../../src/ledger/paths.ts";
import { got, runNow } from "../../src/ledger/steps.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import { seededRandom } from "../../src/testkit/index.ts";

const key = { tenant: "t", threadId: "x" };
const pad = (index: number): string => String(index).padStart(26, "0");

/** Rows of a tree. The shape says how far back a message may look for its parent: 1 makes a list. */
function randomTree(count: number, reach: number, random: () => number): MessageRow[] {
  return Array.from({ length: count }, (_, index) => {
    const parent = index - 1 - Math.floor(random() * reach);
    const parentId = parent < 0 ? null : pad(parent);
    return { ...key, id: pad(index), parentId, runId: null, role: "user", digest: "", body: "{}" };
  });
}

function plainPath(rows: readonly MessageRow[], leaf: string | null): string[] {
  const path: string[] = [];
  for (let id = leaf; id !== null; id = rows[Number(id)]?.parentId ?? null) path.push(id);
  return path;
}

const shapes: [what: string, count: number, reach: number][] = [
  ["a list", 2500, 1],
  ["a few branches", 1000, 3],
  ["many branches", 1000, 50],
  ["a bush", 500, 500],
  ["one message", 1, 1],
];
test.each(shapes)("B93: %s is walked as it is", async (_what, count, reach) => {
  const random = seededRandom(count + reach);
  const rows = randomTree(count, reach, random);
  const store = memoryStore();
  const thread = {
    tenant: "t",
    id: "x",
    title: null,
    scope: null,
    kind: null,
    metadata: null,
    createdAt: "",
    pinned: false,
    leafId: null,
  };
  await store.write(function* plant(tx) {
    yield* got(tx.insertThread(thread));
    yield* got(tx.insertMessages(rows));
  });
  const anywhere = (): string | null => (random() < 0.05 ? null : pad(Math.floor(random() * count)));
  for (let attempt = 0; attempt < 40; attempt++) {
    const [one, other] = [anywhere(), anywhere()];
    const path = plainPath(rows, one);
    const otherPath = new Set(plainPath(rows, other));
    expect(runNow(pathUp(store.reads, key, one)).map(({ id }) => id)).toStrictEqual(path);
    const left = runNow(leaving(store.reads, key, one, other)).map(({ id }) => id);
    expect(left).toStrictEqual(path.filter((id) => !otherPath.has(id)));
    const found = other === null ? undefined : runNow(findOnPath(store.reads, key, one, other))?.id;
    expect(found).toBe(path.find((id) => id === other));
  }
});

test("a message that is not there ends the way", () => {
  const store = memoryStore();
  expect(runNow(pathUp(store.reads, key, pad(1)))).toStrictEqual([]);
  expect(runNow(leaving(store.reads, key, pad(1), pad(2)))).toStrictEqual([]);
  expect(runNow(findOnPath(store.reads, key, pad(2), pad(1)))).toBeUndefined();
});

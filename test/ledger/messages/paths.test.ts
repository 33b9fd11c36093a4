// Tests path reads on random trees against a simple implementation.
import { expect, test } from "vitest";
import type { MessageRow } from "../../../src/ledger/store/index.ts";
import { findOnPath, findLeavingMessages, readPath } from "../../../src/ledger/messages/paths.ts";
import { wait, runSync } from "../../../src/ledger/store/steps.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import { seededRandom } from "../../../src/testkit/index.ts";

const key = { tenant: "t", threadId: "x" };
const pad = (index: number): string => String(index).padStart(26, "0");

/** Creates the rows of a tree. `reach` is the maximum distance to a parent: 1 makes a list. */
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
test.each(shapes)("B93: %s has the path of the simple implementation", async (_what, count, reach) => {
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
    yield* wait(tx.insertThread(thread));
    yield* wait(tx.insertMessages(rows));
  });
  const anywhere = (): string | null => (random() < 0.05 ? null : pad(Math.floor(random() * count)));
  for (let attempt = 0; attempt < 40; attempt++) {
    const [one, other] = [anywhere(), anywhere()];
    const path = plainPath(rows, one);
    const otherPath = new Set(plainPath(rows, other));
    expect(runSync(readPath(store.reads, key, one)).map(({ id }) => id)).toStrictEqual(path);
    const left = runSync(findLeavingMessages(store.reads, key, one, other)).map(({ id }) => id);
    expect(left).toStrictEqual(path.filter((id) => !otherPath.has(id)));
    const leavingIds = other === null ? undefined : runSync(findOnPath(store.reads, key, one, other))?.id;
    expect(leavingIds).toBe(path.find((id) => id === other));
  }
});

test("a missing message ends the path", () => {
  const store = memoryStore();
  expect(runSync(readPath(store.reads, key, pad(1)))).toStrictEqual([]);
  expect(runSync(findLeavingMessages(store.reads, key, pad(1), pad(2)))).toStrictEqual([]);
  expect(runSync(findOnPath(store.reads, key, pad(2), pad(1)))).toBeUndefined();
});

// Tests the search index of a SQLite file after deletions, vacuum and indexing by other processes.
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { MessageRow } from "../../../../src/ledger/store/rows.ts";
import { wait } from "../../../../src/ledger/store/steps.ts";
import type { LedgerStore } from "../../../../src/ledger/store/contract.ts";
import { createSnippet, parseQuery } from "../../../../src/ledger/search/tokenize.ts";
import { toTestId, messageRow } from "../../../../src/testkit/store/rows.ts";
import { KEY, sqliteFiles } from "../../support/sqlite.ts";

const files = sqliteFiles();
const bodyOf = ({ body }: MessageRow): string => body;

async function add(store: LedgerStore, ordinal: number, body: string): Promise<void> {
  await store.write((tx) => wait(tx.insertMessages([messageRow(KEY, ordinal, { body })])));
}

async function remove(store: LedgerStore, ...numbers: number[]): Promise<void> {
  await store.write((tx) => wait(tx.deleteMessages(KEY, numbers.map(toTestId))));
}

async function searchNumbers(store: LedgerStore, text: string): Promise<number[]> {
  const hits = await store.search({ tenant: KEY.tenant, text, limit: 100 });
  return hits.map(({ messageId }) => Number(messageId)).sort((left, right) => left - right);
}

test("a message with the row number of a deleted one is indexed", async () => {
  const store = await files.open(files.path());
  for (const number of [1, 2, 3]) await add(store, number, `old ${number}`);
  expect(await store.indexMessages(bodyOf, 10)).toBe(3);
  await remove(store, 2, 3);
  expect(await searchNumbers(store, "old")).toStrictEqual([1]);
  await add(store, 4, "new four");
  await add(store, 5, "new five");
  expect(await store.indexMessages(bodyOf, 10)).toBe(2);
  expect(await searchNumbers(store, "new")).toStrictEqual([4, 5]);
  expect(await searchNumbers(store, "old")).toStrictEqual([1]);
});

test("a message after the deletion of all others is indexed", async () => {
  const store = await files.open(files.path());
  await add(store, 1, "old");
  await store.indexMessages(bodyOf, 10);
  await store.write((tx) => wait(tx.deleteThread(KEY)));
  await add(store, 2, "new");
  expect(await store.indexMessages(bodyOf, 10)).toBe(1);
  expect(await searchNumbers(store, "new")).toStrictEqual([2]);
  expect(await searchNumbers(store, "old")).toStrictEqual([]);
});

test("a message that was deleted before it was indexed has no effect", async () => {
  const store = await files.open(files.path());
  for (const number of [1, 2, 3]) await add(store, number, "word");
  await remove(store, 1, 3);
  expect(await store.indexMessages(bodyOf, 10)).toBe(1);
  expect(await searchNumbers(store, "word")).toStrictEqual([2]);
});

test("messages are still found after a vacuum", async () => {
  const store = await files.open(files.path());
  for (let number = 1; number <= 40; number++) await add(store, number, `word${number}`);
  await store.indexMessages(bodyOf, 100);
  await remove(store, 1, 2, 3, 10, 20);
  await store.vacuum();
  expect(await searchNumbers(store, "word11")).toStrictEqual([11]);
  expect(await searchNumbers(store, "word40")).toStrictEqual([40]);
  expect(await searchNumbers(store, "word10")).toStrictEqual([]);
  await add(store, 41, "word41");
  expect(await store.indexMessages(bodyOf, 100)).toBe(1);
  expect(await searchNumbers(store, "word41")).toStrictEqual([41]);
});

test("two concurrent indexers index every message once", async () => {
  const path = files.path();
  const [one, other] = [await files.open(path), await files.open(path)];
  for (let number = 1; number <= 120; number++) await add(one, number, `word${number} all`);
  const taken = await Promise.all([one.indexMessages(bodyOf, 200), other.indexMessages(bodyOf, 200)]);
  expect(taken[0] + taken[1]).toBe(120);
  expect(await searchNumbers(other, "all")).toHaveLength(100);
  expect(await searchNumbers(one, "word7")).toStrictEqual([7]);
});

test("a message that is replaced while its text is computed is not found by the old text", async () => {
  const path = files.path();
  const store = await files.open(path);
  await add(store, 1, "old");
  const other = new DatabaseSync(path);
  const replacing = (row: MessageRow): string => {
    if (row.body === "old")
      other.exec(
        "DELETE FROM messages; INSERT INTO messages SELECT 'acme', 'thread', 'x', NULL, NULL, 'user', '', 'new', 1",
      );
    return row.body;
  };
  expect(await store.indexMessages(replacing, 10)).toBe(1);
  other.close();
  expect(await searchNumbers(store, "old")).toStrictEqual([]);
  expect(await store.search({ tenant: KEY.tenant, text: "new", limit: 5 })).toMatchObject([{ messageId: "x" }]);
});

test("messages without text leave no entry and are not read again", async () => {
  const path = files.path();
  const store = await files.open(path);
  await add(store, 1, "ignored");
  expect(await store.indexMessages(() => "", 10)).toBe(1);
  expect(await store.indexMessages(bodyOf, 10)).toBe(0);
  expect(await searchNumbers(store, "ignored")).toStrictEqual([]);
});

const accents: [text: string, query: string][] = [
  ["Crème brûlée", "creme BRULEE"],
  ["creme", "crème"],
  ["e\u0301tude", "étude"],
  ["हिन्दी भाषा", "हिन्दी"],
  ["Straße 北京", "北京"],
];
test.each(accents)("%j is found by %j, and its snippet shows it", async (text, query) => {
  const store = await files.open(files.path());
  const filler = "lorem ipsum ".repeat(50);
  await add(store, 1, `${filler}${text} ${filler}`);
  await store.indexMessages(bodyOf, 10);
  const hits = await store.search({ tenant: KEY.tenant, text: query, limit: 5 });
  expect(hits).toMatchObject([{ messageId: toTestId(1) }]);
  expect(hits[0]?.snippet).toContain(text);
});

test("a word with diacritics is one word: its letters alone do not match", async () => {
  const store = await files.open(files.path());
  await add(store, 1, "हिन्दी");
  await store.indexMessages(bodyOf, 10);
  expect(await searchNumbers(store, "न")).toStrictEqual([]);
  expect(await searchNumbers(store, "हिन्दी")).toStrictEqual([1]);
});

const snippets: [sentence: string, text: string, words: string[], snippet: string][] = [
  ["a short text is complete", "one two", ["two"], "one two"],
  [
    "a truncated text ends with an ellipsis",
    `${"a".repeat(70)} x ${"b".repeat(70)}`,
    ["x"],
    `…${"a".repeat(59)} x ${"b".repeat(59)}…`,
  ],
  ["no surrogate pair is cut", `${"😀".repeat(50)} x`, ["x"], `…${"😀".repeat(30)} x`],
  ["a text without the words is shown from its start", "a".repeat(130), ["x"], `${"a".repeat(120)}…`],
];
test.each(snippets)("%s", (_, text, words, snippet) => {
  expect(createSnippet(text, parseQuery({ text: words.join(" ") }))).toBe(snippet);
});

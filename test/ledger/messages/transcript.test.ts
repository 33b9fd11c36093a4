// Tests transcripts: whole, by branch, by page, and long ones.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { assistant, user, type Message, type StoredMessage } from "../../../src/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { type OpenLedger, STORES } from "../support/stores.ts";

function turn(index: number): Message {
  return index % 2 === 0 ? user(`q${index}`) : assistant(`a${index}`);
}

function ids(messages: readonly StoredMessage[]): string[] {
  return messages.map(({ id }) => id);
}

describe.each(STORES)("$name", (storage) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await storage.open();
    ledger = opened.ledger;
  });
  beforeEach(async () => {
    threadId = (await ledger.createThread()).id;
  });
  afterAll(() => opened.close());

  /** Appends this many messages under a parent, in batches. */
  async function grow(count: number, parentMessageId?: string): Promise<StoredMessage[]> {
    const grown: StoredMessage[] = [];
    while (grown.length < count) {
      const batch = Array.from({ length: Math.min(1000, count - grown.length) }, (_, at) => turn(grown.length + at));
      const parentId = grown.length === 0 && parentMessageId !== undefined ? { parentMessageId } : {};
      grown.push(...(await ledger.append(threadId, batch, parentId)));
    }
    return grown;
  }

  test("an empty thread has an empty transcript; an unknown thread is an error", async () => {
    expect(await ledger.transcript(threadId)).toStrictEqual([]);
    await expect(ledger.transcript("nowhere")).rejects.toMatchObject({ code: "unknown-thread" });
    await expect(ledger.forTenant("other").transcript(threadId)).rejects.toMatchObject({ code: "unknown-thread" });
  });

  test("the last page and the pages before it make up the complete transcript", async () => {
    const all = await grow(50);
    expect(await ledger.transcript(threadId, { limit: 0 })).toStrictEqual([]);
    expect(await ledger.transcript(threadId, { limit: 1000 })).toStrictEqual(all);
    const pages: StoredMessage[] = [];
    let page = await ledger.transcript(threadId, { limit: 7 });
    expect(page).toStrictEqual(all.slice(-7));
    while (page.length > 0) {
      pages.unshift(...page);
      page = await ledger.transcript(threadId, { limit: 7, before: pages[0]?.id ?? "" });
    }
    expect(pages).toStrictEqual(all);
  });

  test("`before` without a limit returns all earlier messages", async () => {
    const all = await grow(40);
    expect(await ledger.transcript(threadId, { before: all[31]?.id ?? "" })).toStrictEqual(all.slice(0, 31));
    expect(await ledger.transcript(threadId, { before: all[0]?.id ?? "" })).toStrictEqual([]);
  });

  test("`before` must be on the path that is read", async () => {
    const [root, first] = await grow(3);
    const [aside] = await grow(1, root?.id);
    await expect(ledger.transcript(threadId, { before: first?.id ?? "" })).rejects.toMatchObject({
      code: "unknown-message",
      path: "before",
    });
    expect(await ledger.transcript(threadId, { before: aside?.id ?? "" })).toStrictEqual([root]);
    const other = { branch: first?.id ?? "", before: first?.id ?? "" };
    expect(await ledger.transcript(threadId, other)).toStrictEqual([root]);
    await expect(ledger.transcript(threadId, { before: "nonsense" })).rejects.toMatchObject({
      code: "unknown-message",
    });
  });

  test("B93: a branch is the path to its message", async () => {
    const trunk = await grow(6);
    const branch = await grow(30, trunk[3]?.id);
    expect(await ledger.transcript(threadId)).toStrictEqual([...trunk.slice(0, 4), ...branch]);
    expect(await ledger.transcript(threadId, { branch: "active" })).toStrictEqual([...trunk.slice(0, 4), ...branch]);
    expect(await ledger.transcript(threadId, { branch: trunk[5]?.id ?? "" })).toStrictEqual(trunk);
    expect(await ledger.transcript(threadId, { branch: trunk[1]?.id ?? "" })).toStrictEqual(trunk.slice(0, 2));
    await expect(ledger.transcript(threadId, { branch: "nonsense" })).rejects.toMatchObject({
      code: "unknown-message",
      path: "branch",
    });
  });

  test("paths whose messages alternate in time do not mix", async () => {
    const root = (await grow(1))[0] as StoredMessage;
    const tips = Array.from({ length: 5 }, () => [root]);
    for (let step = 0; step < 200; step++) {
      const path = tips[(step * 7) % 5] ?? [];
      path.push(...(await grow(1, path.at(-1)?.id)));
    }
    for (const path of tips) {
      expect(ids(await ledger.transcript(threadId, { branch: path.at(-1)?.id ?? "" }))).toStrictEqual(ids(path));
    }
  });

  const wrong: [what: string, options: object, path: string][] = [
    ["a negative limit", { limit: -1 }, "limit"],
    ["a limit that is not an integer", { limit: 1.5 }, "limit"],
    ["a branch that is not a string", { branch: 7 }, "branch"],
    ["an empty `before`", { before: "" }, "before"],
  ];
  test.each(wrong)("%s is rejected", async (_what, options, path) => {
    await expect(ledger.transcript(threadId, options)).rejects.toMatchObject({ code: "invalid-input", path });
  });

  // Postgres uses the same code and is slower.
  const depth = storage.name === "postgres" ? 20_000 : 30_000;
  test.each([depth])("B93: a path of %i messages is walked without recursion", { timeout: 300_000 }, async (count) => {
    const all = await grow(count);
    const read = await ledger.transcript(threadId);
    expect(read).toHaveLength(count);
    expect(read.every((message, index) => message.parentMessageId === (read[index - 1]?.id ?? null))).toBe(true);
    const middle = all[count / 2]?.id ?? "";
    expect(ids(await ledger.transcript(threadId, { before: middle, limit: 2 }))).toStrictEqual(
      ids(all.slice(count / 2 - 2, count / 2)),
    );
    expect(ids(await ledger.context(threadId, { maxMessages: 3 }))).toStrictEqual(ids(all.slice(-2)));
    expect((await ledger.tree(threadId)).messages).toHaveLength(count);
  });

  test("the cost of a turn with thousands of messages is linear", async () => {
    const reads = await ledger.append(
      threadId,
      Array.from({ length: 3000 }, (_, index) => user(`q${index}`)),
    );
    for (let index = 0; index < 50; index++) reads.push(...(await ledger.append(threadId, [user(`more ${index}`)])));
    const appended = await ledger.append(
      threadId,
      Array.from({ length: 3000 }, (_, index) => assistant(`a${index}`)),
    );
    for (let index = 0; index < 50; index++)
      appended.push(...(await ledger.append(threadId, [assistant(`more ${index}`)])));
    expect(ids(await ledger.transcript(threadId))).toStrictEqual(ids([...reads, ...appended]));
  });
});

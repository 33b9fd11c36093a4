// Tests the tree of a thread, the active leaf, and threads themselves.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { assistant, user, type StoredMessage } from "../../../src/index.ts";
import type { Ledger, ThreadPage } from "../../../src/ledger/index.ts";
import { type OpenLedger, STORES } from "../support/stores.ts";

describe.each(STORES)("$name", (storage) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeEach(async () => {
    opened = await storage.open();
    ledger = opened.ledger;
    threadId = (await ledger.createThread()).id;
  });
  afterEach(() => opened.close());

  /** q → a1 → follow-up, and a2 beside a1, which is active. */
  async function branched(): Promise<Record<"q" | "a1" | "next" | "a2", StoredMessage>> {
    const [q, a1, next] = await ledger.append(threadId, [user("q"), assistant("a1"), user("next")]);
    const [a2] = await ledger.append(threadId, [assistant("a2")], { parentMessageId: q?.id ?? "" });
    return { q, a1, next, a2 } as Record<"q" | "a1" | "next" | "a2", StoredMessage>;
  }

  test("B92: the tree has every message, roots and siblings included, in the order of their ids", async () => {
    const { q, a1, next, a2 } = await branched();
    const [root] = await ledger.append(threadId, [user("anew")], { parentMessageId: null });
    expect(await ledger.tree(threadId)).toStrictEqual({ messages: [q, a1, next, a2, root], activeLeafId: root?.id });
  });

  test("the tree of an empty thread is empty", async () => {
    expect(await ledger.tree(threadId)).toStrictEqual({ messages: [], activeLeafId: null });
    await expect(ledger.tree("nowhere")).rejects.toMatchObject({ code: "unknown-thread" });
  });

  test("B93: select makes exactly that message the active leaf, durably and for all readers", async () => {
    const { q, a1, next } = await branched();
    await ledger.select(threadId, a1.id);
    const other = await opened.another();
    expect(await other.transcript(threadId)).toStrictEqual([q, a1]);
    expect((await other.thread(threadId)).activeLeafId).toBe(a1.id);
    await other.select(threadId, next.id);
    expect(await ledger.transcript(threadId)).toStrictEqual([q, a1, next]);
  });

  test("B93: an append after a selection continues from there and stays active", async () => {
    const { q, a1, a2 } = await branched();
    await ledger.select(threadId, a1.id);
    const [more] = await ledger.append(threadId, [user("more")]);
    expect(more?.parentMessageId).toBe(a1.id);
    const [end] = await ledger.append(threadId, [assistant("end")]);
    expect(await ledger.transcript(threadId)).toStrictEqual([q, a1, more, end]);
    expect((await ledger.tree(threadId)).messages.map(({ id }) => id)).toContain(a2.id);
  });

  test("selecting the newest message, or the leaf again, has no effect", async () => {
    const { q, a1, a2 } = await branched();
    await ledger.select(threadId, a2.id);
    await ledger.select(threadId, a1.id);
    await ledger.select(threadId, a1.id);
    await ledger.select(threadId, a2.id);
    const [next] = await ledger.append(threadId, [user("next")]);
    expect(await ledger.transcript(threadId)).toStrictEqual([q, a2, next]);
  });

  test("B92: selecting null empties the active path, and the next message is a root", async () => {
    const { q } = await branched();
    await ledger.select(threadId, null);
    expect((await ledger.thread(threadId)).activeLeafId).toBeNull();
    expect(await ledger.transcript(threadId)).toStrictEqual([]);
    await expect(ledger.append(threadId, [user("x")], { expectedLeaf: q.id })).rejects.toMatchObject({
      code: "conflict",
    });
    const [root] = await ledger.append(threadId, [user("anew")], { expectedLeaf: null });
    expect(root?.parentMessageId).toBeNull();
    expect(await ledger.transcript(threadId)).toStrictEqual([root]);
  });

  test("messages of another thread or tenant cannot be selected", async () => {
    const { a2 } = await branched();
    const elsewhere = await ledger.createThread();
    const [foreign] = await ledger.append(elsewhere.id, [user("x")]);
    for (const id of [foreign?.id ?? "", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]) {
      await expect(ledger.select(threadId, id)).rejects.toMatchObject({ code: "unknown-message", path: "messageId" });
    }
    await expect(ledger.select("nowhere", null)).rejects.toMatchObject({ code: "unknown-thread" });
    await expect(ledger.forTenant("other").select(threadId, a2.id)).rejects.toMatchObject({ code: "unknown-thread" });
    expect((await ledger.thread(threadId)).activeLeafId).toBe(a2.id);
  });

  test("a thread has its title, scope and metadata until they are set to null", async () => {
    const clock = (): string => "2026-01-02T03:04:05.006Z";
    const timed = await opened.another({ clock });
    const made = await timed.createThread({ id: "mine", title: "Plans \u{1f600}", scope: "ada", metadata: { a: [1] } });
    expect(made).toStrictEqual({
      id: "mine",
      title: "Plans \u{1f600}",
      scope: "ada",
      kind: null,
      metadata: { a: [1] },
      createdAt: clock(),
      activeLeafId: null,
    });
    expect(await ledger.thread("mine")).toStrictEqual(made);
    expect(await ledger.updateThread("mine", { title: "Other" })).toStrictEqual({ ...made, title: "Other" });
    const bare = await ledger.updateThread("mine", { title: null, metadata: null });
    expect(bare).toStrictEqual({ ...made, title: null, metadata: {} });
    expect(await ledger.thread("mine")).toStrictEqual(bare);
    await expect(ledger.updateThread("nowhere", { title: "x" })).rejects.toMatchObject({ code: "unknown-thread" });
  });

  test("threads are listed by their kind, newest first", async () => {
    const made: [id: string, kind: string | undefined][] = [];
    for (const kind of ["task", undefined, "task", "chat", undefined, "task"]) {
      const { id, kind: storedKind } = await ledger.createThread({ kind });
      expect(storedKind).toBe(kind ?? null);
      made.push([id, kind]);
    }
    // Ids of one millisecond do not show which is newer.
    made.sort(([one], [other]) => (one < other ? 1 : -1));
    const expectedIds = (kind: string | undefined): string[] =>
      made.filter(([, own]) => own === kind).map(([id]) => id);
    const listed = async (page: ThreadPage): Promise<string[]> => (await ledger.threads(page)).map(({ id }) => id);
    expect(await listed({ kind: "task" })).toStrictEqual(expectedIds("task"));
    expect(await listed({ kind: "task", limit: 1, before: expectedIds("task")[0] })).toStrictEqual([
      expectedIds("task")[1],
    ]);
    const plain = (await listed({ kind: null })).filter((id) => id !== threadId);
    expect(plain).toStrictEqual(expectedIds(undefined));
    expect((await listed({})).filter((id) => id !== threadId)).toStrictEqual(made.map(([id]) => id));
    expect(await listed({ kind: "none" })).toStrictEqual([]);
    await expect(ledger.threads({ kind: "" })).rejects.toMatchObject({ code: "invalid-input", path: "kind" });
  });

  test("a thread's id is taken once per tenant", async () => {
    await ledger.createThread({ id: "mine" });
    await expect(ledger.createThread({ id: "mine" })).rejects.toMatchObject({ code: "conflict" });
    const other = ledger.forTenant("other");
    await other.createThread({ id: "mine", title: "theirs" });
    expect((await ledger.thread("mine")).title).toBeNull();
    expect((await other.threads()).map(({ id }) => id)).toStrictEqual(["mine"]);
  });

  test("threads are listed newest first, page by page, with their leaves", async () => {
    const made = [threadId];
    for (let index = 0; index < 4; index++) made.push((await ledger.createThread()).id);
    made.sort().reverse();
    const [message] = await ledger.append(threadId, [user("x")]);
    const all = await ledger.threads();
    expect(all.map(({ id }) => id)).toStrictEqual(made);
    expect(all.find(({ id }) => id === threadId)?.activeLeafId).toBe(message?.id);
    const first = await ledger.threads({ limit: 2 });
    const second = await ledger.threads({ limit: 3, before: first[1]?.id ?? "" });
    expect([...first, ...second]).toStrictEqual(all);
  });

  const wrong: [what: string, thread: object, path: string][] = [
    ["an empty id", { id: "" }, "id"],
    ["an id that is too long", { id: "x".repeat(501) }, "id"],
    ["a title that is not a string", { title: 7 }, "title"],
    ["a title with U+0000", { title: "a\u0000b" }, "title"],
    ["a lone surrogate", { scope: "\ud800" }, "scope"],
    ["metadata that is not an object", { metadata: [] }, "metadata"],
    ["metadata without a JSON form", { metadata: { a: [Number.NaN] } }, "/metadata/a/0"],
  ];
  test.each(wrong)("%s is rejected", async (_what, thread, path) => {
    await expect(ledger.createThread(thread)).rejects.toMatchObject({ code: "invalid-input", path });
  });
});

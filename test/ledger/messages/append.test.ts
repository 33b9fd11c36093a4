// Tests append: positions, stored fields, rejected messages, and idempotent retries.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  assistant,
  image,
  MAX_DEPTH,
  parseJson,
  SCHEMA_VERSION,
  stringifyJson,
  system,
  text,
  toolCall,
  user,
  type Message,
  type StoredMessage,
} from "../../../src/index.ts";
import type { Ledger, Thread } from "../../../src/ledger/index.ts";
import { type OpenLedger, STORES } from "../support/stores.ts";

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

function texts(messages: readonly Message[]): string[] {
  return messages.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : part.type)).join());
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

  const append = (message: Message, options?: Parameters<Ledger["append"]>[2]): Promise<StoredMessage> =>
    ledger.append(threadId, [message], options).then(([stored]) => stored as StoredMessage);

  test("a thread is created with its first entries and messages in one write, or not at all", async () => {
    const first = { entries: [{ n: 1 }], messages: [user("Hi"), assistant("Hello")], requestWork: true };
    const made = await ledger.createThread({ id: "begun", kind: "task" }, first);
    const chain = await ledger.transcript("begun");
    expect(made).toStrictEqual(await ledger.thread("begun"));
    expect([made.activeLeafId, chain.length]).toStrictEqual([chain[1]?.id, 2]);
    expect((await ledger.entries("begun")).map(({ entry }) => entry)).toStrictEqual(first.entries);
    expect((await ledger.claimWork({ holder: "test", threadId: "begun" }))?.threadId).toBe("begun");
    const blob = `sha256-${"0".repeat(64)}`;
    const messages = [user("Hi"), user([image({ blob })])];
    await expect(ledger.createThread({ id: "half" }, { messages })).rejects.toMatchObject({ code: "unknown-blob" });
    await expect(ledger.thread("half")).rejects.toMatchObject({ code: "unknown-thread" });
    await expect(ledger.createThread({ id: "begun" }, first)).rejects.toMatchObject({ code: "conflict" });
    expect(await ledger.transcript("begun")).toHaveLength(2);
  });

  test("B95: a thread is created once per key, also by concurrent callers", async () => {
    const others = [ledger, await opened.another(), ledger, await opened.another()];
    const make = (each: Ledger, text: string): Promise<Thread> =>
      each.createThread({ title: "once" }, { messages: [user(text)], idempotencyKey: "once" });
    const made = await Promise.all(others.map((each) => make(each, "Hi")));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await ledger.transcript(made[0]?.id ?? "")).toHaveLength(1);
    await expect(make(ledger, "Ho")).rejects.toMatchObject({ code: "conflict", path: "idempotencyKey" });
    const elsewhere = await make(ledger.forTenant(`${ledger.tenant}-guest`), "Ho");
    expect(elsewhere.id).not.toBe(made[0]?.id);
  });

  test("B92: a list becomes a chain with one parent each, and the parent of the root is null", async () => {
    const chain = await ledger.append(threadId, [system("Be brief."), user("Hi"), assistant("Hello")]);
    expect(chain.map(({ parentMessageId }) => parentMessageId)).toStrictEqual([null, chain[0]?.id, chain[1]?.id]);
    expect(chain.every(({ id }) => ULID.test(id))).toBe(true);
    expect(chain.map(({ id }) => id)).toStrictEqual(chain.map(({ id }) => id).toSorted());
    expect(await ledger.transcript(threadId)).toStrictEqual(chain);
  });

  test("a stored message has a time and a version, and no other additional field", async () => {
    const moment = Date.parse("2026-03-04T05:06:07.008Z");
    const timed = await opened.another({ clock: () => new Date(moment) });
    const [stored] = await timed.append(threadId, [user("Hi")]);
    expect(stored).toStrictEqual({
      role: "user",
      parts: [{ type: "text", text: "Hi" }],
      id: stored?.id,
      parentMessageId: null,
      createdAt: "2026-03-04T05:06:07.008Z",
      metadata: { schemaVersion: SCHEMA_VERSION },
    });
  });

  test("ids grow with every message, even if the clock stops or goes back", async () => {
    let now = 1_800_000_000_000;
    const timed = await opened.another({ clock: () => now });
    const ids: string[] = [];
    for (const step of [0, 0, -5000, 0, 1]) {
      now += step;
      ids.push(...(await timed.append(threadId, [user("a"), assistant("b")])).map(({ id }) => id));
    }
    expect(ids).toStrictEqual([...new Set(ids)].toSorted());
  });

  const storedMetadata: [what: string, message: Message][] = [
    [
      "names, residue and seals",
      {
        role: "assistant",
        name: "Ada",
        extra: { anthropic: { odd: [1, null] } },
        parts: [
          { type: "reasoning", text: "hm", seals: [{ dialect: "anthropic", kind: "signature", value: "c2lnbmVk" }] },
          text("Yes", { cache: { ttl: "1h" }, extra: { gemini: { thought: false } } }),
        ],
      },
    ],
    ["U+0000 and lone surrogates", user("a\u0000b \ud800 c \udc00 \u{1f600}")],
    [
      "unknown part types and fields",
      {
        role: "user",
        parts: [
          { type: "hologram", beams: [{ hue: 7 }] },
          { type: "text", text: "x", mood: "calm" },
        ],
        origin: { app: "x" },
      } as unknown as Message,
    ],
    ["metadata with unknown keys", { role: "user", parts: [], metadata: { mine: { deep: [true] }, model: "m-1" } }],
    [
      "calls, results and opaque blocks",
      {
        role: "assistant",
        parts: [
          toolCall("c1", "find", { q: "a", n: 1.5 }, { inputText: '{ "q":"a", "n":1.50 }' }),
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "find",
            isError: false,
            output: null,
            executor: "provider",
          },
          { type: "opaque", dialect: "openai-responses", value: { type: "compaction", data: "…" } },
        ],
      },
    ],
  ];
  test.each(storedMetadata)("B98: %s are read back unchanged", async (_what, message) => {
    const stored = await append(message);
    expect(await ledger.transcript(threadId)).toStrictEqual([stored]);
    expect(stored).toMatchObject(message);
  });

  test("digits that a double cannot represent are preserved", async () => {
    const source =
      '{"role":"assistant","parts":[{"type":"tool-call","toolCallId":"c","toolName":"t","input":{"id":12345678901234567890}}],"metadata":{"order":98765432109876543210}}';
    await ledger.append(threadId, [parseJson(source) as unknown as Message]);
    const [read] = await ledger.transcript(threadId);
    expect(stringifyJson(read)).toContain('"id":12345678901234567890');
    expect(stringifyJson(read)).toContain('"order":98765432109876543210');
  });

  test("the original id of a message is stored as its source", async () => {
    const stored = await append({ ...assistant("Hi"), id: "msg_1", metadata: { model: "m" } });
    expect(stored.id).toMatch(ULID);
    expect(stored.metadata).toStrictEqual({ model: "m", schemaVersion: SCHEMA_VERSION, sourceId: "msg_1" });
    const copy = await append(stored);
    expect(copy.metadata["sourceId"]).toBe("msg_1");
    expect(copy).toMatchObject({ parentMessageId: stored.id });
  });

  test("the original run of a message is stored as its source, and is not a run of this thread", async () => {
    const { id: other } = await ledger.createThread();
    const elsewhere = await ledger.beginRun({ threadId: other });
    const { messages } = await elsewhere.commit([assistant("Hi")]);
    const [copy] = await ledger.append(threadId, messages);
    const source = { schemaVersion: SCHEMA_VERSION, sourceId: messages[0]?.id, sourceRunId: elsewhere.id };
    expect(copy?.metadata).toStrictEqual(source);
    const here = await ledger.beginRun({ threadId });
    const committed = await here.commit(messages);
    expect(committed.messages[0]?.metadata).toStrictEqual({ ...source, runId: here.id });
    expect(await ledger.transcript(threadId)).toStrictEqual([copy, ...committed.messages]);
  });

  test("B98: a message of an older version is migrated to the current one", async () => {
    const old = {
      role: "user",
      parts: [{ type: "file", mimeType: "image/png", url: "data:image/png;base64,AAAA" }],
      metadata: { schemaVersion: 1 },
    };
    const stored = await append(old as unknown as Message);
    expect(stored.parts).toStrictEqual([{ type: "file", mimeType: "image/png", data: "AAAA" }]);
    expect(stored.metadata.schemaVersion).toBe(SCHEMA_VERSION);
  });

  test("B20: a call without an input gets an empty one", async () => {
    const stored = await append(assistant([toolCall("c1", "now", undefined)]));
    expect(stored.parts).toStrictEqual([toolCall("c1", "now", {})]);
    expect(await ledger.transcript(threadId)).toStrictEqual([stored]);
  });

  const refused: [what: string, messages: unknown, path: string][] = [
    ["no list", "Hi", "/messages"],
    ["an empty list", [], "/messages"],
    ["no message", [user("a"), null], "/messages/1"],
    ["an unknown role", [{ role: "robot", parts: [] }], "/messages/0/role"],
    ["parts that are not a list", [{ role: "user", parts: "Hi" }], "/messages/0/parts"],
    ["a part without a type", [user("a"), { role: "user", parts: [text("a"), {}] }], "/messages/1/parts/1/type"],
    ["a text part without text", [{ role: "user", parts: [text("a"), { type: "text" }] }], "/messages/0/parts/1"],
    [
      "a number without a JSON form",
      [assistant([toolCall("c", "t", { n: [Number.NaN] })])],
      "/messages/0/parts/0/input/n/0",
    ],
    ["a date", [{ ...user("a"), metadata: { at: new Date(0) } }], "/messages/0/metadata/at"],
    ["a BigInt in an unknown part", [{ role: "user", parts: [{ type: "odd", n: 1n }] }], "/messages/0/parts/0/n"],
    [
      "a newer schema version",
      [{ ...user("a"), metadata: { schemaVersion: SCHEMA_VERSION + 1 } }],
      "/messages/0/metadata/schemaVersion",
    ],
    ["an invalid version", [{ ...user("a"), metadata: { schemaVersion: "2" } }], "/messages/0/metadata/schemaVersion"],
  ];
  test.each(refused)("%s is rejected with its path, and nothing is written", async (_what, messages, path) => {
    await expect(ledger.append(threadId, messages as Message[])).rejects.toMatchObject({ code: "invalid-input", path });
    expect(await ledger.transcript(threadId)).toStrictEqual([]);
  });

  test("a cyclic value is rejected", async () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    const message = { ...user("a"), metadata: { loop } };
    await expect(append(message)).rejects.toMatchObject({
      code: "invalid-input",
      path: "/messages/0/metadata/loop/self",
    });
  });

  test("values with the maximum depth are preserved, and one level more is rejected", async () => {
    const nested = (levels: number): unknown => (levels === 0 ? "core" : [nested(levels - 1)]);
    // The message, its parts and the part are three levels.
    const stored = await append(assistant([toolCall("c", "t", nested(MAX_DEPTH - 3))]));
    expect(await ledger.transcript(threadId)).toStrictEqual([stored]);
    const deeper = append(assistant([toolCall("c", "t", nested(MAX_DEPTH - 2))]));
    await expect(deeper).rejects.toMatchObject({ code: "invalid-input", path: "/messages/0" });
  });

  test("B94: an expected leaf that no longer holds is a conflict, and nothing is written", async () => {
    const first = await append(user("one"), { expectedLeaf: null });
    const second = await append(user("two"), { expectedLeaf: first.id });
    await expect(append(user("three"), { expectedLeaf: first.id })).rejects.toMatchObject({
      code: "conflict",
      path: "expectedLeaf",
    });
    await expect(append(user("three"), { expectedLeaf: null })).rejects.toMatchObject({ code: "conflict" });
    expect(await ledger.transcript(threadId)).toStrictEqual([first, second]);
  });

  test("B94: an explicit undefined expected leaf is rejected, because it would expect nothing", async () => {
    const expectedLeaf = undefined as unknown as null;
    const refused = { code: "invalid-input", path: "expectedLeaf", message: expect.stringContaining("omit it") };
    await expect(append(user("one"), { expectedLeaf })).rejects.toMatchObject(refused);
    await expect(ledger.beginRun({ threadId, expectedLeaf })).rejects.toMatchObject(refused);
    const run = await ledger.beginRun({ threadId });
    await expect(run.commit([assistant("one")], { expectedLeaf })).rejects.toMatchObject(refused);
    expect(await ledger.transcript(threadId)).toStrictEqual([]);
    expect((await run.commit([assistant("one")], { expectedLeaf: null })).messages).toHaveLength(1);
  });

  test("B94: of many writers that expect the same leaf, one succeeds", async () => {
    const [root] = await ledger.append(threadId, [user("root")]);
    const others = await Promise.all([opened.another(), opened.another()]);
    const attempts = [ledger, ...others, ledger].map((each, index) =>
      each.append(threadId, [user(`try ${index}`)], { expectedLeaf: root?.id ?? "" }),
    );
    const settled = await Promise.allSettled(attempts);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await ledger.tree(threadId)).messages).toHaveLength(2);
  });

  test("B94: an append without an expected leaf follows the active leaf, also with concurrent writers", async () => {
    const others = [ledger, await opened.another(), await opened.another()];
    await Promise.all(
      others.flatMap((each, who) => [0, 1, 2, 3].map((n) => each.append(threadId, [user(`${who}.${n}`)]))),
    );
    const path = await ledger.transcript(threadId);
    expect(path).toHaveLength(12);
    expect(new Set(texts(path)).size).toBe(12);
  });

  test("B93: another parent makes a branch and makes it active; the first stays in the tree", async () => {
    const [root, answer] = await ledger.append(threadId, [user("q"), assistant("a1")]);
    const other = await append(assistant("a2"), { parentMessageId: root?.id ?? "" });
    expect(other.parentMessageId).toBe(root?.id);
    expect(texts(await ledger.transcript(threadId))).toStrictEqual(["q", "a2"]);
    expect(texts(await ledger.transcript(threadId, { branch: answer?.id ?? "" }))).toStrictEqual(["q", "a1"]);
    const next = await append(user("and?"));
    expect(next.parentMessageId).toBe(other.id);
  });

  test("B92: a parent of null makes another root beside the first", async () => {
    const first = await append(user("one"));
    const second = await append(user("two"), { parentMessageId: null });
    expect([first.parentMessageId, second.parentMessageId]).toStrictEqual([null, null]);
    expect(await ledger.transcript(threadId)).toStrictEqual([second]);
    expect((await ledger.tree(threadId)).messages).toStrictEqual([first, second]);
  });

  test("a parent of another thread or tenant is as unknown as a missing one", async () => {
    const elsewhere = await ledger.createThread();
    const [foreign] = await ledger.append(elsewhere.id, [user("other thread")]);
    const stranger = ledger.forTenant("stranger");
    const theirs = await stranger.createThread({ id: threadId });
    const [hidden] = await stranger.append(theirs.id, [user("other tenant")]);
    for (const parentMessageId of [foreign?.id ?? "", hidden?.id ?? "", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "nonsense"]) {
      await expect(append(user("x"), { parentMessageId })).rejects.toMatchObject({
        code: "unknown-message",
        path: "parentMessageId",
      });
    }
    expect(await ledger.transcript(threadId)).toStrictEqual([]);
    await expect(ledger.append("nowhere", [user("x")])).rejects.toMatchObject({
      code: "unknown-thread",
      path: "threadId",
    });
    await expect(ledger.forTenant("third").append(threadId, [user("x")])).rejects.toMatchObject({
      code: "unknown-thread",
    });
  });

  test("B95: the same key and request returns the same messages, even if the leaf has moved", async () => {
    const options = { idempotencyKey: "k1", expectedLeaf: null };
    const first = await ledger.append(threadId, [user("one"), assistant("two")], options);
    await append(user("three"));
    const again = await (await opened.another()).append(threadId, [user("one"), assistant("two")], options);
    expect(again).toStrictEqual(first);
    expect(texts(await ledger.transcript(threadId))).toStrictEqual(["one", "two", "three"]);
  });

  test("B95: the same key with another request is a conflict", async () => {
    const first = await append(user("one"), { idempotencyKey: "k1" });
    const others: [Message, Parameters<Ledger["append"]>[2]][] = [
      [user("two"), {}],
      [user("one"), { parentMessageId: null }],
      [user("one"), { expectedLeaf: null }],
    ];
    for (const [message, options] of others) {
      const attempt = append(message, { ...options, idempotencyKey: "k1" });
      await expect(attempt).rejects.toMatchObject({ code: "conflict", path: "idempotencyKey" });
    }
    expect(await ledger.transcript(threadId)).toStrictEqual([first]);
  });

  test("B95: a key belongs to one thread, and a rejected request does not use it up", async () => {
    const other = await ledger.createThread();
    const refusedOnce = append(user("one"), { idempotencyKey: "k", expectedLeaf: "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
    await expect(refusedOnce).rejects.toMatchObject({ code: "conflict", path: "expectedLeaf" });
    await append(user("two"), { idempotencyKey: "k" });
    await ledger.append(other.id, [user("three")], { idempotencyKey: "k" });
    expect(texts(await ledger.transcript(threadId))).toStrictEqual(["two"]);
    expect(texts(await ledger.transcript(other.id))).toStrictEqual(["three"]);
  });

  test("B95: concurrent appends with one key write once", async () => {
    const others = [ledger, await opened.another(), ledger];
    const results = await Promise.all(
      others.map((each) => each.append(threadId, [user("one")], { idempotencyKey: "k" })),
    );
    expect(results[1]).toStrictEqual(results[0]);
    expect(results[2]).toStrictEqual(results[0]);
    expect(await ledger.transcript(threadId)).toHaveLength(1);
  });

  test("B94: acknowledged messages exist for the next process that opens the ledger", async () => {
    const stored = await append(user("one"));
    expect(await (await opened.another()).transcript(threadId)).toStrictEqual([stored]);
  });
});

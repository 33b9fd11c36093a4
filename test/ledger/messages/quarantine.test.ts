// Tests unreadable records: quarantined, reported, and without effect on the rest.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { assistant, SCHEMA_VERSION, user, type Message, type StoredMessage } from "../../../src/index.ts";
import type { Ledger, LedgerProblem } from "../../../src/ledger/index.ts";
import { type MessageRow, wait } from "../../../src/ledger/store/index.ts";
import { type OpenLedger, STORES } from "../support/stores.ts";

const sound = { role: "assistant", parts: [], createdAt: "2026-01-01T00:00:00.000Z" };
const body = (value: unknown): string => JSON.stringify(value);

/** Unreadable bodies, and the reported reasons. */
const broken: [what: string, body: string, reason: RegExp][] = [
  ["a truncated body", '{"role":"assistant","parts":[{"type":"te', /JSON/],
  ["an empty body", "", /JSON/],
  ["a body that is not a message", '"Hello"', /object/],
  [
    "a message without parts",
    body({ ...sound, parts: undefined, metadata: { schemaVersion: SCHEMA_VERSION } }),
    /parts/,
  ],
  [
    "a text part without text",
    body({ ...sound, parts: [{ type: "text" }], metadata: { schemaVersion: SCHEMA_VERSION } }),
    /text/,
  ],
  ["a message without a version", body({ ...sound, metadata: {} }), /schemaVersion/],
  ["a newer schema version", body({ ...sound, metadata: { schemaVersion: SCHEMA_VERSION + 1 } }), /update Koine/],
];

describe.each(STORES)("$name", (storage) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  let problems: LedgerProblem[];
  beforeEach(async () => {
    problems = [];
    opened = await storage.open({ onProblem: (problem) => problems.push(problem) });
    ledger = opened.ledger;
    threadId = (await ledger.createThread()).id;
  });
  afterEach(() => opened.close());

  /** Writes a raw row under a parent. */
  async function plant(id: string, parentId: string | null, text: string): Promise<void> {
    const row: MessageRow = {
      tenant: ledger.tenant,
      threadId,
      id,
      parentId,
      runId: null,
      role: "assistant",
      digest: "",
      body: text,
    };
    await opened.store.write((tx) => wait(tx.insertMessages([row])));
  }

  /** A path of three messages with a raw row in the middle. */
  async function pathThrough(text: string): Promise<{ readable: StoredMessage[]; planted: string }> {
    const clock = (): number => 1_700_000_000_000;
    const [first] = await (await opened.another({ clock })).append(threadId, [user("before")]);
    const planted = "01KAAAAAAAAAAAAAAAAAAAAAAA";
    await plant(planted, first?.id ?? "", text);
    const [last] = await ledger.append(threadId, [user("after")]);
    expect(last?.parentMessageId).toBe(planted);
    return { readable: [first, last] as StoredMessage[], planted };
  }

  test.each(broken)("B91: %s is reported once, and all other messages are read", async (_what, text, reason) => {
    const { readable, planted } = await pathThrough(text);
    expect(await ledger.transcript(threadId)).toStrictEqual(readable);
    expect((await ledger.tree(threadId)).messages).toStrictEqual(readable);
    expect(await ledger.context(threadId)).toStrictEqual(readable);
    expect(problems).toMatchObject([{ threadId, messageId: planted }]);
    expect(problems[0]?.reason).toMatch(reason);
    expect(await opened.store.reads.quarantined(ledger.tenant, 10)).toMatchObject([
      { threadId, messageId: planted, body: text, reason: problems[0]?.reason },
    ]);
  });

  test("B91: every ledger reports a broken record, and it is quarantined once", async () => {
    await pathThrough("{");
    const reported: LedgerProblem[] = [];
    await ledger.transcript(threadId);
    const other = await opened.another({ onProblem: (problem) => reported.push(problem) });
    await other.transcript(threadId);
    await other.tree(threadId);
    expect(reported).toStrictEqual(problems);
    expect(await opened.store.reads.quarantined(ledger.tenant, 10)).toHaveLength(1);
    expect(await opened.store.reads.quarantined("other", 10)).toStrictEqual([]);
  });

  test("B91: a limit counts readable messages only", async () => {
    const { readable } = await pathThrough("{");
    expect(await ledger.transcript(threadId, { limit: 2 })).toStrictEqual(readable);
    expect(await ledger.transcript(threadId, { limit: 1 })).toStrictEqual(readable.slice(1));
  });

  test("B91: a broken record can be branched from, selected and paged around", async () => {
    const { readable, planted } = await pathThrough("{");
    expect(await ledger.transcript(threadId, { before: planted })).toStrictEqual(readable.slice(0, 1));
    const [beside] = await ledger.append(threadId, [user("beside")], { parentMessageId: planted });
    expect(await ledger.transcript(threadId)).toStrictEqual([readable[0], beside]);
    await ledger.select(threadId, planted);
    expect(await ledger.transcript(threadId)).toStrictEqual(readable.slice(0, 1));
  });

  test("B91: a missing parent ends the path, and is reported", async () => {
    const missing = "01KAAAAAAAAAAAAAAAAAAAAAAB";
    await plant("01KAAAAAAAAAAAAAAAAAAAAAAC", missing, body({ ...sound, metadata: { schemaVersion: SCHEMA_VERSION } }));
    const [last] = await ledger.append(threadId, [user("after")]);
    const path = await ledger.transcript(threadId);
    expect(path.map(({ id }) => id)).toStrictEqual(["01KAAAAAAAAAAAAAAAAAAAAAAC", last?.id]);
    expect(problems).toMatchObject([{ threadId, messageId: missing }]);
  });

  test("B91: a thread with unreadable metadata is readable", async () => {
    const metadata = '{"cut": ';
    await opened.store.write((tx) => wait(tx.updateThread({ tenant: ledger.tenant, threadId }, { metadata })));
    expect(await ledger.thread(threadId)).toMatchObject({ id: threadId, metadata: {} });
    expect(await ledger.threads()).toHaveLength(1);
    expect(problems).toMatchObject([{ threadId }]);
  });

  test("B98: a record of version 1 is upgraded on reading, and unknown fields survive", async () => {
    const parts = [
      { type: "file", mimeType: "image/png", url: "data:image/png;base64,AAAA" },
      { type: "tool-call", toolCallId: "c", toolName: "t" },
      { type: "hologram", beams: 3 },
    ];
    await plant("01KAAAAAAAAAAAAAAAAAAAAAAA", null, body({ ...sound, parts, metadata: { schemaVersion: 1, mine: 1 } }));
    expect(await ledger.transcript(threadId)).toStrictEqual([
      {
        ...sound,
        id: "01KAAAAAAAAAAAAAAAAAAAAAAA",
        parentMessageId: null,
        parts: [
          { type: "file", mimeType: "image/png", data: "AAAA" },
          { type: "tool-call", toolCallId: "c", toolName: "t", input: {} },
          { type: "hologram", beams: 3 },
        ],
        metadata: { schemaVersion: SCHEMA_VERSION, mine: 1 },
      },
    ]);
    expect(problems).toStrictEqual([]);
  });

  test("B98: a role and fields that a later Koine wrote survive a read and a copy", async () => {
    const odd = { ...sound, mood: { calm: true }, metadata: { schemaVersion: SCHEMA_VERSION, later: [1] } };
    await plant("01KAAAAAAAAAAAAAAAAAAAAAAA", null, body(odd));
    const [read] = await ledger.transcript(threadId);
    const [copy] = await ledger.append(threadId, [read as Message]);
    expect(copy).toMatchObject({ mood: { calm: true }, metadata: { later: [1] } });
    expect(await ledger.append(threadId, [assistant("x")])).toHaveLength(1);
  });
});

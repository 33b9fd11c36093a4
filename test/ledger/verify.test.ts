// Tests verify: every kind of damage is reported, and intact records are not.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MessageRow } from "../../src/ledger/store/rows.ts";
import { wait, type Steps } from "../../src/ledger/store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../../src/ledger/store/contract.ts";
import type { Ledger } from "../../src/ledger/types.ts";
import { file, user } from "../../src/model/index.ts";
import { commitAnswer } from "./support/runs.ts";
import type { OpenLedger } from "./support/stores.ts";
import { STORES } from "./support/stores.ts";

const STORED = '"createdAt":"2026-01-01T00:00:00.000Z","metadata":{"schemaVersion":2}';
const BODY = `{"role":"user","parts":[],${STORED}}`;

/** The kinds of damage, and the expected reports. */
const DAMAGE: readonly [
  sentence: string,
  harm: (tx: LedgerTransaction, key: ThreadKey, row: MessageRow) => Steps<unknown>,
  reason: RegExp,
][] = [
  ["a torn message", (tx, _key, row) => wait(tx.insertMessages([{ ...row, body: '{"role":"us' }])), /JSON/],
  [
    "a message of a newer version",
    (tx, _key, row) => wait(tx.insertMessages([{ ...row, body: BODY.replace(":2}", ":99}") }])),
    /version 99/,
  ],
  [
    "a message without its parent",
    (tx, _key, row) => wait(tx.insertMessages([{ ...row, parentId: "0".repeat(26) }])),
    /parent/,
  ],
  [
    "a message that is its own parent",
    (tx, _key, row) => wait(tx.insertMessages([{ ...row, parentId: row.id }])),
    /parent/,
  ],
  [
    "a message with another role than its row",
    (tx, _key, row) => wait(tx.insertMessages([{ ...row, role: "tool" }])),
    /"tool"/,
  ],
  ["a missing active leaf", (tx, key) => wait(tx.updateThread(key, { pinned: true, leafId: "0".repeat(26) })), /leaf/],
  ["invalid metadata of a thread", (tx, key) => wait(tx.updateThread(key, { metadata: "{" })), /metadata/],
  [
    "an invalid run",
    function* tear(tx, key) {
      const [run] = yield* wait(tx.runs(key));
      yield* wait(tx.updateRun(key, run?.id ?? "", run?.epoch ?? 0, { usage: '{"input' }));
    },
    /usage/,
  ],
  [
    "an invalid log row",
    function* tear(tx, key) {
      const [run] = yield* wait(tx.runs(key));
      const id = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";
      yield* wait(tx.insertLog([{ ...key, id, runId: run?.id ?? "", kind: "run", body: "{" }]));
    },
    /log row/,
  ],
  [
    "a blob without bytes",
    function* lose(tx, key) {
      const [ref] = yield* wait(tx.blobRefs(key));
      const blob = yield* wait(tx.blob(key.tenant, ref?.hash ?? ""));
      yield* wait(tx.deleteChunks(key.tenant, blob?.blobId ?? ""));
    },
    /missing/,
  ],
  [
    "a blob with other bytes",
    function* swap(tx, key) {
      const [ref] = yield* wait(tx.blobRefs(key));
      const { tenant } = key;
      const { blobId = "", size = 0 } = (yield* wait(tx.blob(tenant, ref?.hash ?? ""))) ?? {};
      yield* wait(tx.deleteChunks(tenant, blobId));
      yield* wait(tx.insertChunk({ tenant, blobId, position: 0, bytes: Buffer.alloc(size) }));
    },
    /do not match/,
  ],
];

describe.each(STORES)("$name", (under) => {
  let opened: OpenLedger;
  beforeAll(async () => {
    opened = await under.open({ blobThreshold: 64, onProblem: () => undefined });
  });
  afterAll(() => opened.close());

  let tenants = 0;
  async function whole(): Promise<{ ledger: Ledger; threadId: string }> {
    const ledger = opened.ledger.forTenant(`tenant-${++tenants}`);
    const { id: threadId } = await ledger.createThread({ metadata: { a: 1 } });
    await ledger.append(threadId, [user([file({ data: Buffer.from(`x${tenants}`.repeat(60)).toString("base64") })])]);
    await commitAnswer(ledger, { threadId }, "Yes.");
    const { blob } = await ledger.putBlob(Buffer.from("named"));
    await ledger.append(threadId, [user([file({ blob })])]);
    return { ledger, threadId };
  }

  test("intact records are not reported", async () => {
    const { ledger, threadId } = await whole();
    expect(await ledger.verify()).toStrictEqual([]);
    expect(await ledger.verify(threadId)).toStrictEqual([]);
    await expect(ledger.verify("nobody")).rejects.toMatchObject({ code: "unknown-thread" });
  });

  test.each(DAMAGE)("B91: %s is found", async (_sentence, harm, reason) => {
    const { ledger, threadId } = await whole();
    const key = { tenant: ledger.tenant, threadId };
    const [first] = (await ledger.tree(threadId)).messages;
    const id = "7ZZZZZZZZZZZZZZZZZZZZZZZZY";
    const row = { ...key, id, parentId: first?.id ?? null, runId: null, role: "user", digest: "", body: BODY };
    await opened.store.write((tx) => harm(tx, key, row));
    const problems = await ledger.verify();
    expect(problems).toMatchObject([{ threadId, reason: expect.stringMatching(reason) as string }]);
    expect(await ledger.verify(threadId)).toStrictEqual(problems);
    const { id: other } = await ledger.createThread();
    expect(await ledger.verify(other)).toStrictEqual([]);
  });

  test("a blob that a part references is checked", async () => {
    const { ledger, threadId } = await whole();
    const name = `sha256-${"0".repeat(64)}`;
    const { blob } = await ledger.putBlob(Buffer.from("soon another name"));
    const [message] = await ledger.append(threadId, [user([file({ blob })])]);
    const key = { tenant: ledger.tenant, threadId };
    await opened.store.write(function* rename(tx) {
      const row = yield* wait(tx.message(key, message?.id ?? ""));
      if (row === undefined) throw new Error("There is no message.");
      yield* wait(tx.deleteMessages(key, [row.id]));
      yield* wait(tx.insertMessages([{ ...row, body: row.body.replace(blob, name) }]));
    });
    expect(await ledger.verify()).toStrictEqual([
      { tenant: ledger.tenant, threadId, messageId: message?.id, reason: `There is no blob "${name}".` },
    ]);
  });
});

// Tests opening and closing: URLs, options, tenants, and calls after close.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { user } from "../../src/index.ts";
import { type Ledger, createLedger, type LedgerOptions, openLedger } from "../../src/ledger/index.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import { STORES } from "./support/stores.ts";

test("memory: is a separate ledger", async () => {
  const [one, other] = [await openLedger("memory:"), await openLedger("memory:")];
  await one.createThread({ id: "x" });
  expect(await other.threads()).toStrictEqual([]);
  await one.close();
  await other.close();
});

test("sqlite: is a file that persists", async () => {
  const folder = await mkdtemp(join(tmpdir(), "koine-open-"));
  const url = `sqlite:${join(folder, "a b.db")}`;
  try {
    const first = await openLedger(url, { sync: "normal" });
    const { id } = await first.createThread({ title: "persistent" });
    const [message] = await first.append(id, [user("Hi")]);
    await first.close();
    const second = await openLedger(url);
    expect(await second.transcript(id)).toStrictEqual([message]);
    await second.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a custom store becomes a ledger", async () => {
  const store = memoryStore();
  const ledger = createLedger(store, { tenant: "acme" });
  const { id } = await ledger.createThread();
  expect(await store.reads.thread({ tenant: "acme", threadId: id })).toMatchObject({ id });
  await ledger.close();
});

const addresses: [url: unknown, hint: RegExp][] = [
  ["mysql://host/db", /memory:.*sqlite:path.*postgres:\/\//],
  ["koine.db", /sqlite:path/],
  ["", /memory:/],
  [undefined, /memory:/],
  ["memory:x", /memory:/],
  ["sqlite:", /sqlite:path\/to\/file\.db/],
  ["sqlite::memory:", /use .*memory:/],
  ["sqlite://koine.db", /sqlite:path\/to\/file\.db/],
  ["sqlite:///koine.db", /sqlite:\/path\/from\/root\.db/],
];
test.each(addresses)("the URL %j is rejected with a hint", async (url, hint) => {
  const attempt = openLedger(url as string);
  await expect(attempt).rejects.toMatchObject({ name: "LedgerError", code: "invalid-input", path: "url" });
  await expect(attempt).rejects.toThrow(hint);
});

test.each(["mysql", "sqlite"])("the error for a URL of %s does not contain its password", async (scheme) => {
  await expect(openLedger(`${scheme}://ada:secret@host/db`)).rejects.not.toThrow(/secret/);
});

const options: [options: object, path: string][] = [
  [{ tenant: "" }, "tenant"],
  [{ tenant: "a\u0000" }, "tenant"],
  [{ leaseMs: 0 }, "leaseMs"],
  [{ flushMs: -1 }, "flushMs"],
  [{ blobThreshold: "1" }, "blobThreshold"],
  [{ busyMs: Number.NaN }, "busyMs"],
  [{ deltaRetentionMs: 0.5 }, "deltaRetentionMs"],
  [{ connections: 0 }, "connections"],
  [{ schema: "" }, "schema"],
  [{ sync: "off" }, "sync"],
];
test.each(options)("the options %j are rejected", async (given, path) => {
  await expect(openLedger("memory:", given)).rejects.toMatchObject({ code: "invalid-input", path });
  expect(() => createLedger(memoryStore(), given)).toThrow(expect.objectContaining({ code: "invalid-input", path }));
});

const clocks: [what: string, clock: LedgerOptions["clock"], time: string | undefined][] = [
  ["fractions of milliseconds", () => 1.9, "1970-01-01T00:00:00.001Z"],
  ["dates", () => new Date(2), "1970-01-01T00:00:00.002Z"],
  ["text", () => "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
  ["nonsense", () => "soon", undefined],
  ["times before 1970", () => -1, undefined],
];
test.each(clocks)("a clock that returns %s is accepted or rejected", async (_what, clock, time) => {
  const ledger = await openLedger("memory:", clock === undefined ? {} : { clock });
  const made = ledger.createThread();
  if (time !== undefined) expect((await made).createdAt).toBe(time);
  else await expect(made).rejects.toMatchObject({ code: "invalid-input", path: "clock" });
  await ledger.close();
});

test("undefined options count as missing", async () => {
  const none = { tenant: undefined, leaseMs: undefined, sync: undefined } as unknown as LedgerOptions;
  const ledger = await openLedger("memory:", none);
  expect(ledger.tenant).toBe("default");
  await ledger.close();
});

describe.each(STORES)("$name", (storage) => {
  test("tenants are isolated from each other", async () => {
    const opened = await storage.open({ tenant: "acme" });
    const { ledger } = opened;
    const other = ledger.forTenant("umbrella");
    expect([ledger.tenant, other.tenant]).toStrictEqual(["acme", "umbrella"]);
    const { id } = await ledger.createThread();
    await ledger.append(id, [user("Hi")]);
    expect(await other.threads()).toStrictEqual([]);
    await expect(other.thread(id)).rejects.toMatchObject({ code: "unknown-thread" });
    await expect(other.tree(id)).rejects.toMatchObject({ code: "unknown-thread" });
    expect(() => ledger.forTenant("")).toThrow(expect.objectContaining({ code: "invalid-input", path: "tenant" }));
    await opened.close();
  });

  const uses: [method: string, use: (ledger: Ledger) => unknown][] = [
    ["createThread", (ledger) => ledger.createThread()],
    ["threads", (ledger) => ledger.threads()],
    ["append", (ledger) => ledger.append("x", [user("Hi")])],
    ["transcript", (ledger) => ledger.transcript("x")],
    ["context", (ledger) => ledger.context("x")],
    ["tree", (ledger) => ledger.tree("x")],
    ["select", (ledger) => ledger.select("x", null)],
    ["beginRun", (ledger) => ledger.beginRun({ threadId: "x" })],
    ["recover", (ledger) => ledger.recover()],
    ["search", (ledger) => ledger.search("x")],
    ["vacuum", (ledger) => ledger.vacuum()],
  ];
  test('close is idempotent, and a closed ledger throws "closed" for every tenant', async () => {
    const opened = await storage.openOwn();
    const { ledger } = opened;
    const other = ledger.forTenant("other");
    await Promise.all([ledger.close(), other.close()]);
    await ledger.close();
    for (const [, use] of uses) {
      for (const each of [ledger, other]) {
        await expect(use(each)).rejects.toMatchObject({ name: "LedgerError", code: "closed" });
      }
    }
    expect(() => ledger.follow({ threadId: "x" })).toThrow(expect.objectContaining({ code: "closed" }));
    await opened.close();
  });

  test("pending writes are completed when a ledger closes", async () => {
    const opened = await storage.openOwn();
    const { ledger } = opened;
    const { id } = await ledger.createThread();
    const written = ledger.append(id, [user("Hi")]);
    const next = await opened.another();
    await ledger.close();
    const [message] = await written;
    expect(await next.transcript(id)).toStrictEqual([message]);
    await opened.close();
  });
});

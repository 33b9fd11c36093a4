// Tests export and import: equal bytes from every store to every other, each thread completely or not at all.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toIdPrefix } from "../../../src/ledger/ids.ts";
import type { MessageRow } from "../../../src/ledger/store/rows.ts";
import { wait } from "../../../src/ledger/store/steps.ts";
import type { Ledger, LedgerProblem } from "../../../src/ledger/types.ts";
import { file, text, user } from "../../../src/model/index.ts";
import { FAULTS } from "./broken-lines.rows.ts";
import { createExampleThread } from "./example-thread.ts";
import { threadActions, performActions } from "../support/random-thread.ts";
import { createAnswer, startDelta, readEventsUpToNow, textDelta, describeEvent } from "../support/runs.ts";
import { collect } from "../support/scope.ts";
import { type OpenLedger, STORES } from "../support/stores.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const THRESHOLD = 80;

async function exported(ledger: Ledger, threadId: string): Promise<string> {
  return (await collect(ledger.export(threadId))).join("");
}

let tenants = 0;
/** A tenant without data. */
function emptyTenant(ledger: Ledger): Ledger {
  return ledger.forTenant(`tenant-${++tenants}`);
}

describe.each(STORES)("$name", (under) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  const problems: LedgerProblem[] = [];
  beforeAll(async () => {
    opened = await under.open({ blobThreshold: THRESHOLD, onProblem: (problem) => problems.push(problem) });
    ({ ledger } = opened);
  });
  afterAll(() => opened.close());

  test("an imported thread is exported as the same bytes, and reads the same", async () => {
    const id = await createExampleThread(ledger);
    const lines = await exported(ledger, id);
    const other = emptyTenant(ledger);
    expect(await other.import([lines])).toStrictEqual({ threads: 1, messages: 5, runs: 5, blobs: 1, known: 0 });
    expect(await exported(other, id)).toBe(lines);
    expect(await other.thread(id)).toStrictEqual(await ledger.thread(id));
    expect(await other.transcript(id)).toStrictEqual(await ledger.transcript(id));
    expect(await other.tree(id)).toStrictEqual(await ledger.tree(id));
    expect(await other.runs(id)).toStrictEqual(await ledger.runs(id));
    const events = (await readEventsUpToNow(ledger, id)).map(describeEvent);
    expect((await readEventsUpToNow(other, id)).map(describeEvent)).toStrictEqual(
      events.filter((event) => !event.startsWith("delta")),
    );
  });

  test("any history is exported as the same bytes after an import", async () => {
    await fc.assert(
      fc.asyncProperty(threadActions, async (all) => {
        const id = await performActions(ledger, all);
        const lines = await collect(ledger.export(id));
        const other = emptyTenant(ledger);
        await other.import(lines);
        expect(await collect(other.export(id))).toStrictEqual(lines);
        expect((await other.import(lines)).threads).toBe(0);
        expect(await collect(other.export(id))).toStrictEqual(lines);
        expect(await other.transcript(id)).toStrictEqual(await ledger.transcript(id));
      }),
      { numRuns: scaleRunCount({ memory: 180, sqlite: 48 }[under.name] ?? 18) },
    );
  });

  test("a repeated import finds everything known and changes nothing", async () => {
    const id = await createExampleThread(ledger);
    const lines = await exported(ledger, id);
    const other = emptyTenant(ledger);
    await other.import([lines]);
    // Later changes stay.
    await other.updateThread(id, { title: "Boats" });
    await other.append(id, [user("And now?")]);
    const now = await exported(other, id);
    expect(await other.import([lines])).toStrictEqual({ threads: 0, messages: 0, runs: 0, blobs: 0, known: 12 });
    expect(await exported(other, id)).toBe(now);
  });

  test("other content under an existing id is a conflict, and nothing changes", async () => {
    const id = await createExampleThread(ledger);
    const lines = await exported(ledger, id);
    const other = emptyTenant(ledger);
    await other.import([lines]);
    const forged = lines.replace("Four ships.", "Four boats.");
    await expect(other.import([forged])).rejects.toMatchObject({ code: "conflict", line: 1 });
    expect(await exported(other, id)).toBe(lines);
    await expect(emptyTenant(ledger).import([forged])).resolves.toMatchObject({ threads: 1 });
  });

  test("an import of a thread that has grown since is a conflict", async () => {
    const id = await createExampleThread(ledger);
    const other = emptyTenant(ledger);
    await other.import(ledger.export(id));
    await ledger.append(id, [user("And now?")]);
    await expect(other.import(ledger.export(id))).rejects.toMatchObject({ code: "conflict" });
  });

  test("two concurrent imports are one", async () => {
    const lines = await exported(ledger, await createExampleThread(ledger));
    const other = emptyTenant(ledger);
    const results = await Promise.all([other.import([lines]), other.import([lines])]);
    expect(results.map(({ threads }) => threads).sort((a, b) => a - b)).toStrictEqual([0, 1]);
  });

  test("several threads follow each other, and those before an invalid line are imported", async () => {
    const ids = [
      await createExampleThread(ledger),
      await createExampleThread(ledger),
      await createExampleThread(ledger),
    ];
    const texts: string[] = [];
    for (const id of ids) texts.push(await exported(ledger, id));
    const all = emptyTenant(ledger);
    expect(await all.import(texts)).toMatchObject({ threads: 3, messages: 15 });
    const some = emptyTenant(ledger);
    const broken = [texts[0] ?? "", "\n", (texts[1] ?? "").replace('"kind":"run"', '"kind":"walk"'), texts[2] ?? ""];
    const position =
      broken
        .join("")
        .split("\n")
        .findIndex((line) => line.includes('"walk"')) + 1;
    const error = await some.import(broken).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "invalid-input", path: "/kind" });
    expect(error).toHaveProperty("line", position);
    expect((await some.threads()).map(({ id }) => id)).toStrictEqual(ids.slice(0, 1));
  });

  test("a source that fails midway leaves no partial thread", async () => {
    const lines = await collect(ledger.export(await createExampleThread(ledger)));
    async function* broken(): AsyncGenerator<string, void, void> {
      yield* lines.slice(0, -1);
      throw new Error("The line is dead.");
    }
    const other = emptyTenant(ledger);
    await expect(other.import(broken())).rejects.toThrow("The line is dead.");
    expect(await other.threads()).toStrictEqual([]);
  });

  test.each(FAULTS)("%s is rejected with its path, and nothing is imported", async (_sentence, change, path, line) => {
    const lines = (await exported(ledger, await createExampleThread(ledger))).trimEnd().split("\n");
    const changed = change(lines);
    const other = emptyTenant(ledger);
    const error = await other.import(changed).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "invalid-input", path });
    const number = changed.findIndex((each) => line.test(each)) + 1;
    expect(error).toHaveProperty("line", number);
    expect(error).toHaveProperty("message", expect.stringMatching(`^Line ${number}\\b`));
    expect(await other.threads()).toStrictEqual([]);
  });

  test("B91, B98: damaged and too new messages survive byte for byte, and are reported", async () => {
    const { id: threadId } = await ledger.createThread();
    const [first] = await ledger.append(threadId, [user("Whole.")]);
    const bodies = [
      '{"role":"user","parts":[{"type":"te',
      '{"role":"user","parts":[],"createdAt":"2030-01-01T00:00:00.000Z","metadata":{"schemaVersion":99},"new":true}',
      '{ "role":"user", "parts":[{"type":"text","text":"x","extra":{"x":{"n":1.0}}}],"createdAt":"2026-01-01T00:00:00.000Z","metadata":{"schemaVersion":2}}',
      "null",
      "",
    ];
    await insert(opened, threadId, first?.id ?? "", bodies);
    problems.length = 0;
    const lines = await exported(ledger, threadId);
    expect(problems).toHaveLength(4);
    const threadIds: LedgerProblem[] = [];
    const onProblem = (problem: LedgerProblem): void => void threadIds.push(problem);
    const other = emptyTenant(await opened.another({ blobThreshold: THRESHOLD, onProblem }));
    await other.import([lines]);
    expect(threadIds).toStrictEqual(problems.map((problem) => ({ ...problem, tenant: other.tenant })));
    expect(await exported(other, threadId)).toBe(lines);
    const rows = await opened.store.reads.messages({ tenant: other.tenant, threadId }, { limit: 10 });
    expect(rows.slice(1).map(({ body }) => body)).toStrictEqual(bodies);
    expect(await other.tree(threadId)).toHaveProperty("messages.length", 2);
  });

  test("B98: messages of version 1 are imported unchanged, and migrated when they are read", async () => {
    const body = {
      role: "user",
      parts: [{ type: "file", mimeType: "image/png", url: "data:image/png;base64,aGk=" }],
      createdAt: "2025-01-01T00:00:00.000Z",
      metadata: { schemaVersion: 1 },
    };
    const id = "01JZ0000000000000000000001";
    const thread = { format: "koine-ledger", version: 1, kind: "thread", id: "t-1", title: null, scope: null };
    const lines = [
      { ...thread, createdAt: "2025-01-01T00:00:00.000Z", activeLeafId: id },
      { kind: "message", id, parentId: null, runId: null, role: "user", digest: "", body },
      { kind: "end", messages: 1, runs: 0, states: 0 },
    ].map((line) => JSON.stringify(line));
    const other = emptyTenant(ledger);
    await other.import(lines);
    expect(await other.transcript("t-1")).toMatchObject([
      { id, parts: [{ type: "file", data: "aGk=" }], metadata: { schemaVersion: 2 } },
    ]);
    expect((await collect(other.export("t-1"))).map((line) => line.trimEnd())).toStrictEqual(lines);
  });

  test("numbers of any length keep their digits", async () => {
    const { id: threadId } = await ledger.createThread();
    const long = "x".repeat(70_000);
    const bodies = ["12345678901234567890", "0.10000000000000000001", "1e-400"].flatMap((number) =>
      ["", long].map(
        (name) =>
          `{"role":"user","name":"${name}","parts":[],"createdAt":"2026-01-01T00:00:00.000Z","metadata":{"schemaVersion":2,"n":${number}}}`,
      ),
    );
    await insert(opened, threadId, null, bodies);
    const lines = await exported(ledger, threadId);
    const other = emptyTenant(ledger);
    await other.import([lines]);
    expect(await exported(other, threadId)).toBe(lines);
    const rows = await opened.store.reads.messages({ tenant: other.tenant, threadId }, { limit: 10 });
    expect(rows.map(({ body }) => body)).toStrictEqual(bodies);
  });

  test("a live run is not exported", async () => {
    const { id: threadId } = await ledger.createThread();
    await ledger.append(threadId, [user("Well?")]);
    const before = await exported(ledger, threadId);
    const run = await ledger.beginRun({ threadId });
    await run.append([startDelta, textDelta("We")]);
    expect(await exported(ledger, threadId)).toBe(before);
    await run.append(createAnswer().slice(1));
    await run.commit();
    expect(await exported(ledger, threadId)).not.toBe(before);
  });

  test("a blob is split across lines, and is known at the second import", async () => {
    const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, at) => (at * 31) % 253));
    const { id } = await ledger.createThread();
    const { blob } = await ledger.putBlob(bytes);
    await ledger.append(id, [user([file({ blob }), file({ data: bytes.toString("base64") })])]);
    const lines = await collect(ledger.export(id));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(400_000);
    expect(lines.filter((line) => line.startsWith('{"kind":"blob"'))).toHaveLength(3);
    const other = emptyTenant(ledger);
    expect(await other.import(lines)).toMatchObject({ blobs: 1, messages: 1, known: 0 });
    expect(await collect(other.export(id))).toStrictEqual(lines);
    const { id: second } = await ledger.createThread();
    await ledger.append(second, [user([file({ blob })])]);
    expect(await other.import(ledger.export(second))).toMatchObject({ blobs: 0, threads: 1, known: 1 });
    expect(Buffer.compare(Buffer.concat(await collect(other.blob(blob))), bytes)).toBe(0);
  });

  test("B91, B97: the blobs of a damaged message stay, and are exported as the same bytes", async () => {
    const { id: threadId } = await ledger.createThread();
    const { blob } = await ledger.putBlob(Buffer.from("referenced by a damaged message"));
    await insert(opened, threadId, null, ['{"role":"user","parts', '{"role":"user","parts":[]}']);
    const [message] = await opened.store.reads.messages({ tenant: "default", threadId }, { limit: 1 });
    const ref = { tenant: "default", threadId, messageId: message?.id ?? "", hash: blob };
    await opened.store.write((tx) => wait(tx.insertBlobRefs([ref])));
    const lines = await exported(ledger, threadId);
    const other = emptyTenant(ledger);
    expect(await other.import([lines])).toMatchObject({ blobs: 1, messages: 2 });
    expect(await exported(other, threadId)).toBe(lines);
    // The same record in two tenants is two problems.
    const twin = emptyTenant(ledger);
    await twin.import([lines]);
    const reported = problems.filter(({ messageId }) => messageId === ref.messageId).map(({ tenant }) => tenant);
    expect([...new Set(reported)]).toStrictEqual(["default", other.tenant, twin.tenant]);
    expect(await opened.store.reads.blobRefs({ ...ref, tenant: other.tenant })).toStrictEqual([
      { ...ref, tenant: other.tenant },
    ]);
    await expect(other.import([lines.replace('"blobs":["sha256-', '"blobs":["md5-')])).rejects.toMatchObject({
      code: "invalid-input",
      path: "/blobs",
    });
  });

  test.each([
    ["parts"],
    ["id"],
    ["role"],
    ["metadata"],
    ["createdAt"],
    ["parts", 0],
    ["parts", 0, "type"],
    ["parts", 1],
  ])("B91: a marker that points to %j %s %s overwrites nothing", async (...at) => {
    const { id } = await ledger.createThread();
    await ledger.append(id, [user("before"), user("w ".repeat(THRESHOLD)), user("after")]);
    const lines = (await exported(ledger, id)).replace('"at":["parts",0,"text"]', `"at":${JSON.stringify(at)}`);
    const other = emptyTenant(ledger);
    problems.length = 0;
    await other.import([lines]);
    const imported = await other.transcript(id);
    expect(problems.map(({ reason }) => reason)).toStrictEqual([expect.stringContaining("cannot be restored")]);
    expect(imported.map(({ role, parts }) => [role, ...parts])).toStrictEqual(
      ["before", "", "after"].map((each) => ["user", text(each)]),
    );
    expect(await other.verify(id)).toHaveLength(1);
    expect(await exported(other, id)).toBe(lines);
  });

  test("B91: a message that is invalid after its blobs were restored is quarantined", async () => {
    const { id } = await ledger.createThread();
    await ledger.append(id, [user("before"), user([text("image"), text("w ".repeat(THRESHOLD))])]);
    const lines = (await exported(ledger, id))
      .replace('"at":["parts",1,"text"]', '"at":["parts",0,"type"]')
      .replace('"type":"text","text":"image"', '"type":""');
    const other = emptyTenant(ledger);
    const { blob } = await ledger.putBlob(Buffer.from("tool-call"));
    const swapped = lines.replace(/("\$blobs".*?"blob":")sha256-\w+(".*?"size":)\d+/, `$1${blob}$29`);
    expect(swapped).not.toBe(lines);
    await other.putBlob(Buffer.from("tool-call"));
    problems.length = 0;
    await other.import([swapped]);
    expect((await other.transcript(id)).map(({ parts }) => parts)).toStrictEqual([[text("before")]]);
    expect(problems.map(({ reason }) => reason)).toContain("The message is invalid after its blobs were restored.");
    expect(await opened.store.reads.quarantined(other.tenant, 9)).toHaveLength(1);
  });

  test("an id of the far future is rejected, and the largest id is reported", async () => {
    const { id } = await ledger.createThread();
    const [message] = await ledger.append(id, [user("Hi.")]);
    const lines = await exported(ledger, id);
    const dated = (future: string): string => lines.replaceAll(message?.id ?? "", future);
    const days = (count: number): string => toIdPrefix(Date.now() + count * 86_400_000) + "0".repeat(16);
    for (const future of [days(2), "7".padEnd(26, "Z")]) {
      const refusal = { code: "invalid-input", path: "/id", line: 2 };
      await expect(emptyTenant(ledger).import([dated(future)])).rejects.toMatchObject(refusal);
    }
    const other = emptyTenant(ledger);
    await other.import([dated(days(0.9))]);
    await other.append(id, [user("And on.")]);
    expect(await other.transcript(id)).toHaveLength(2);
    const row = { tenant: other.tenant, threadId: id, id: "7".padEnd(26, "Z"), parentId: null, runId: null };
    await opened.store.write((tx) => wait(tx.insertMessages([{ ...row, role: "user", digest: "", body: "{}" }])));
    await expect(other.append(id, [user("Too late.")], { parentMessageId: null })).rejects.toMatchObject({
      name: "LedgerError",
      code: "conflict",
    });
  });

  test("B91: a damaged blob is skipped and reported, and the messages are imported", async () => {
    const { id } = await ledger.createThread();
    const { blob } = await ledger.putBlob(Buffer.from("soon damaged"));
    await ledger.append(id, [user([file({ blob })])]);
    const row = await opened.store.reads.blob("default", blob);
    await opened.store.write((tx) => wait(tx.deleteChunks("default", row?.blobId ?? "")));
    problems.length = 0;
    const lines = await collect(ledger.export(id));
    const other = emptyTenant(ledger);
    await other.import(lines);
    expect(problems.map(({ reason }) => reason)).toStrictEqual([
      expect.stringContaining("missing"),
      `The blob ${blob} does not exist.`,
    ]);
    expect(await collect(other.export(id))).toStrictEqual(lines);
  });

  test("an unknown thread is an error", async () => {
    await expect(collect(ledger.export("nobody"))).rejects.toMatchObject({ code: "unknown-thread" });
    expect(await ledger.import([])).toStrictEqual({ threads: 0, messages: 0, runs: 0, blobs: 0, known: 0 });
    expect(await ledger.import(["", " \n\n"])).toMatchObject({ threads: 0 });
  });
});

test("an export of one store is imported by every other, and exported as the same bytes", async () => {
  const all: OpenLedger[] = [];
  for (const under of STORES) all.push(await under.open({ blobThreshold: THRESHOLD }));
  try {
    for (const { ledger } of all) {
      const id = await createExampleThread(ledger);
      const lines = await exported(ledger, id);
      for (const { ledger: other } of all.filter((each) => each.ledger !== ledger)) {
        await other.import([lines]);
        expect(await exported(other, id)).toBe(lines);
      }
    }
  } finally {
    for (const each of all) await each.close();
  }
});

/** Inserts messages that the ledger itself would not write. */
async function insert({ store }: OpenLedger, threadId: string, parent: string | null, bodies: string[]): Promise<void> {
  const rows = bodies.map((body, index): MessageRow => {
    const id = toIdPrefix(Date.now() + 3_600_000) + String(index).padStart(16, "0");
    return { tenant: "default", threadId, id, parentId: parent, runId: null, role: "user", digest: "", body };
  });
  await store.write((tx) => wait(tx.insertMessages(rows)));
}

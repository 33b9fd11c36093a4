// Tests purge: replaced messages are deleted and nothing else; a dry run returns the same counts; the disk space is
// freed.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashBytes } from "../../../src/ledger/blobs/write-blobs.ts";
import { encodeText } from "../../../src/ledger/blobs/text-encoding.ts";
import { openLedger } from "../../../src/ledger/index.ts";
import { findLastMessage } from "../../../src/ledger/messages/last-written.ts";
import type { Ledger, LedgerEvent } from "../../../src/ledger/types.ts";
import { file, image, type StoredMessage, user } from "../../../src/model/index.ts";
import { threadActions, performActions } from "../support/random-thread.ts";
import { commitAnswer, startDelta, FakeClock, textDelta, describeEvent, readTexts } from "../support/runs.ts";
import { collect } from "../support/scope.ts";
import type { OpenLedger } from "../support/stores.ts";
import { STORES } from "../support/stores.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOTHING = { threads: 0, messages: 0, runs: 0, logRows: 0, keys: 0, blobs: 0, bytes: 0 };

let tenants = 0;
function emptyTenant(ledger: Ledger): Ledger {
  return ledger.forTenant(`tenant-${++tenants}`);
}

async function remaining(ledger: Ledger, threadId: string): Promise<string[]> {
  return readTexts((await ledger.tree(threadId)).messages);
}

async function statesOf(ledger: Ledger, threadId: string): Promise<string[]> {
  return (await ledger.runs(threadId)).map(({ state }) => state);
}

async function appended(
  ledger: Ledger,
  threadId: string,
  content: string,
  under?: string | null,
): Promise<StoredMessage> {
  const [message] = await ledger.append(
    threadId,
    [user(content)],
    under === undefined ? {} : { parentMessageId: under },
  );
  if (message === undefined) throw new Error("Nothing was appended.");
  return message;
}

describe.each(STORES)("$name", (under) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  const clock = new FakeClock();
  beforeAll(async () => {
    opened = await under.open({ blobThreshold: 64, clock: clock.now });
  });
  afterAll(() => opened.close());

  /** A ledger of an empty tenant with a thread and its first question. */
  async function begun(): Promise<{ threadId: string; question: string }> {
    ledger = emptyTenant(opened.ledger);
    const { id: threadId } = await ledger.createThread();
    const { id: question } = await appended(ledger, threadId, "Q1");
    clock.pass(1000);
    return { threadId, question };
  }

  async function lastEvent(threadId: string, runId: string): Promise<LedgerEvent> {
    const event = (await collect(ledger.follow({ threadId, runId }))).at(-1);
    if (event === undefined) throw new Error("The run left no event.");
    return event;
  }

  async function purged(threadId: string): Promise<string[]> {
    const options = { threadId, what: "replaced" } as const;
    const expected = await ledger.purge({ ...options, dryRun: true });
    const before = await remaining(ledger, threadId);
    expect(await ledger.purge(options)).toStrictEqual(expected);
    const after = await remaining(ledger, threadId);
    expect(before.length - after.length).toBe(expected.messages);
    expect(await ledger.purge(options)).toStrictEqual(NOTHING);
    return after;
  }

  test("replaced answers are deleted with all messages after them and with their runs", async () => {
    const { threadId, question } = await begun();
    await commitAnswer(ledger, { threadId }, "A1");
    await appended(ledger, threadId, "Q2");
    await commitAnswer(ledger, { threadId }, "A2");
    await commitAnswer(ledger, { threadId, forkFromMessageId: question }, "A1 again");
    expect(await remaining(ledger, threadId)).toStrictEqual(["Q1", "A1", "Q2", "A2", "A1 again"]);
    expect(await purged(threadId)).toStrictEqual(["Q1", "A1 again"]);
    expect(await statesOf(ledger, threadId)).toStrictEqual(["committed"]);
    expect(readTexts(await ledger.transcript(threadId))).toStrictEqual(["Q1", "A1 again"]);
  });

  test("a question that was replaced together with its answer is deleted", async () => {
    const { threadId } = await begun();
    const first = await commitAnswer(ledger, { threadId }, "A1");
    await appended(ledger, threadId, "Q2");
    await commitAnswer(ledger, { threadId }, "A2");
    const run = await ledger.beginRun({ threadId, forkFromMessageId: first.messages[0]?.id ?? null });
    await run.commit([user("Q2 again"), user("A2 again")]);
    expect(await purged(threadId)).toStrictEqual(["Q1", "A1", "Q2 again", "A2 again"]);
  });

  test("alternatives stay: answers in mode `branch`, and appended branches", async () => {
    const { threadId, question } = await begun();
    const { messages } = await commitAnswer(ledger, { threadId }, "A1");
    await commitAnswer(ledger, { threadId, forkFromMessageId: question, mode: "branch" }, "A1 beside");
    await appended(ledger, threadId, "Q1 other", null);
    await appended(ledger, threadId, "Q2", messages[0]?.id ?? null);
    await ledger.select(threadId, question);
    expect(await purged(threadId)).toStrictEqual(["Q1", "A1", "A1 beside", "Q1 other", "Q2"]);
  });

  test("the active branch stays, even if its run was superseded", async () => {
    const { threadId, question } = await begun();
    const first = await commitAnswer(ledger, { threadId }, "A1");
    await commitAnswer(ledger, { threadId, forkFromMessageId: question }, "A1 again");
    await ledger.select(threadId, first.messages[0]?.id ?? null);
    expect(await purged(threadId)).toStrictEqual(["Q1", "A1", "A1 again"]);
    await ledger.select(threadId, question);
    expect(await purged(threadId)).toStrictEqual(["Q1", "A1 again"]);
  });

  test("a replaced answer stays if an active answer follows it", async () => {
    const { threadId, question } = await begun();
    const first = await commitAnswer(ledger, { threadId }, "A1");
    await commitAnswer(ledger, { threadId, forkFromMessageId: first.messages[0]?.id ?? null, mode: "branch" }, "More");
    await commitAnswer(ledger, { threadId, forkFromMessageId: question }, "A1 again");
    expect(await purged(threadId)).toStrictEqual(["Q1", "A1", "More", "A1 again"]);
  });

  test("B90: interrupted turns are deleted unless messages follow them; an unanswered question stays", async () => {
    const { threadId, question } = await begun();
    const partials: StoredMessage[] = [];
    for (const end of ["fail", "cancel", "fail"] as const) {
      const run = await ledger.beginRun({ threadId });
      await run.append([startDelta, textDelta(`A1 ${end}`)]);
      partials.push(...(end === "fail" ? await run.fail("dead") : await run.cancel()).messages);
    }
    await appended(ledger, threadId, "Go on.", partials[2]?.id ?? null);
    await ledger.select(threadId, question);
    expect(await purged(threadId)).toStrictEqual(["Q1", "A1 fail", "Go on."]);
    expect(await statesOf(ledger, threadId)).toStrictEqual(["failed"]);
  });

  test("messages that a live run needs stay", async () => {
    const { threadId, question } = await begun();
    const first = await commitAnswer(ledger, { threadId }, "A1");
    await commitAnswer(ledger, { threadId, forkFromMessageId: question }, "A1 again");
    const run = await ledger.beginRun({ threadId, forkFromMessageId: first.messages[0]?.id ?? null });
    await run.append([startDelta, textDelta("B")]);
    expect(await purged(threadId)).toStrictEqual(["Q1", "A1", "A1 again"]);
    await run.append([{ kind: "done", payload: { finishReason: "stop" } }]);
    await run.commit();
    expect(await purged(threadId)).toStrictEqual(["Q1", "A1", "B"]);
  });

  test("newer messages and their ancestors stay", async () => {
    const { threadId, question } = await begun();
    await commitAnswer(ledger, { threadId }, "A1");
    clock.pass(HOUR);
    const noon = clock.now();
    await appended(ledger, threadId, "Q2");
    await commitAnswer(ledger, { threadId, forkFromMessageId: question }, "A1 again");
    await commitAnswer(ledger, { threadId, forkFromMessageId: question }, "A1 once more");
    const options = { threadId, what: "replaced", before: new Date(noon) } as const;
    expect(await ledger.purge(options)).toStrictEqual(NOTHING);
    clock.pass(HOUR);
    expect((await ledger.purge({ ...options, before: new Date(clock.now()).toISOString() })).messages).toBe(3);
    expect(await remaining(ledger, threadId)).toStrictEqual(["Q1", "A1 once more"]);
  });

  test("blobs are deleted with the last message that references them", async () => {
    const { threadId, question } = await begun();
    const [shared, lost] = ["shared", "lost"].map((name) => Buffer.from(name.repeat(30)).toString("base64"));
    const run = await ledger.beginRun({ threadId });
    await run.commit([{ role: "assistant", parts: [image({ data: shared ?? "" }), image({ data: lost ?? "" })] }]);
    await commitAnswer(ledger, { threadId, forkFromMessageId: question }, "A1 again");
    const { id: other } = await ledger.createThread();
    await ledger.append(other, [user([file({ data: shared ?? "" })])]);
    const { blobs, bytes } = await ledger.purge({ graceMs: 0, threadId, what: "replaced" });
    expect(blobs).toBe(1);
    expect(bytes).toBeGreaterThan(120);
    expect((await ledger.transcript(other))[0]?.parts).toStrictEqual([file({ data: shared ?? "" })]);
    expect(await ledger.verify()).toStrictEqual([]);
    expect(await ledger.purge({ graceMs: 0, threadId: other, what: "thread" })).toMatchObject({
      threads: 1,
      messages: 1,
      blobs: 1,
    });
  });

  test("B97: a blob that is written again while it is deleted exists", async () => {
    ledger = emptyTenant(opened.ledger);
    const other = (await opened.another()).forTenant(ledger.tenant);
    const { id: keptId } = await other.createThread();
    for (let round = 0; round < 20; round++) {
      const picture = user([image({ data: Buffer.from(`round ${round} `.repeat(20)).toString("base64") })]);
      const { id: threadId } = await ledger.createThread();
      await ledger.append(threadId, [picture]);
      await Promise.all([ledger.purge({ graceMs: 0, threadId, what: "thread" }), other.append(keptId, [picture])]);
    }
    expect(await ledger.verify()).toStrictEqual([]);
    expect(await ledger.transcript(keptId)).toHaveLength(20);
  });

  test("a thread is deleted completely, also from the search, and its id is free", async () => {
    const { threadId } = await begun();
    await commitAnswer(ledger, { threadId }, "the unmistakable answer");
    expect(await ledger.search("unmistakable")).toHaveLength(1);
    const counts = await ledger.purge({ threadId, what: "thread", dryRun: true });
    expect(counts).toMatchObject({ threads: 1, messages: 2, runs: 1 });
    expect(await ledger.search("unmistakable")).toHaveLength(1);
    expect(await ledger.purge({ threadId, what: "thread" })).toStrictEqual(counts);
    await expect(ledger.thread(threadId)).rejects.toMatchObject({ code: "unknown-thread" });
    expect(await ledger.search("unmistakable")).toHaveLength(0);
    await expect(ledger.purge({ threadId, what: "thread" })).rejects.toMatchObject({ code: "unknown-thread" });
    await ledger.createThread({ id: threadId });
    expect(await ledger.transcript(threadId)).toStrictEqual([]);
  });

  test("a thread with a live run is a conflict if named, and skipped among many", async () => {
    const { threadId } = await begun();
    const run = await ledger.beginRun({ threadId });
    await expect(ledger.purge({ threadId, what: "thread" })).rejects.toMatchObject({ code: "conflict" });
    const before = new Date(clock.now() + HOUR);
    expect(await ledger.purge({ what: "thread", before })).toStrictEqual(NOTHING);
    await run.cancel();
    expect(await ledger.purge({ what: "thread", before })).toMatchObject({ threads: 1, runs: 1 });
  });

  test("retention deletes threads whose messages are all older, of this tenant only", async () => {
    const { threadId: old } = await begun();
    const { id: grown } = await ledger.createThread();
    const other = emptyTenant(opened.ledger);
    const { id: foreign } = await other.createThread();
    clock.pass(DAY);
    const before = new Date(clock.now());
    clock.pass(1000);
    await appended(ledger, grown, "Still here.");
    const counts = await ledger.purge({ what: "thread", before, dryRun: true });
    expect(counts).toMatchObject({ threads: 1, messages: 1 });
    expect(await ledger.purge({ what: "thread", before })).toStrictEqual(counts);
    expect((await ledger.threads()).map(({ id }) => id)).toStrictEqual([grown]);
    await expect(ledger.thread(old)).rejects.toMatchObject({ code: "unknown-thread" });
    expect(await other.thread(foreign)).toMatchObject({ id: foreign });
  });

  test("unreferenced uploads and keys are deleted a day later", async () => {
    const { threadId } = await begun();
    await ledger.append(threadId, [user("Q2")], { idempotencyKey: "k" });
    const { blob: loose } = await ledger.putBlob(Buffer.from("not referenced."));
    const { blob: named } = await ledger.putBlob(Buffer.from("it is referenced."));
    await ledger.append(threadId, [user([file({ blob: named })])]);
    expect(await ledger.purge({ what: "replaced" })).toStrictEqual(NOTHING);
    clock.pass(DAY + 1);
    const counts = await ledger.purge({ what: "replaced", dryRun: true });
    expect(counts).toStrictEqual({ ...NOTHING, keys: 1, blobs: 1, bytes: 15 });
    expect(await ledger.purge({ what: "replaced" })).toStrictEqual(counts);
    expect(Buffer.concat(await collect(ledger.blob(named))).toString()).toBe("it is referenced.");
    await expect(collect(ledger.blob(loose))).rejects.toMatchObject({ code: "unknown-blob" });
  });

  test("after any history, a purge does not change the visible messages, and a dry run returns the same counts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(threadActions, { minLength: 1, maxLength: 3 }), async (all) => {
        ledger = emptyTenant(opened.ledger);
        const ids: string[] = [];
        for (const each of all) ids.push(await performActions(ledger, each));
        const seen = await Promise.all(ids.map((id) => ledger.transcript(id)));
        const counts = await ledger.purge({ graceMs: 0, what: "replaced", dryRun: true });
        expect(await ledger.purge({ graceMs: 0, what: "replaced" })).toStrictEqual(counts);
        expect(await ledger.purge({ graceMs: 0, what: "replaced" })).toStrictEqual(NOTHING);
        expect(await Promise.all(ids.map((id) => ledger.transcript(id)))).toStrictEqual(seen);
        expect(await ledger.verify()).toStrictEqual([]);
        for (const id of ids) await ledger.append(id, [user("On we go.")]);
        const deleted = await ledger.purge({ graceMs: 0, what: "thread", before: new Date(clock.now() + 1000) });
        expect(deleted.threads).toBe(ids.length);
        expect(await blobsLeft(opened, ledger, seen.flat())).toStrictEqual([]);
      }),
      { numRuns: scaleRunCount({ memory: 120, sqlite: 30 }[under.name] ?? 18) },
    );
  });

  test("an id is never reused, even if the newest rows are deleted and the clock stops", async () => {
    const { threadId } = await begun();
    await appended(ledger, threadId, "Q2");
    const run = await ledger.beginRun({ threadId });
    await run.append([startDelta, textDelta("A1")]);
    const { messages } = await run.cancel();
    expect(await purged(threadId)).toStrictEqual(["Q1", "Q2"]);
    const next = await ledger.beginRun({ threadId });
    const { id } = await appended(ledger, threadId, "Q3");
    const former = [run.id, ...messages.map((message) => message.id)].sort();
    expect([...former, next.id, id]).toStrictEqual([...former, next.id, id].toSorted());
    expect(new Set([...former, next.id, id]).size).toBe(4);
  });

  test("B96: a cursor from before a purge yields all later events, although the next writer's clock is slow", async () => {
    const { threadId } = await begun();
    const run = await ledger.beginRun({ threadId });
    await run.append([startDelta, textDelta("A1")]);
    await run.cancel();
    const { cursor } = await lastEvent(threadId, run.id);
    expect(await purged(threadId)).toStrictEqual(["Q1"]);
    clock.pass(-500);
    const next = await ledger.beginRun({ threadId });
    await next.cancel();
    clock.pass(500);
    const events = await collect(ledger.follow({ threadId, runId: next.id, after: cursor }));
    expect(events.map(describeEvent)).toStrictEqual(["run created", "run cancelled"]);
  });

  test("cached data of a thread is dropped when messages are deleted from it", async () => {
    const { threadId } = await begun();
    const { id } = await appended(ledger, threadId, "Q2");
    const head = await opened.store.reads.thread({ tenant: ledger.tenant, threadId });
    const remainingMessage = (): string | undefined => head && findLastMessage(opened.store, head, id)?.id;
    expect(remainingMessage()).toBe(id);
    await ledger.purge({ threadId, what: "thread" });
    expect(remainingMessage()).toBeUndefined();
  });

  test.each([
    [{ what: "all" }, "what"],
    [{ what: "thread" }, "before"],
    [{ what: "replaced", before: "yesterday" }, "before"],
    [{ what: "replaced", threadId: "" }, "threadId"],
  ])("%j is rejected", async (options, path) => {
    await expect(opened.ledger.purge(options as never)).rejects.toMatchObject({ code: "invalid-input", path });
  });
});

/** Returns the blobs of the messages' texts that still exist. */
async function blobsLeft({ store }: OpenLedger, { tenant }: Ledger, messages: StoredMessage[]): Promise<string[]> {
  const left: string[] = [];
  for (const text of readTexts(messages).flatMap((each) => each.split("|"))) {
    const row = await store.reads.blob(tenant, hashBytes(encodeText(text).bytes));
    if (row !== undefined) left.push(row.hash);
  }
  return left;
}

test("on SQLite the file is smaller after a purge and a vacuum", async () => {
  const folder = mkdtempSync(join(tmpdir(), "koine-purge-"));
  const path = join(folder, "koine.db");
  const ledger = await openLedger(`sqlite:${path}`, { sync: "normal" });
  try {
    const { id: keptId } = await ledger.createThread();
    await ledger.append(keptId, [user("Still here.")]);
    const { id } = await ledger.createThread();
    for (let count = 0; count < 8; count++) {
      await ledger.append(id, [user([file({ data: Buffer.alloc(300_000, count + 1).toString("base64") })])]);
    }
    await ledger.vacuum();
    const before = statSync(path).size;
    expect(before).toBeGreaterThan(2_400_000);
    const { bytes } = await ledger.purge({ graceMs: 0, threadId: id, what: "thread" });
    expect(bytes).toBeGreaterThan(2_400_000);
    await ledger.vacuum();
    expect(statSync(path).size).toBeLessThan(before / 4);
    expect(readTexts(await ledger.transcript(keptId))).toStrictEqual(["Still here."]);
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true });
  }
});

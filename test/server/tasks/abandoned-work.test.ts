// Tasks of a process that died at the worst moment: written by hand, and continued by a server.
import { afterEach, expect, test } from "vitest";
import { type Ledger, createLedger, openLedger } from "../../../src/ledger/index.ts";
import { wait } from "../../../src/ledger/store/index.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import { user } from "../../../src/model/index.ts";
import { encodeEntry, type TaskEntry } from "../../../src/server/tasks/journal-entries.ts";
import { toThreadMessage } from "../../../src/server/tasks/thread-message.ts";
import { call, ManualModel, TaskEventListener, startTasks, toMessageLines } from "./support.ts";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

interface Left {
  ledger: Ledger;
  id: string;
  write: (entries: TaskEntry[], text?: string) => Promise<void>;
}

/** A task with its first message, and requested work. */
async function leftBehind(): Promise<Left> {
  const ledger = await openLedger("memory:");
  ending.push(() => ledger.close());
  const { id } = await ledger.createThread({ kind: "task", metadata: { task: { model: "test/manual" } } });
  const write = async (entries: TaskEntry[], text?: string): Promise<void> => {
    const append =
      text === undefined ? {} : { append: { messages: [toThreadMessage({ id: text, message: user(text) })] } };
    await ledger.log(id, entries.map(encodeEntry), { requestWork: true, ...append });
  };
  await write([{ type: "began", id: "First." }], "First.");
  return { ledger, id, write };
}

async function takeUp({
  ledger,
  id,
}: Pick<Left, "ledger" | "id">): Promise<{ model: ManualModel; task: string; events: TaskEventListener }> {
  const model = new ManualModel();
  const server = await startTasks({ providers: { test: model.provider }, drainMs: 50 }, { ledger });
  const task = `${server.url}/v1/task/${id}`;
  const events = new TaskEventListener(`${task}/events`);
  ending.push(
    () => server.close(),
    () => events.close(),
  );
  return { model, task, events };
}

const queued = (text: string): TaskEntry => ({ type: "queued", id: text, mode: "steer", message: user(text) });

test("a message that was appended before its journal entry is not delivered again", async () => {
  const left = await leftBehind();
  await left.write([queued("Second."), queued("Third.")]);
  await left.ledger.append(left.id, [toThreadMessage({ id: "Second.", message: user("Second.") })]);
  const { model, events } = await takeUp(left);
  const pendingCall = await model.nextCall();
  expect(toMessageLines(pendingCall.request)).toStrictEqual(["user: First.", "user: Second.", "user: Third."]);
  pendingCall.complete("Yes.");
  await events.untilEvent("PostConversation");
  expect(model.count).toBe(1);
  expect(events.queues.at(-1)).toStrictEqual([]);
});

test("work that was cancelled when its process died is cancelled, and the model is not called", async () => {
  const left = await leftBehind();
  await left.write([queued("Second."), { type: "cancel", id: "c" }]);
  const { model, task, events } = await takeUp(left);
  await events.untilEvent("PostConversation");
  expect(events.eventSequence).toBe(
    "PreConversation MessageAdded MessageQueued MessageUnqueued Cancelled PostConversation",
  );
  expect([model.count, (await call(task)).body.task.state]).toStrictEqual([0, "cancelled"]);
});

test("an unfinished step of cancelled work is ended, and never continued", async () => {
  const left = await leftBehind();
  const run = await left.ledger.beginRun({ threadId: left.id, metadata: { agent: true } });
  await run.append([{ kind: "start", payload: { modelId: "manual", requestId: "r", contractVersion: 1 } }]);
  await left.write([{ type: "cancel", id: "c" }]);
  const { model, task, events } = await takeUp(left);
  await events.untilEvent("PostConversation");
  expect(events.eventSequence).toBe("PreConversation MessageAdded Cancelled PostConversation");
  expect((await left.ledger.run(run.id)).state).toBe("failed");
  await call(`${task}/message`, { message: "Again." });
  while (model.count < 1) await model.nextCall();
  expect((await call(task)).body.task.state).toBe("running");
});

test("a queue whose work was never started is started", async () => {
  const left = await leftBehind();
  await left.write([{ type: "ended", reason: "done" }, queued("Second.")]);
  const { model, events } = await takeUp(left);
  const pendingCall = await model.nextCall();
  expect(toMessageLines(pendingCall.request)).toStrictEqual(["user: First.", "user: Second."]);
  pendingCall.complete("Yes.");
  await events.untilEvent("PostConversation", 2);
  expect(events.eventSequence).toContain("PreConversation MessageUnqueued MessageAdded MessageAdded RequestCompleted");
});

test("a damaged last journal entry does not end a task", async () => {
  const store = memoryStore();
  const ledger = createLedger(store);
  ending.push(() => ledger.close());
  const { id } = await ledger.createThread({ kind: "task", metadata: { task: { model: "test/manual" } } });
  await ledger.log(id, [encodeEntry(queued("First."))]);
  const [row] = await store.reads.log({ tenant: ledger.tenant, threadId: id }, { limit: 1 });
  const torn = { ...(row as NonNullable<typeof row>), id: ledger.newId(), body: "{oops" };
  await store.write((tx) => wait(tx.insertLog([torn])));
  const { model, task, events } = await takeUp({ ledger, id });
  expect((await call(`${task}/message`, { message: "Second." })).body.queued).toBe(true);
  const pendingCall = await model.nextCall();
  expect(toMessageLines(pendingCall.request)).toStrictEqual(["user: First.", "user: Second."]);
  pendingCall.complete("Yes.");
  await events.untilEvent("PostConversation");
});

test("a task that was deleted and imported has the state of its export", async () => {
  const left = await leftBehind();
  const { model, task, events } = await takeUp(left);
  (await model.nextCall()).complete("One.");
  await events.untilEvent("PostConversation");
  const lines: string[] = [];
  for await (const line of left.ledger.export(left.id)) lines.push(line);
  await call(`${task}/message`, { message: "Second." });
  (await model.nextCall()).complete("Two.");
  await events.untilEvent("PostConversation", 2);
  await expect
    .poll(() => left.ledger.purge({ what: "thread", threadId: left.id }).catch(() => undefined))
    .toBeDefined();
  await left.ledger.import(lines);
  expect(await call(`${task}/message`, { message: "Third." })).toMatchObject({ status: 200, body: { queued: false } });
  const third = await model.nextCall();
  expect(toMessageLines(third.request)).toStrictEqual(["user: First.", "assistant: One.", "user: Third."]);
  third.complete("Three.");
});

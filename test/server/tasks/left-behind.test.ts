// What a process left behind that died at the worst moment: written by hand, and taken up by a server.
import { afterEach, expect, test } from "vitest";
import { got, type Ledger, ledgerOn, openLedger } from "../../../src/ledger/index.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import { user } from "../../../src/model/index.ts";
import { encodeEntry, type TaskEntry } from "../../../src/server/tasks/entries.ts";
import { toThreadMessage } from "../../../src/server/tasks/words.ts";
import { call, HeldModel, Listener, startTasks, toldOf } from "./support.ts";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

interface Left {
  ledger: Ledger;
  id: string;
  write: (entries: TaskEntry[], said?: string) => Promise<void>;
}

/** A task with its first message said, and work wanted on it. */
async function leftBehind(): Promise<Left> {
  const ledger = await openLedger("memory:");
  ending.push(() => ledger.close());
  const { id } = await ledger.createThread({ kind: "task", metadata: { task: { model: "test/held" } } });
  const write = async (entries: TaskEntry[], said?: string): Promise<void> => {
    const append =
      said === undefined ? {} : { append: { messages: [toThreadMessage({ id: said, message: user(said) })] } };
    await ledger.log(id, entries.map(encodeEntry), { want: true, ...append });
  };
  await write([{ type: "began", id: "First." }], "First.");
  return { ledger, id, write };
}

async function takeUp({
  ledger,
  id,
}: Pick<Left, "ledger" | "id">): Promise<{ model: HeldModel; task: string; events: Listener }> {
  const model = new HeldModel();
  const server = await startTasks({ providers: { test: model.provider }, drainMs: 50 }, { ledger });
  const task = `${server.url}/v1/task/${id}`;
  const events = new Listener(`${task}/events`);
  ending.push(
    () => server.close(),
    () => events.close(),
  );
  return { model, task, events };
}

const queued = (text: string): TaskEntry => ({ type: "queued", id: text, mode: "steer", message: user(text) });

test("what was said before that could be written down is not said again", async () => {
  const left = await leftBehind();
  await left.write([queued("Second."), queued("Third.")]);
  await left.ledger.append(left.id, [toThreadMessage({ id: "Second.", message: user("Second.") })]);
  const { model, events } = await takeUp(left);
  const asked = await model.asked();
  expect(toldOf(asked.request)).toStrictEqual(["user: First.", "user: Second.", "user: Third."]);
  asked.say("Yes.");
  await events.untilSaid("PostConversation");
  expect(model.count).toBe(1);
  expect(events.queues.at(-1)).toStrictEqual([]);
});

test("work that was to be cancelled when its process died is cancelled, and the model is not asked", async () => {
  const left = await leftBehind();
  await left.write([queued("Second."), { type: "cancel", id: "c" }]);
  const { model, task, events } = await takeUp(left);
  await events.untilSaid("PostConversation");
  expect(events.story).toBe("PreConversation MessageAdded MessageQueued MessageUnqueued Cancelled PostConversation");
  expect([model.count, (await call(task)).body.task.state]).toStrictEqual([0, "cancelled"]);
});

test("a step that was left behind by cancelled work is ended, and never gone on with", async () => {
  const left = await leftBehind();
  const run = await left.ledger.beginRun({ threadId: left.id, metadata: { agent: true } });
  await run.append([{ kind: "start", payload: { modelId: "held", requestId: "r", contractVersion: 1 } }]);
  await left.write([{ type: "cancel", id: "c" }]);
  const { model, task, events } = await takeUp(left);
  await events.untilSaid("PostConversation");
  expect(events.story).toBe("PreConversation MessageAdded Cancelled PostConversation");
  expect((await left.ledger.run(run.id)).state).toBe("failed");
  await call(`${task}/message`, { message: "Again." });
  while (model.count < 1) await model.asked();
  expect((await call(task)).body.task.state).toBe("running");
});

test("a queue whose conversation was never begun is begun", async () => {
  const left = await leftBehind();
  await left.write([{ type: "ended", reason: "done" }, queued("Second.")]);
  const { model, events } = await takeUp(left);
  const asked = await model.asked();
  expect(toldOf(asked.request)).toStrictEqual(["user: First.", "user: Second."]);
  asked.say("Yes.");
  await events.untilSaid("PostConversation", 2);
  expect(events.story).toContain("PreConversation MessageUnqueued MessageAdded MessageAdded RequestCompleted");
});

test("a damaged entry at the end of the journal does not end a task", async () => {
  const store = memoryStore();
  const ledger = ledgerOn(store);
  ending.push(() => ledger.close());
  const { id } = await ledger.createThread({ kind: "task", metadata: { task: { model: "test/held" } } });
  await ledger.log(id, [encodeEntry(queued("First."))]);
  const [row] = await store.reads.log({ tenant: ledger.tenant, threadId: id }, { limit: 1 });
  const torn = { ...(row as NonNullable<typeof row>), id: ledger.newId(), body: "{oops" };
  await store.write((tx) => got(tx.insertLog([torn])));
  const { model, task, events } = await takeUp({ ledger, id });
  expect((await call(`${task}/message`, { message: "Second." })).body.queued).toBe(true);
  const asked = await model.asked();
  expect(toldOf(asked.request)).toStrictEqual(["user: First.", "user: Second."]);
  asked.say("Yes.");
  await events.untilSaid("PostConversation");
});

test("a task that was deleted and restored from its export is the one that it was then", async () => {
  const left = await leftBehind();
  const { model, task, events } = await takeUp(left);
  (await model.asked()).say("One.");
  await events.untilSaid("PostConversation");
  const lines: string[] = [];
  for await (const line of left.ledger.export(left.id)) lines.push(line);
  await call(`${task}/message`, { message: "Second." });
  (await model.asked()).say("Two.");
  await events.untilSaid("PostConversation", 2);
  await expect
    .poll(() => left.ledger.purge({ what: "thread", threadId: left.id }).catch(() => undefined))
    .toBeDefined();
  await left.ledger.import(lines);
  expect(await call(`${task}/message`, { message: "Third." })).toMatchObject({ status: 200, body: { queued: false } });
  const third = await model.asked();
  expect(toldOf(third.request)).toStrictEqual(["user: First.", "assistant: One.", "user: Third."]);
  third.say("Three.");
});

// Tasks survive the processes that run them: closed, killed, or one of several on one database.
import { randomInt } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import { startMcpHttp } from "../../agent/support/mcp-http.ts";
import { freshDatabase } from "../../support/postgres.ts";
import type { ConfigFile } from "../../../src/server/config/index.ts";
import { spawnKoine } from "../support/start-koine.ts";
import { call, ManualModel, TaskEventListener, createTask, startTasks, toMessageLines } from "./support.ts";

/** Long enough for a busy machine to renew it in time. */
const LEASE_MS = 2000;

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "koine-tasks-"));
  ending.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

function listen(url: string): TaskEventListener {
  const listener = new TaskEventListener(url);
  ending.push(() => listener.close());
  return listener;
}

/** Returns the events that a new reader receives from the start. */
async function replay(task: string, conversations: number): Promise<TaskEventListener> {
  return listen(`${task}/events`).untilEvent("PostConversation", conversations);
}

/** Checks that a continuous reader received every event once. */
function expectWhole(reader: TaskEventListener, whole: TaskEventListener): void {
  const ids = reader.events.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(reader.events).toStrictEqual(whole.events);
}

test("a closed server releases its tasks with their queue, and the next one continues", async () => {
  const ledger = { url: `sqlite:${join(await folder(), "koine.db")}` };
  const model = new ManualModel();
  const settings = { providers: { test: model.provider }, tasks: { model: "test/manual" }, ledger, drainMs: 50 };
  const first = await startTasks({ ...settings, port: await freePort() });
  const task = await createTask(first.url, { message: "First." });
  const events = listen(`${task}/events`);
  const pendingCall = await model.nextCall();
  pendingCall.begin("I was just");
  const queued = await call(`${task}/message`, { message: "Second.", mode: "follow-up" });
  await events.untilEvent("MessageQueued");
  await first.close();
  expect(pendingCall.signal.aborted).toBe(true);
  const second = await startTasks({ ...settings, port: Number(new URL(task).port) });
  ending.push(() => second.close());
  const again = await model.nextCall();
  expect(toMessageLines(again.request)).toStrictEqual(["user: First."]);
  expect((await call(`${task}/queued_messages`)).body).toMatchObject([{ id: queued.body.id }]);
  again.complete("One.");
  (await model.nextCall()).complete("Two.");
  await events.untilEvent("PostConversation");
  expect(events.eventSequence).toBe(
    "PreConversation MessageAdded MessageQueued MessageAdded RequestCompleted " +
      "MessageUnqueued MessageAdded MessageAdded RequestCompleted PostConversation",
  );
  expectWhole(events, await replay(task, 1));
});

test("a tool call that waits for approval still waits after a restart, and runs once", async () => {
  const record = join(await folder(), "record");
  const mcp = await startMcpHttp({ record });
  ending.push(() => mcp.stop());
  const ledger = { url: `sqlite:${join(await folder(), "koine.db")}` };
  const model = new ManualModel();
  const settings = {
    providers: { test: model.provider },
    tasks: { model: "test/manual", mcpServers: { tools: { url: mcp.url } } },
    ledger,
  };
  const first = await startTasks({ ...settings, port: await freePort() });
  const task = await createTask(first.url, { message: "Go.", approval: "ask" });
  const events = listen(`${task}/events`);
  (await model.nextCall()).call(["echo", { text: "done" }, "call_a"]);
  await events.untilEvent("PreToolCall");
  await first.close();
  const second = await startTasks({ ...settings, port: Number(new URL(task).port) });
  ending.push(() => second.close());
  expect((await call(task)).body.task).toMatchObject({ state: "waiting", pending_tool_calls: [{ id: "call_a" }] });
  expect((await call(`${task}/approve`, { toolCallId: "call_a", approve: true })).status).toBe(200);
  const next = await model.nextCall();
  expect(toMessageLines(next.request).slice(1)).toStrictEqual(["assistant: →echo", "tool: ←done"]);
  next.complete("Done.");
  await events.untilEvent("PostConversation");
  expect(events.eventNames.filter((eventName) => eventName.includes("ToolCall"))).toStrictEqual([
    "PreToolCall",
    "ToolCallDecided",
    "PostToolCall",
  ]);
  expectWhole(events, await replay(task, 1));
});

/**
 * Returns a port that was free a moment ago, below those that systems give to outgoing connections: a reader that
 * reconnects while no server listens could otherwise take the port itself.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    const port = randomInt(10_000, 32_000);
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

/** The configuration of a child process, with external tools that record their start. */
async function killable(config: ConfigFile): Promise<{ settings: ConfigFile; effects: () => Promise<string[]> }> {
  const record = join(await folder(), "record");
  const mcp = await startMcpHttp({ record });
  ending.push(() => mcp.stop());
  const lines = async (): Promise<string[]> => (await readFile(record, "utf8")).trim().split("\n");
  return {
    settings: { port: await freePort(), tasks: { mcpServers: { tools: { url: mcp.url } } }, ...config },
    effects: async () => (await lines()).filter((line) => line.startsWith("began")),
  };
}

test("kill -9 during a task: another process continues, nothing runs twice, and readers miss nothing", async () => {
  const ledger = { url: `sqlite:${join(await folder(), "koine.db")}`, leaseMs: LEASE_MS };
  const { settings, effects } = await killable({ ledger });
  const first = await spawnKoine(settings);
  ending.push(() => first.kill());
  const task = await createTask(first.url, { message: 'call echo {"text":"a"} then wait' });
  const events = listen(`${task}/events`);
  await events.untilEvent("PreToolCall", 2);
  const queued = await call(`${task}/message`, { message: "say Still here.", mode: "follow-up" });
  expect(queued.body.queued).toBe(true);
  await first.kill();
  const second = await spawnKoine(settings);
  ending.push(() => second.kill());
  await events.untilEvent("PostConversation");
  expect(await effects()).toStrictEqual(["began wait"]);
  const messages = events.events.filter(({ data }) => data.msg === "MessageAdded").map(({ data }) => data.message);
  expect(messages.map(({ role }) => role)).toStrictEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "tool",
    "assistant",
    "user",
    "assistant",
  ]);
  expect(messages.at(-1).content).toBe("Still here.");
  expect(messages[4].content).toContain("interrupted");
  expectWhole(events, await replay(task, 1));
});

test("two instances on one PostgreSQL: either serves a task, and continues work of the other", async () => {
  const { url, drop } = await freshDatabase();
  ending.push(drop);
  const ledger = { url, leaseMs: LEASE_MS, connections: 3 };
  const { settings, effects } = await killable({ ledger });
  const there = await spawnKoine(settings);
  ending.push(() => there.kill());
  const stalling = await createTask(there.url, { message: "stall" });
  const waiting = await createTask(there.url, { message: "call wait" });
  await listen(`${stalling}/events`).untilEvent("Delta");
  await listen(`${waiting}/events`).untilEvent("PreToolCall");
  // Started only now, so that it is not the one that starts the task.
  const here = await startTasks({ ...settings, port: 0, providers: { demo: demo() }, tenants: {}, ledger });
  ending.push(() => here.close());

  // Runs there, read and cancelled here.
  const stallingHere = stalling.replace(there.url, here.url);
  const reader = listen(`${stallingHere}/events`);
  await reader.untilEvent("Delta");
  const queued = await call(`${stallingHere}/message`, { message: "And then?", mode: "follow-up" });
  expect(queued.body.queued).toBe(true);
  const cancelled = await call(`${stallingHere}/cancel`, {});
  expect(cancelled.body.pending_messages).toMatchObject([{ id: queued.body.id }]);
  await reader.untilEvent("PostConversation");

  // Started there, ended here.
  const waitingHere = waiting.replace(there.url, here.url);
  const events = listen(`${waitingHere}/events`);
  await events.untilEvent("PreToolCall");
  await there.kill();
  await events.untilEvent("PostConversation");
  expect(await effects()).toStrictEqual(["began wait"]);
  expect(events.eventSequence).toBe(
    "PreConversation MessageAdded PreToolCall MessageAdded RequestCompleted PostToolCall MessageAdded " +
      "MessageAdded RequestCompleted PostConversation",
  );
  expectWhole(events, await replay(waitingHere, 1));
});

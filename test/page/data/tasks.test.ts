// Tests the task state of the page: computed from events, it always equals the server's own.
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getText, user } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import type { ConversationStore } from "../../../ui/data/conversation/conversation-store.ts";
import { type McpHttp, startMcpHttp } from "../../agent/support/mcp-http.ts";
import { startKoine } from "../../server/support/start-koine.ts";
import { call, ManualModel } from "../../server/tasks/support.ts";
import { listShownTexts, TestTab, waitForState } from "../support/page-data.ts";

const model = new ManualModel();
let koine: KoineServer;
let mcp: McpHttp;
beforeAll(async () => {
  mcp = await startMcpHttp();
  const tasks = { model: "test/manual", mcpServers: { tools: { url: mcp.url } } };
  koine = await startKoine({ providers: { test: model.provider }, tasks });
});
afterAll(async () => {
  await koine.close();
  await mcp.stop();
});

async function newTask(tab: TestTab, approval: "ask" | "never" = "never"): Promise<ConversationStore> {
  const { api } = tab.data;
  const { id } = await api.createTask({ message: user("Begin."), approval }, api.newKey());
  return tab.conversation(id);
}

/** Reads the server's task state in the form of `summarizeTask`. */
async function readServerTask(id: string): Promise<unknown> {
  const {
    state,
    queued_messages: queue,
    pending_tool_calls: calls,
    error,
  } = (await call(`${koine.url}/v1/task/${id}`)).body.task;
  return {
    state,
    queue: queue.map((each: { message: { content: string } }) => each.message.content),
    calls: calls.map((each: { id: string }) => each.id),
    error: error?.message,
  };
}

function summarizeTask(store: ConversationStore): unknown {
  const { task } = store.getSnapshot();
  return {
    state: task?.state,
    queue: task?.queue.map(({ message }) => getText(message)),
    calls: task?.approvals.map(({ toolCallId }) => toolCallId),
    error: task?.error?.message,
  };
}

/** Waits until all stores have this state and agree with the server. */
async function waitForAgreement(stores: readonly ConversationStore[], wanted: object): Promise<void> {
  for (const store of stores) {
    await waitForState(store, () => JSON.stringify(summarizeTask(store)).includes(JSON.stringify(wanted).slice(1, -1)));
    const serverTask = await readServerTask(store.id);
    await waitForState(store, () => isDeepStrictEqual(summarizeTask(store), serverTask));
  }
}

test("messages to a task at work are queued, delivered in turn, and returned when the task is stopped", async () => {
  using tab = new TestTab(koine.url);
  using other = new TestTab(koine.url);
  const store = await newTask(tab);
  const first = await model.nextCall();
  await waitForAgreement([store], { state: "running", queue: [] });
  await store.actions.sendMessage(user("Then this."), { mode: "follow-up" });
  await store.actions.sendMessage(user("And a picture."), { mode: "follow-up" });
  const late = other.conversation(store.id);
  const stores = [store, late];
  await waitForAgreement(stores, { queue: ["Then this.", "And a picture."] });
  // The queue modes arrive with the journal, after the summary.
  const [here, there] = await Promise.all(
    stores.map((each) =>
      waitForState(each, ({ task }) => task?.queue.every(({ mode }) => mode === "follow-up") === true),
    ),
  );
  expect(here?.task).toStrictEqual(there?.task);
  first.complete("Begun.");
  const second = await model.nextCall();
  await waitForAgreement(stores, { state: "running", queue: ["And a picture."] });
  second.begin("On it");
  await waitForState(late, (state) => listShownTexts(state).at(-1) === "~On it");
  const back = await store.actions.stop();
  expect(back).toStrictEqual([user("And a picture.")]);
  await waitForAgreement(stores, { state: "cancelled", queue: [] });
  // Nothing is left to stop.
  expect(await store.actions.stop()).toStrictEqual([]);
  await store.actions.sendMessage(user("Again."));
  (await model.nextCall()).fail("invalid-request");
  await waitForAgreement(stores, { state: "failed" });
  expect(store.getSnapshot().task?.error?.message).toContain("It was made to fail");
});

test("pending tool calls are shown in every tab, and run or not according to the decision", async () => {
  using tab = new TestTab(koine.url);
  const store = await newTask(tab, "ask");
  (await model.nextCall()).call(["echo", { text: "one" }, "call_a"], ["echo", { text: "two" }, "call_b"]);
  await waitForAgreement([store], { state: "waiting", queue: [], calls: ["call_a", "call_b"] });
  expect(store.getSnapshot().task).toMatchObject({
    approval: "ask",
    model: "test/manual",
    approvals: [{ toolCallId: "call_a", toolName: "echo", argumentsText: '{"text":"one"}' }, { toolCallId: "call_b" }],
  });
  using reloaded = new TestTab(koine.url);
  const again = reloaded.conversation(store.id);
  await waitForAgreement([again], { state: "waiting", queue: [], calls: ["call_a", "call_b"] });
  const { task } = store.getSnapshot();
  await waitForState(again, (state) => isDeepStrictEqual(state.task, task));
  await again.actions.decideToolCall("call_a", true);
  await waitForAgreement([store, again], { calls: ["call_b"] });
  await store.actions.decideToolCall("call_b", false, "Not today.");
  await expect(again.actions.decideToolCall("call_b", true)).rejects.toMatchObject({ status: 409 });
  const pendingCall = await model.nextCall();
  pendingCall.complete("Done.");
  await waitForAgreement([store, again], { state: "idle", queue: [], calls: [] });
  const { path, bodies, nodes } = await waitForState(store, (state) => listShownTexts(state).at(-1) === "Done.");
  const results = bodies.get(path[2] ?? "")?.parts;
  expect(results).toMatchObject([
    { toolCallId: "call_a", isError: false },
    { toolCallId: "call_b", isError: true },
  ]);
  expect(nodes.get(path[1] ?? "")?.toolCalls).toStrictEqual(["echo", "echo"]);
  await waitForState(again, (state) => state.bodies.size === bodies.size);
  expect(again.getSnapshot().nodes).toStrictEqual(nodes);
});

test("a message that a task cannot receive is rejected instead of altered", async () => {
  using tab = new TestTab(koine.url);
  const store = await newTask(tab);
  (await model.nextCall()).complete("Begun.");
  const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" } as const;
  await waitForState(store, ({ task }) => task?.state === "idle");
  await store.actions.sendMessage({ role: "user", parts: [{ type: "text", text: "This?" }, image] });
  const pendingCall = await model.nextCall();
  expect(pendingCall.request.messages.at(-1)?.parts).toMatchObject([{ type: "text" }, { type: "image" }]);
  pendingCall.complete("A picture.");
  const video = { type: "video", mimeType: "video/mp4", data: "AAAA" } as const;
  await expect(store.actions.sendMessage({ role: "user", parts: [video] })).rejects.toThrow(
    "This message cannot be sent to a task",
  );
});

test("a task at work is stopped before its thread is deleted", async () => {
  using tab = new TestTab(koine.url);
  const store = await newTask(tab);
  (await model.nextCall()).begin("Working");
  await waitForState(store, (state) => listShownTexts(state).at(-1) === "~Working");
  await tab.data.api.removeThread(store.id);
  await waitForState(store, ({ status }) => status === "missing");
  await expect(koine.ledger.thread(store.id)).rejects.toMatchObject({ code: "unknown-thread" });
});

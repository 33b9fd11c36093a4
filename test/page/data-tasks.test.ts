// A task as the page knows it: its queue, what waits to be allowed and what it is at, folded from its events, is at every
// moment what the server itself says.
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf, user } from "../../src/model/index.ts";
import type { KoineServer } from "../../src/server/server.ts";
import type { ConversationStore } from "../../ui/data/conversation/store.ts";
import { type McpHttp, startMcpHttp } from "../agent/support/mcp-http.ts";
import { startKoine } from "../server/support/koine.ts";
import { call, HeldModel } from "../server/tasks/support.ts";
import { shown, Tab, until } from "./support/page-data.ts";

const model = new HeldModel();
let koine: KoineServer;
let mcp: McpHttp;
beforeAll(async () => {
  mcp = await startMcpHttp();
  const tasks = { model: "test/held", mcpServers: [{ name: "tools", url: mcp.url }] };
  koine = await startKoine({ providers: { test: model.provider }, tasks });
});
afterAll(async () => {
  await koine.close();
  await mcp.stop();
});

async function newTask(tab: Tab, approval: "ask" | "never" = "never"): Promise<ConversationStore> {
  const { api } = tab.data;
  const { id } = await api.createTask({ message: user("Begin."), approval }, api.newKey());
  return tab.conversation(id);
}

/** The server's own account, in the page's words. */
async function account(id: string): Promise<unknown> {
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

function accountOf(store: ConversationStore): unknown {
  const { task } = store.getSnapshot();
  return {
    state: task?.state,
    queue: task?.queue.map(({ message }) => textOf(message)),
    calls: task?.approvals.map(({ toolCallId }) => toolCallId),
    error: task?.error?.message,
  };
}

/** Waits until every store says what the server says, and this is it. */
async function agrees(stores: readonly ConversationStore[], wanted: object): Promise<void> {
  for (const store of stores) {
    await until(store, () => JSON.stringify(accountOf(store)).includes(JSON.stringify(wanted).slice(1, -1)));
    expect(accountOf(store)).toStrictEqual(await account(store.id));
  }
}

test("messages to a task at work wait in its queue, are said in their turn, and come back when it is stopped", async () => {
  using tab = new Tab(koine.url);
  using other = new Tab(koine.url);
  const store = await newTask(tab);
  const first = await model.asked();
  await agrees([store], { state: "running", queue: [] });
  await store.actions.say(user("Then this."), { mode: "follow-up" });
  await store.actions.say(user("And a picture."), { mode: "follow-up" });
  const late = other.conversation(store.id);
  const stores = [store, late];
  await agrees(stores, { queue: ["Then this.", "And a picture."] });
  // How each waits is told by the journal, a moment after the summary.
  const { task } = await until(late, (state) => state.task?.queue.every(({ mode }) => mode === "follow-up") === true);
  expect(task).toStrictEqual(store.getSnapshot().task);
  first.say("Begun.");
  const second = await model.asked();
  await agrees(stores, { state: "running", queue: ["And a picture."] });
  second.begin("On it");
  await until(late, (state) => shown(state).at(-1) === "~On it");
  const back = await store.actions.stop();
  expect(back).toStrictEqual([user("And a picture.")]);
  await agrees(stores, { state: "cancelled", queue: [] });
  // Nothing is left to stop.
  expect(await store.actions.stop()).toStrictEqual([]);
  await store.actions.say(user("Again."));
  (await model.asked()).fail("invalid-request");
  await agrees(stores, { state: "failed" });
  expect(store.getSnapshot().task?.error?.message).toContain("It was made to fail");
});

test("tools that wait to be allowed are told to everybody, and run or not as somebody decides", async () => {
  using tab = new Tab(koine.url);
  const store = await newTask(tab, "ask");
  (await model.asked()).call(["echo", { text: "one" }, "call_a"], ["echo", { text: "two" }, "call_b"]);
  await agrees([store], { state: "waiting", queue: [], calls: ["call_a", "call_b"] });
  expect(store.getSnapshot().task).toMatchObject({
    approval: "ask",
    model: "test/held",
    approvals: [{ toolCallId: "call_a", toolName: "echo", argumentsText: '{"text":"one"}' }, { toolCallId: "call_b" }],
  });
  using reloaded = new Tab(koine.url);
  const again = reloaded.conversation(store.id);
  await agrees([again], { state: "waiting", queue: [], calls: ["call_a", "call_b"] });
  expect(again.getSnapshot().task).toStrictEqual(store.getSnapshot().task);
  await again.actions.decide("call_a", true);
  await agrees([store, again], { calls: ["call_b"] });
  await store.actions.decide("call_b", false, "Not today.");
  await expect(again.actions.decide("call_b", true)).rejects.toMatchObject({ status: 409 });
  const asked = await model.asked();
  asked.say("Done.");
  await agrees([store, again], { state: "idle", queue: [], calls: [] });
  const { path, bodies, nodes } = await until(store, (state) => shown(state).at(-1) === "Done.");
  const results = bodies.get(path[2] ?? "")?.parts;
  expect(results).toMatchObject([
    { toolCallId: "call_a", isError: false },
    { toolCallId: "call_b", isError: true },
  ]);
  expect(nodes.get(path[1] ?? "")?.toolCalls).toStrictEqual(["echo", "echo"]);
  await until(again, (state) => state.bodies.size === bodies.size);
  expect(again.getSnapshot().nodes).toStrictEqual(nodes);
});

test("a task that cannot be told something says so instead of leaving it out", async () => {
  using tab = new Tab(koine.url);
  const store = await newTask(tab);
  (await model.asked()).say("Begun.");
  const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" } as const;
  await until(store, ({ task }) => task?.state === "idle");
  await store.actions.say({ role: "user", parts: [{ type: "text", text: "This?" }, image] });
  const asked = await model.asked();
  expect(asked.request.messages.at(-1)?.parts).toMatchObject([{ type: "text" }, { type: "image" }]);
  asked.say("A picture.");
  const video = { type: "video", mimeType: "video/mp4", data: "AAAA" } as const;
  await expect(store.actions.say({ role: "user", parts: [video] })).rejects.toThrow("A task cannot be told this");
});

test("a task at work is stopped before it is deleted from the list", async () => {
  using tab = new Tab(koine.url);
  const store = await newTask(tab);
  (await model.asked()).begin("Working");
  await until(store, (state) => shown(state).at(-1) === "~Working");
  await tab.data.api.removeThread(store.id);
  await until(store, ({ status }) => status === "missing");
  await expect(koine.ledger.thread(store.id)).rejects.toMatchObject({ code: "unknown-thread" });
});

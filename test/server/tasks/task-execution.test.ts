// A running agent and its queue: steering, follow-ups, cancelling, failures, tools and approval.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { type McpHttp, startMcpHttp } from "../../agent/support/mcp-http.ts";
import {
  type Answered,
  call,
  ManualModel,
  TaskEventListener,
  type TaskServerOptions,
  createTask,
  startTasks,
  toMessageLines,
} from "./support.ts";

const open: (AsyncDisposable | Disposable)[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) {
    if (Symbol.asyncDispose in each) await each[Symbol.asyncDispose]();
    else each[Symbol.dispose]();
  }
});

/**
 * Shortens the polls of the journal and the wait for MCP servers that do not close. Longer sleeps are time limits, which
 * a busy machine must not reach.
 */
const shortenPolls = (ms: number): number => (ms >= 1000 && ms <= 2000 ? 20 : ms);

async function start(
  input: ConfigInput = {},
  options: TaskServerOptions = {},
): Promise<{ model: ManualModel; server: KoineServer; url: string }> {
  const model = new ManualModel();
  const settings = { providers: { test: model.provider }, ...input, tasks: { model: "test/manual", ...input.tasks } };
  const server = await startTasks(settings, options);
  open.push(server);
  return { model, server, url: server.url };
}

function listen(task: string): TaskEventListener {
  const listener = new TaskEventListener(`${task}/events`);
  open.push(listener);
  return listener;
}

async function tools(): Promise<McpHttp> {
  const mcp = await startMcpHttp();
  open.push({ [Symbol.asyncDispose]: () => mcp.stop() });
  return mcp;
}

test("a message to an idle task is delivered at once, one to a running task waits for its answer", async () => {
  const { model, url } = await start();
  const task = await createTask(url, { message: "First." });
  const events = listen(task);
  const first = await model.nextCall();
  const second = await call(`${task}/message`, { message: "Second.", mode: "follow-up" });
  const third = await call(`${task}/message`, { message: { role: "user", content: "Third." }, mode: "follow-up" });
  expect([second.body.queued, third.body.queued]).toStrictEqual([true, true]);
  expect((await call(`${task}/queued_messages`)).body).toStrictEqual([
    { id: second.body.id, message: { role: "user", content: "Second." } },
    { id: third.body.id, message: { role: "user", content: "Third." } },
  ]);
  await events.until(({ queues }) => queues.at(-1)?.length === 2);
  first.complete("One.");
  (await model.nextCall()).complete("Two.");
  (await model.nextCall()).complete("Three.");
  await events.untilEvent("PostConversation");
  expect((await call(`${task}/message`, { message: "Fourth." })).body.queued).toBe(false);
  const last = await model.nextCall();
  expect(toMessageLines(last.request).join(" ")).toBe(
    "user: First. assistant: One. user: Second. assistant: Two. user: Third. assistant: Three. user: Fourth.",
  );
  last.complete("Four.");
  await events.untilEvent("PostConversation", 2);
  const turn = "MessageAdded MessageAdded RequestCompleted";
  expect(events.eventSequence.replaceAll("MessageQueued ", "")).toBe(
    `PreConversation ${turn} MessageUnqueued ${turn} MessageUnqueued ${turn} PostConversation ` +
      `PreConversation ${turn} PostConversation`,
  );
  expect(events.queues.at(-1)).toStrictEqual([]);
  expect(events.queues).toContainEqual(["Second.", "Third."]);
});

test("a steering message is delivered after the current tool round", async () => {
  const mcp = await tools();
  const { model, url } = await start({ tasks: { mcpServers: { tools: { url: mcp.url } } } });
  const task = await createTask(url, { message: "Add." });
  const events = listen(task);
  const first = await model.nextCall();
  const { body } = await call(`${task}/message`, { message: "And be brief." });
  expect(body.queued).toBe(true);
  first.call(["add", { a: 1, b: 2 }], ["echo", { text: "x" }]);
  const second = await model.nextCall();
  expect(toMessageLines(second.request).slice(1)).toStrictEqual([
    "assistant: →add →echo",
    "tool: ←[object Object] ←x",
    "user: And be brief.",
  ]);
  second.complete("3.");
  await events.untilEvent("PostConversation");
  expect(events.eventSequence).toBe(
    "PreConversation MessageAdded MessageQueued PreToolCall PreToolCall MessageAdded RequestCompleted " +
      "PostToolCall MessageAdded PostToolCall MessageAdded MessageUnqueued MessageAdded MessageAdded " +
      "RequestCompleted PostConversation",
  );
  const post = events.events.find(({ data }) => data.msg === "PostToolCall");
  expect(post?.data).toStrictEqual({
    msg: "PostToolCall",
    tool_call: { id: "call_1_0", type: "function", function: { name: "add", arguments: '{"a":1,"b":2}' } },
    name: "add",
    text: '{"sum":3}',
    result: { sum: 3 },
  });
});

test("cancelling ends the work, returns the queue, and the next message continues", async () => {
  const { model, url } = await start();
  const task = await createTask(url, { message: "First." });
  const events = listen(task);
  const first = await model.nextCall();
  first.begin("I was just");
  const queued = await call(`${task}/message`, { message: "Second." });
  const cancelled = await call(`${task}/cancel`, {});
  expect(cancelled).toStrictEqual({
    status: 200,
    body: { pending_messages: [{ id: queued.body.id, message: { role: "user", content: "Second." } }] },
  });
  expect(first.signal.aborted).toBe(true);
  await events.untilEvent("PostConversation");
  expect(events.eventSequence).toBe(
    "PreConversation MessageAdded MessageQueued MessageUnqueued Cancelled PostConversation",
  );
  expect((await call(`${task}/cancel`, {})).status).toBe(404);
  expect((await call(task)).body.task.state).toBe("cancelled");
  await call(`${task}/message`, { message: "Third." });
  const next = await model.nextCall();
  expect(toMessageLines(next.request)).toStrictEqual(["user: First.", "user: Third."]);
  next.complete("Yes.");
  await events.untilEvent("PostConversation", 2);
});

test("a running tool is aborted when the task is cancelled, and its call has a result in the history", async () => {
  const mcp = await tools();
  const { model, url, server } = await start({ tasks: { mcpServers: { tools: { url: mcp.url } } } });
  const task = await createTask(url, { message: "Wait." });
  const events = listen(task);
  (await model.nextCall()).call(["wait", {}, "call_wait"]);
  await events.untilEvent("PreToolCall");
  expect((await call(`${task}/cancel`, {})).status).toBe(200);
  await events.untilEvent("PostConversation");
  expect(events.eventNames.filter((eventName) => eventName.includes("Tool"))).toStrictEqual([
    "PreToolCall",
    "PostToolCall",
  ]);
  const messages = await server.ledger.transcript(task.split("/").at(-1) ?? "");
  expect(messages.map(({ role }) => role)).toStrictEqual(["user", "assistant", "tool"]);
});

test("a failed task has its reason; its queue waits for the next message", async () => {
  const { model, url } = await start({
    models: { once: { to: "test/manual", retry: { attempts: 1 } } },
    tasks: { model: "once" },
  });
  const task = await createTask(url, { message: "First." });
  const events = listen(task);
  const first = await model.nextCall();
  await call(`${task}/message`, { message: "Second.", mode: "follow-up" });
  first.fail("invalid-request");
  await events.untilEvent("PostConversation");
  const failed = events.events.find(({ data }) => data.msg === "Failed");
  expect(failed?.data.error).toMatchObject({
    code: "invalid-request",
    message: "It was made to fail: invalid-request.",
  });
  const shown = (await call(task)).body.task;
  expect([shown.state, shown.queued_messages.length, shown.error.code]).toStrictEqual(["failed", 1, "invalid-request"]);
  const third = await call(`${task}/message`, { message: "Third.", mode: "follow-up" });
  expect(third.body.queued).toBe(true);
  const second = await model.nextCall();
  expect(toMessageLines(second.request)).toStrictEqual(["user: First.", "user: Second."]);
  second.complete("Two.");
  (await model.nextCall()).complete("Three.");
  await events.untilEvent("PostConversation", 2);
  expect((await call(task)).body.task.state).toBe("idle");
});

test("a tool call waits for approval, and runs or not as decided", async () => {
  const mcp = await tools();
  const { model, url } = await start({ tasks: { mcpServers: { tools: { url: mcp.url } } } });
  const task = await createTask(url, { message: "Go.", approval: "ask" });
  const events = listen(task);
  (await model.nextCall()).call(["echo", { text: "one" }, "call_a"], ["echo", { text: "two" }, "call_b"]);
  await events.untilEvent("PreToolCall", 2);
  const shown = (await call(task)).body.task;
  expect([shown.state, shown.pending_tool_calls.length]).toStrictEqual(["waiting", 2]);
  expect(await call(`${task}/approve`, { toolCallId: "call_x", approve: true })).toMatchObject({ status: 404 });
  expect(await call(`${task}/approve`, { tool_call_id: "call_a", approve: true })).toMatchObject({ status: 200 });
  expect(await call(`${task}/approve`, { toolCallId: "call_b", approve: false, reason: "Not today." })).toMatchObject({
    status: 200,
  });
  const second = await model.nextCall();
  expect(toMessageLines(second.request).at(-1)).toBe("tool: ←one ←Not today.");
  second.complete("Done.");
  await events.untilEvent("PostConversation");
  expect(events.eventNames.filter((eventName) => eventName === "PreToolCall")).toHaveLength(2);
});

test("a contradicting decision is a conflict", async () => {
  const mcp = await tools();
  const { model, url } = await start({ tasks: { mcpServers: { tools: { url: mcp.url } } } });
  const task = await createTask(url, { message: "Go.", approval: "ask" });
  const events = listen(task);
  (await model.nextCall()).call(["echo", { text: "one" }, "call_a"], ["echo", { text: "two" }, "call_b"]);
  await events.untilEvent("PreToolCall", 2);
  const decide = (approve: boolean): Promise<number> =>
    call(`${task}/approve`, { toolCallId: "call_a", approve }).then(({ status }) => status);
  expect([await decide(true), await decide(true), await decide(false)]).toStrictEqual([200, 200, 409]);
});

test("B95: a message is delivered once, however often it is sent with the same key", async () => {
  const { model, url } = await start();
  const task = await createTask(url, {});
  const post = (message: string): ReturnType<typeof call> =>
    call(`${task}/message`, { message }, { "idempotency-key": "k1" });
  const sent = await Promise.all([post("Once."), post("Once."), post("Once.")]);
  expect(new Set(sent.map(({ body }) => body.id)).size).toBe(1);
  expect((await post("Other.")).status).toBe(409);
  const pendingCall = await model.nextCall();
  expect(toMessageLines(pendingCall.request)).toStrictEqual(["user: Once."]);
  pendingCall.complete("Yes.");
});

test("concurrent messages are each delivered once", async () => {
  const { model, url } = await start();
  const task = await createTask(url, {});
  const events = listen(task);
  const texts = Array.from({ length: 8 }, (_, at) => `Message ${at}.`);
  const sent = await Promise.all(texts.map((message) => call(`${task}/message`, { message })));
  expect(sent.filter(({ body }) => !body.queued)).toHaveLength(1);
  let pendingCall = await model.nextCall();
  while (toMessageLines(pendingCall.request).filter((line) => line.startsWith("user")).length < texts.length) {
    pendingCall.complete("Go on.");
    pendingCall = await model.nextCall();
  }
  pendingCall.complete("All received.");
  await events.untilEvent("PostConversation");
  const userLines = toMessageLines(pendingCall.request).filter((line) => line.startsWith("user"));
  expect(userLines.toSorted()).toStrictEqual(texts.map((text) => `user: ${text}`));
});

test("the queue of a failed task can be dropped", async () => {
  const { model, url } = await start();
  const task = await createTask(url, { message: "First." });
  const events = listen(task);
  const first = await model.nextCall();
  const { body } = await call(`${task}/message`, { message: "Second.", mode: "follow-up" });
  first.fail("invalid-request");
  await events.untilEvent("PostConversation");
  const dropped = { pending_messages: [{ id: body.id, message: { role: "user", content: "Second." } }] };
  expect(await call(`${task}/cancel`, {})).toStrictEqual({ status: 200, body: dropped });
  expect((await call(task)).body.task).toMatchObject({ state: "failed", queued_messages: [] });
  expect((await call(`${task}/cancel`, {})).status).toBe(404);
  await events.untilEvent("Cancelled");
});

test("a fast-growing queue is sent a few times only, and has a limit", async () => {
  const { model, url } = await start();
  const task = await createTask(url, { message: "First." });
  const pendingCall = await model.nextCall();
  const events = listen(task);
  await events.until(({ queues }) => queues.length > 0);
  const post = (text: string): Promise<number> =>
    call(`${task}/message`, { message: text, mode: "follow-up" }).then(({ status }) => status);
  for (let n = 0; n < 40; n++) await post(`Message ${n}.`);
  await events.until(({ queues }) => queues.at(-1)?.length === 40);
  expect(events.queues.length).toBeLessThan(40);
  expect(await post("x".repeat(9 * 1024 * 1024))).toBe(429);
  expect((await call(`${task}/cancel`, {})).body.pending_messages).toHaveLength(40);
  expect(pendingCall.signal.aborted).toBe(true);
});

test("a task that waits for approval does not count as running, and continues after it", async () => {
  const mcp = await tools();
  const tasks = { mcpServers: { tools: { url: mcp.url } } };
  const { model, url } = await start({ limits: { open: 1 }, tasks }, { sleepMs: shortenPolls });
  const task = await createTask(url, { message: "Go.", approval: "ask" });
  (await model.nextCall()).call(["echo", { text: "one" }, "call_a"], ["echo", { text: "two" }, "call_b"]);
  const other = await createTask(url, { message: "Me, too." });
  const second = await model.nextCall();
  expect(toMessageLines(second.request)).toStrictEqual(["user: Me, too."]);
  second.complete("Yes.");
  expect((await call(task)).body.task).toMatchObject({ state: "waiting", pending_tool_calls: [{}, {}] });
  await expect.poll(async () => (await call(other)).body.task.state).toBe("idle");
  for (const toolCallId of ["call_a", "call_b"]) await call(`${task}/approve`, { toolCallId, approve: true });
  const third = await model.nextCall();
  expect(toMessageLines(third.request).at(-1)).toBe("tool: ←one ←two");
  third.complete("Done.");
  await expect.poll(async () => (await call(task)).body.task.state).toBe("idle");
});

test("a task that waits for approval without a lease can be cancelled", async () => {
  const mcp = await tools();
  const tasks = { mcpServers: { tools: { url: mcp.url } } };
  const { model, url } = await start({ limits: { open: 1 }, tasks }, { sleepMs: shortenPolls });
  const task = await createTask(url, { message: "Go.", approval: "ask" });
  (await model.nextCall()).call(["echo", { text: "one" }, "call_a"]);
  const other = await createTask(url, { message: "Me, too." });
  (await model.nextCall()).complete("Yes.");
  await expect.poll(async () => (await call(other)).body.task.state).toBe("idle");
  expect((await call(`${task}/cancel`, {})).status).toBe(200);
  expect((await call(task)).body.task).toMatchObject({ state: "cancelled", pending_tool_calls: [] });
});

test("a tenant with many tasks leaves room for another", async () => {
  const token = (name: string): { hash: string; name: string } => ({
    hash: `sha256:${createHash("sha256").update(name).digest("hex")}`,
    name,
  });
  const { model, url } = await start({
    limits: { open: 2 },
    // The last calls stay open.
    drainMs: 50,
    tenants: { busy: { tokens: [token("busy")], maxOpen: 1 }, calm: { tokens: [token("calm")] } },
  });
  const make = (name: string): Promise<Answered> =>
    call(`${url}/v1/task`, { message: name }, { authorization: `Bearer ${name}` });
  await make("busy");
  const first = await model.nextCall();
  await make("busy");
  await make("calm");
  expect(toMessageLines((await model.nextCall()).request)).toStrictEqual(["user: calm"]);
  first.complete("Done.");
  expect(toMessageLines((await model.nextCall()).request)).toStrictEqual(["user: busy"]);
});

test("a task whose MCP server does not respond can be cancelled, and does not block the shutdown", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  open.push({ [Symbol.dispose]: () => void (silent.closeAllConnections(), silent.close()) });
  const { port } = silent.address() as AddressInfo;
  const mcpServers = { silent: { url: `http://127.0.0.1:${port}/mcp` } };
  const { url, server } = await start({ drainMs: 200, tasks: { mcpServers } }, { sleepMs: shortenPolls });
  const task = await createTask(url, { message: "Go." });
  expect((await call(`${task}/cancel`, {})).status).toBe(200);
  expect((await call(task)).body.task.state).toBe("cancelled");
  await createTask(url, { message: "Again." });
  await server.close();
});

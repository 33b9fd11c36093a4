// What an agent at work does with what is said to it meanwhile: queues, cancelling, failures, tools and their approval.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { ConfigInput } from "../../../src/server/config/defaults.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { type McpHttp, startMcpHttp } from "../../agent/support/mcp-http.ts";
import { type Answered, call, HeldModel, Listener, makeTask, startTasks, toldOf } from "./support.ts";

const open: (AsyncDisposable | Disposable)[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) {
    if (Symbol.asyncDispose in each) await each[Symbol.asyncDispose]();
    else each[Symbol.dispose]();
  }
});

async function start(input: ConfigInput = {}): Promise<{ model: HeldModel; server: KoineServer; url: string }> {
  const model = new HeldModel();
  const server = await startTasks({
    providers: { test: model.provider },
    ...input,
    tasks: { model: "test/held", ...input.tasks },
  });
  open.push(server);
  return { model, server, url: server.url };
}

function listen(task: string): Listener {
  const listener = new Listener(`${task}/events`);
  open.push(listener);
  return listener;
}

async function tools(): Promise<McpHttp> {
  const mcp = await startMcpHttp();
  open.push({ [Symbol.asyncDispose]: () => mcp.stop() });
  return mcp;
}

test("a message to a task that rests is said at once, one to a task at work waits for its answer", async () => {
  const { model, url } = await start();
  const task = await makeTask(url, { message: "First." });
  const events = listen(task);
  const first = await model.asked();
  const second = await call(`${task}/message`, { message: "Second.", mode: "follow-up" });
  const third = await call(`${task}/message`, { message: { role: "user", content: "Third." }, mode: "follow-up" });
  expect([second.body.queued, third.body.queued]).toStrictEqual([true, true]);
  expect((await call(`${task}/queued_messages`)).body).toStrictEqual([
    { id: second.body.id, message: { role: "user", content: "Second." } },
    { id: third.body.id, message: { role: "user", content: "Third." } },
  ]);
  await events.until(({ queues }) => queues.at(-1)?.length === 2);
  first.say("One.");
  (await model.asked()).say("Two.");
  (await model.asked()).say("Three.");
  await events.untilSaid("PostConversation");
  expect((await call(`${task}/message`, { message: "Fourth." })).body.queued).toBe(false);
  const last = await model.asked();
  expect(toldOf(last.request).join(" ")).toBe(
    "user: First. assistant: One. user: Second. assistant: Two. user: Third. assistant: Three. user: Fourth.",
  );
  last.say("Four.");
  await events.untilSaid("PostConversation", 2);
  const turn = "MessageAdded MessageAdded RequestCompleted";
  expect(events.story.replaceAll("MessageQueued ", "")).toBe(
    `PreConversation ${turn} MessageUnqueued ${turn} MessageUnqueued ${turn} PostConversation ` +
      `PreConversation ${turn} PostConversation`,
  );
  expect(events.queues.at(-1)).toStrictEqual([]);
  expect(events.queues).toContainEqual(["Second.", "Third."]);
});

test("what steers is said after the round of tools that runs now", async () => {
  const mcp = await tools();
  const { model, url } = await start({ tasks: { mcpServers: [{ name: "tools", url: mcp.url }] } });
  const task = await makeTask(url, { message: "Add." });
  const events = listen(task);
  const first = await model.asked();
  const { body } = await call(`${task}/message`, { message: "And be brief." });
  expect(body.queued).toBe(true);
  first.call(["add", { a: 1, b: 2 }], ["echo", { text: "x" }]);
  const second = await model.asked();
  expect(toldOf(second.request).slice(1)).toStrictEqual([
    "assistant: →add →echo",
    "tool: ←[object Object] ←x",
    "user: And be brief.",
  ]);
  second.say("3.");
  await events.untilSaid("PostConversation");
  expect(events.story).toBe(
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

test("cancelling ends the work, gives back what waited, and the next message goes on", async () => {
  const { model, url } = await start();
  const task = await makeTask(url, { message: "First." });
  const events = listen(task);
  const first = await model.asked();
  first.begin("I was just");
  const queued = await call(`${task}/message`, { message: "Second." });
  const cancelled = await call(`${task}/cancel`, {});
  expect(cancelled).toStrictEqual({
    status: 200,
    body: { pending_messages: [{ id: queued.body.id, message: { role: "user", content: "Second." } }] },
  });
  expect(first.signal.aborted).toBe(true);
  await events.untilSaid("PostConversation");
  expect(events.story).toBe("PreConversation MessageAdded MessageQueued MessageUnqueued Cancelled PostConversation");
  expect((await call(`${task}/cancel`, {})).status).toBe(404);
  expect((await call(task)).body.task.state).toBe("cancelled");
  await call(`${task}/message`, { message: "Third." });
  const next = await model.asked();
  expect(toldOf(next.request)).toStrictEqual(["user: First.", "user: Third."]);
  next.say("Yes.");
  await events.untilSaid("PostConversation", 2);
});

test("a tool that runs when the task is cancelled is told, and its call is answered in the history", async () => {
  const mcp = await tools();
  const { model, url, server } = await start({ tasks: { mcpServers: [{ name: "tools", url: mcp.url }] } });
  const task = await makeTask(url, { message: "Wait." });
  const events = listen(task);
  (await model.asked()).call(["wait", {}, "call_wait"]);
  await events.untilSaid("PreToolCall");
  expect((await call(`${task}/cancel`, {})).status).toBe(200);
  await events.untilSaid("PostConversation");
  expect(events.words.filter((word) => word.includes("Tool"))).toStrictEqual(["PreToolCall", "PostToolCall"]);
  const messages = await server.ledger.transcript(task.split("/").at(-1) ?? "");
  expect(messages.map(({ role }) => role)).toStrictEqual(["user", "assistant", "tool"]);
});

test("a conversation that fails says why; what waits goes on waiting until something is said", async () => {
  const { model, url } = await start({
    models: [{ pattern: "once", targets: ["test/held"], retry: { attempts: 1 } }],
    tasks: { model: "once" },
  });
  const task = await makeTask(url, { message: "First." });
  const events = listen(task);
  const first = await model.asked();
  await call(`${task}/message`, { message: "Second.", mode: "follow-up" });
  first.fail("invalid-request");
  await events.untilSaid("PostConversation");
  const failed = events.events.find(({ data }) => data.msg === "Failed");
  expect(failed?.data.error).toMatchObject({
    code: "invalid-request",
    message: "It was made to fail: invalid-request.",
  });
  const shown = (await call(task)).body.task;
  expect([shown.state, shown.queued_messages.length, shown.error.code]).toStrictEqual(["failed", 1, "invalid-request"]);
  const third = await call(`${task}/message`, { message: "Third.", mode: "follow-up" });
  expect(third.body.queued).toBe(true);
  const second = await model.asked();
  expect(toldOf(second.request)).toStrictEqual(["user: First.", "user: Second."]);
  second.say("Two.");
  (await model.asked()).say("Three.");
  await events.untilSaid("PostConversation", 2);
  expect((await call(task)).body.task.state).toBe("idle");
});

test("a tool waits to be allowed, and runs or not as was decided", async () => {
  const mcp = await tools();
  const { model, url } = await start({ tasks: { mcpServers: [{ name: "tools", url: mcp.url }] } });
  const task = await makeTask(url, { message: "Go.", approval: "ask" });
  const events = listen(task);
  (await model.asked()).call(["echo", { text: "one" }, "call_a"], ["echo", { text: "two" }, "call_b"]);
  await events.untilSaid("PreToolCall", 2);
  const shown = (await call(task)).body.task;
  expect([shown.state, shown.pending_tool_calls.length]).toStrictEqual(["waiting", 2]);
  expect(await call(`${task}/approve`, { toolCallId: "call_x", approve: true })).toMatchObject({ status: 404 });
  expect(await call(`${task}/approve`, { tool_call_id: "call_a", approve: true })).toMatchObject({ status: 200 });
  expect(await call(`${task}/approve`, { toolCallId: "call_b", approve: false, reason: "Not today." })).toMatchObject({
    status: 200,
  });
  const second = await model.asked();
  expect(toldOf(second.request).at(-1)).toBe("tool: ←one ←Not today.");
  second.say("Done.");
  await events.untilSaid("PostConversation");
  expect(events.words.filter((word) => word === "PreToolCall")).toHaveLength(2);
});

test("a decision that contradicts the one before is a conflict", async () => {
  const mcp = await tools();
  const { model, url } = await start({ tasks: { mcpServers: [{ name: "tools", url: mcp.url }] } });
  const task = await makeTask(url, { message: "Go.", approval: "ask" });
  const events = listen(task);
  (await model.asked()).call(["echo", { text: "one" }, "call_a"], ["echo", { text: "two" }, "call_b"]);
  await events.untilSaid("PreToolCall", 2);
  const decide = (approve: boolean): Promise<number> =>
    call(`${task}/approve`, { toolCallId: "call_a", approve }).then(({ status }) => status);
  expect([await decide(true), await decide(true), await decide(false)]).toStrictEqual([200, 200, 409]);
});

test("B95: a message is said once, however often it is sent with the same key", async () => {
  const { model, url } = await start();
  const task = await makeTask(url, {});
  const say = (message: string): ReturnType<typeof call> =>
    call(`${task}/message`, { message }, { "idempotency-key": "k1" });
  const sent = await Promise.all([say("Once."), say("Once."), say("Once.")]);
  expect(new Set(sent.map(({ body }) => body.id)).size).toBe(1);
  expect((await say("Other.")).status).toBe(409);
  const asked = await model.asked();
  expect(toldOf(asked.request)).toStrictEqual(["user: Once."]);
  asked.say("Yes.");
});

test("messages that are sent at the same time are each said once", async () => {
  const { model, url } = await start();
  const task = await makeTask(url, {});
  const events = listen(task);
  const texts = Array.from({ length: 8 }, (_, at) => `Message ${at}.`);
  const sent = await Promise.all(texts.map((message) => call(`${task}/message`, { message })));
  expect(sent.filter(({ body }) => !body.queued)).toHaveLength(1);
  let asked = await model.asked();
  while (toldOf(asked.request).filter((told) => told.startsWith("user")).length < texts.length) {
    asked.say("Go on.");
    asked = await model.asked();
  }
  asked.say("All heard.");
  await events.untilSaid("PostConversation");
  const said = toldOf(asked.request).filter((told) => told.startsWith("user"));
  expect(said.toSorted()).toStrictEqual(texts.map((text) => `user: ${text}`));
});

test("what failed work has left waiting can be dropped", async () => {
  const { model, url } = await start();
  const task = await makeTask(url, { message: "First." });
  const events = listen(task);
  const first = await model.asked();
  const { body } = await call(`${task}/message`, { message: "Second.", mode: "follow-up" });
  first.fail("invalid-request");
  await events.untilSaid("PostConversation");
  const dropped = { pending_messages: [{ id: body.id, message: { role: "user", content: "Second." } }] };
  expect(await call(`${task}/cancel`, {})).toStrictEqual({ status: 200, body: dropped });
  expect((await call(task)).body.task).toMatchObject({ state: "failed", queued_messages: [] });
  expect((await call(`${task}/cancel`, {})).status).toBe(404);
  await events.untilSaid("Cancelled");
});

test("a queue that grows fast is shown a few times, and has a limit", async () => {
  const { model, url } = await start();
  const task = await makeTask(url, { message: "First." });
  const asked = await model.asked();
  const events = listen(task);
  await events.until(({ queues }) => queues.length > 0);
  const say = (text: string): Promise<number> =>
    call(`${task}/message`, { message: text, mode: "follow-up" }).then(({ status }) => status);
  for (let n = 0; n < 40; n++) await say(`Message ${n}.`);
  await events.until(({ queues }) => queues.at(-1)?.length === 40);
  expect(events.queues.length).toBeLessThan(40);
  expect(await say("x".repeat(9 * 1024 * 1024))).toBe(429);
  expect((await call(`${task}/cancel`, {})).body.pending_messages).toHaveLength(40);
  expect(asked.signal.aborted).toBe(true);
});

test("while it waits to be allowed, a task takes nobody's place, and goes on when it is", async () => {
  const mcp = await tools();
  const { model, url } = await start({
    limits: { open: 1 },
    tasks: { mcpServers: [{ name: "tools", url: mcp.url }] },
  });
  const task = await makeTask(url, { message: "Go.", approval: "ask" });
  (await model.asked()).call(["echo", { text: "one" }, "call_a"], ["echo", { text: "two" }, "call_b"]);
  const other = await makeTask(url, { message: "Me, too." });
  const second = await model.asked();
  expect(toldOf(second.request)).toStrictEqual(["user: Me, too."]);
  second.say("Yes.");
  expect((await call(task)).body.task).toMatchObject({ state: "waiting", pending_tool_calls: [{}, {}] });
  await expect.poll(async () => (await call(other)).body.task.state).toBe("idle");
  for (const toolCallId of ["call_a", "call_b"]) await call(`${task}/approve`, { toolCallId, approve: true });
  const third = await model.asked();
  expect(toldOf(third.request).at(-1)).toBe("tool: ←one ←two");
  third.say("Done.");
  await expect.poll(async () => (await call(task)).body.task.state).toBe("idle");
});

test("a task that waits to be allowed, and is held by nobody, can be cancelled", async () => {
  const mcp = await tools();
  const { model, url } = await start({
    limits: { open: 1 },
    tasks: { mcpServers: [{ name: "tools", url: mcp.url }] },
  });
  const task = await makeTask(url, { message: "Go.", approval: "ask" });
  (await model.asked()).call(["echo", { text: "one" }, "call_a"]);
  const other = await makeTask(url, { message: "Me, too." });
  (await model.asked()).say("Yes.");
  await expect.poll(async () => (await call(other)).body.task.state).toBe("idle");
  expect((await call(`${task}/cancel`, {})).status).toBe(200);
  expect((await call(task)).body.task).toMatchObject({ state: "cancelled", pending_tool_calls: [] });
});

test("a tenant with much to do leaves room for another", async () => {
  const token = (name: string): { hash: string; name: string } => ({
    hash: createHash("sha256").update(name).digest("hex"),
    name,
  });
  const { model, url } = await start({
    limits: { open: 2 },
    tenants: new Map([
      ["busy", { tokens: [token("busy")], maxOpen: 1 }],
      ["calm", { tokens: [token("calm")] }],
    ]),
  });
  const make = (name: string): Promise<Answered> =>
    call(`${url}/v1/task`, { message: name }, { authorization: `Bearer ${name}` });
  await make("busy");
  const first = await model.asked();
  await make("busy");
  await make("calm");
  expect(toldOf((await model.asked()).request)).toStrictEqual(["user: calm"]);
  first.say("Done.");
  expect(toldOf((await model.asked()).request)).toStrictEqual(["user: busy"]);
});

test("a task whose MCP server does not answer can be cancelled, and does not keep the server from closing", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  open.push({ [Symbol.dispose]: () => void (silent.closeAllConnections(), silent.close()) });
  const { port } = silent.address() as AddressInfo;
  const mcpServers = [{ name: "silent", url: `http://127.0.0.1:${port}/mcp` }];
  const { url, server } = await start({ drainMs: 200, tasks: { mcpServers } });
  const task = await makeTask(url, { message: "Go." });
  expect((await call(`${task}/cancel`, {})).status).toBe(200);
  expect((await call(task)).body.task.state).toBe("cancelled");
  await makeTask(url, { message: "Again." });
  await server.close();
});

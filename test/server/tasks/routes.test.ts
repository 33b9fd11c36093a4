// The routes of tasks: replies, errors and tenants.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { type Answered, call, ManualModel, TaskEventListener, createTask, startTasks } from "./support.ts";

let server: KoineServer;
const model = new ManualModel();
beforeAll(async () => {
  server = await startTasks({ providers: { demo: demo(), test: model.provider } });
});
afterAll(() => server.close());

test("a task is created, listed and shown with its state and usage", async () => {
  const { status, body } = await call(`${server.url}/v1/task`, { message: "say Hello.", name: "Greeting" });
  expect(status).toBe(201);
  expect(body.message).toStrictEqual({ id: expect.any(String), queued: false });
  expect(body.task).toMatchObject({ name: "Greeting", model: "demo/koine", state: "running" });
  const task = `${server.url}/v1/task/${body.task.id}`;
  using listener = new TaskEventListener(`${task}/events`);
  await listener.untilEvent("PostConversation");
  const shown = await call(task);
  expect(shown.body.task).toStrictEqual({
    id: body.task.id,
    name: "Greeting",
    model: "demo/koine",
    state: "idle",
    created_at: body.task.created_at,
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    usage: expect.objectContaining({ output_tokens: 2, completion_tokens: 2 }),
    queued_messages: [],
    pending_tool_calls: [],
  });
  const listed = await call(`${server.url}/v1/tasks`);
  expect(listed.body.tasks.map(({ id }: { id: string }) => id)).toContain(body.task.id);
});

test("a task without a message is idle, and a task is named after its first message", async () => {
  const { body } = await call(`${server.url}/v1/task`, {});
  expect([body.task.state, body.task.name, "message" in body]).toStrictEqual(["idle", null, false]);
  const long = await call(`${server.url}/v1/task`, { message: `say ${"word ".repeat(50)}` });
  expect(long.body.task.name).toHaveLength(80);
});

test("the list is paginated, newest first", async () => {
  const created = [
    await createTask(server.url, {}),
    await createTask(server.url, {}),
    await createTask(server.url, {}),
  ];
  const ids = created.map((task) => task.split("/").at(-1)).toReversed();
  const first = await call(`${server.url}/v1/tasks?limit=2`);
  const second = await call(`${server.url}/v1/tasks?limit=1&before=${first.body.next}`);
  const listed = [...first.body.tasks, ...second.body.tasks].map(({ id }: { id: string }) => id);
  expect(listed).toStrictEqual(ids);
});

test("the paths without a version work too, and so does the queue of all tasks", async () => {
  const { status, body } = await call(`${server.url}/task`, {
    model: "test/manual",
    message: { role: "user", content: "Hello." },
  });
  expect(status).toBe(201);
  const { id } = body.task;
  const pendingCall = await model.nextCall();
  const queued = await call(`${server.url}/task/${id}/message`, { message: { role: "user", content: "More." } });
  const waiting = { id: queued.body.id, message: { role: "user", content: "More." } };
  expect((await call(`${server.url}/task/${id}/queued_messages`)).body).toStrictEqual([waiting]);
  expect((await call(`${server.url}/v1/queued_messages?task=${id}`)).body).toStrictEqual([waiting]);
  expect((await call(`${server.url}/v1/queued_messages`)).body).toStrictEqual([{ ...waiting, task: id }]);
  expect((await call(`${server.url}/task/${id}`)).body.task.queued_messages).toStrictEqual([
    { ...waiting, mode: "steer" },
  ]);
  expect((await call(`${server.url}/task/${id}/cancel`, {})).body).toStrictEqual({ pending_messages: [waiting] });
  expect(pendingCall.signal.aborted).toBe(true);
});

test("unknown fields are listed in the reply", async () => {
  const { body } = await call(`${server.url}/v1/task`, { message: "say Hi.", cwd: "somewhere", web_search: true });
  expect(body.ignored).toStrictEqual(["cwd", "web_search"]);
});

test("an unknown model is not found, and no task is created", async () => {
  const before = await call(`${server.url}/v1/tasks`);
  const { status, body } = await call(`${server.url}/v1/task`, { message: "Hello.", model: "unknown/model" });
  expect([status, body.error.code]).toStrictEqual([404, "not-found"]);
  expect(body.error.message).toContain("demo/koine");
  expect((await call(`${server.url}/v1/tasks`)).body).toStrictEqual(before.body);
});

describe("rejected requests", () => {
  test.each<[string, string, unknown, number, string]>([
    ["a task with a model that is no string", "/v1/task", { model: 7 }, 400, "/model"],
    ["a task with an unknown approval", "/v1/task", { approval: "maybe" }, 400, "/approval"],
    ["a list in place of a body", "/v1/task", [], 400, ""],
    ["a message of the assistant", "/v1/task", { message: { role: "assistant", content: "I" } }, 400, "/message/role"],
    ["a body without a message", "TASK/message", {}, 400, "/message"],
    ["an unknown mode", "TASK/message", { message: "Hi.", mode: "now" }, 400, "/mode"],
    ["a decision without a call", "TASK/approve", { approve: true }, 400, "/toolCallId"],
    ["an invalid decision", "TASK/approve", { toolCallId: "x", approve: "yes" }, 400, "/approve"],
    [
      "a decision about a call that does not wait",
      "TASK/approve",
      { toolCallId: "x", approve: true },
      404,
      "/toolCallId",
    ],
    ["a name with a lone surrogate", "/v1/task", { name: "a\ud800" }, 400, "/name"],
    ["cancelling an idle task", "TASK/cancel", {}, 404, ""],
    ["a message to a missing task", "/v1/task/nobody/message", { message: "Hi." }, 404, ""],
    ["cancelling a missing task", "/v1/task/nobody/cancel", {}, 404, ""],
  ])("%s", async (_, path, body, status, errorPath) => {
    const task = path.startsWith("TASK") ? new URL(await createTask(server.url, {})).pathname : "";
    const answered = await call(server.url + path.replace("TASK", task), body);
    expect([answered.status, answered.body.error.path ?? ""]).toStrictEqual([status, errorPath]);
  });

  test("a thread that is not a task is not found", async () => {
    const { id } = await server.ledger.createThread({});
    for (const path of ["", "/events", "/queued_messages"]) {
      expect((await call(`${server.url}/v1/task/${id}${path}`)).status).toBe(404);
    }
  });
});

test("a tenant sees its own tasks only", async () => {
  const token = (name: string): { tokens: { hash: string; name: string }[] } => ({
    tokens: [{ hash: `sha256:${createHash("sha256").update(name).digest("hex")}`, name }],
  });
  const shared = await startTasks({
    providers: { demo: demo() },
    tenants: { acme: token("acme-token"), zeta: token("zeta-token") },
  });
  try {
    const as = (name: string): Record<string, string> => ({ authorization: `Bearer ${name}-token` });
    const { body } = await call(`${shared.url}/v1/task`, { message: "say Secret." }, as("acme"));
    const task = `/v1/task/${body.task.id}`;
    for (const path of [task, `${task}/events`, `${task}/queued_messages`]) {
      expect((await call(shared.url + path, undefined, as("zeta"))).status).toBe(404);
    }
    for (const action of ["message", "cancel", "approve"]) {
      const requestBody = { message: "Hi.", toolCallId: "x", approve: true };
      expect((await call(`${shared.url}${task}/${action}`, requestBody, as("zeta"))).status).toBe(404);
    }
    expect((await call(`${shared.url}/v1/tasks`, undefined, as("zeta"))).body.tasks).toStrictEqual([]);
    expect((await call(`${shared.url}/v1/queued_messages`, undefined, as("zeta"))).body).toStrictEqual([]);
    expect((await call(`${shared.url}/v1/tasks`, undefined, as("acme"))).body.tasks).toHaveLength(1);
    expect((await call(shared.url + task)).status).toBe(401);
  } finally {
    await shared.close();
  }
});

test("B95: a task is created once per key, and another one with it is a conflict", async () => {
  const make = (message: string): Promise<Answered> =>
    call(`${server.url}/v1/task`, { message, model: "test/manual" }, { "idempotency-key": "pay" });
  const [first, second] = await Promise.all([make("Pay the bill."), make("Pay the bill.")]);
  (await model.nextCall()).complete("Paid.");
  expect([first.status, second.status]).toStrictEqual([201, 201]);
  expect(second.body.task.id).toBe(first.body.task.id);
  expect(second.body.message).toStrictEqual(first.body.message);
  const other = await make("Pay another bill.");
  expect([other.status, other.body.error.path]).toStrictEqual([409, "idempotency-key"]);
  expect(await server.ledger.transcript(first.body.task.id)).toMatchObject([{ role: "user" }, { role: "assistant" }]);
});

test.each(["a\u0000b", "a\ud800b"])("a message that is no valid name is delivered anyway: %j", async (message) => {
  const { status, body } = await call(`${server.url}/v1/task`, { message, model: "test/manual" });
  expect([status, body.task.name]).toStrictEqual([201, message.replace("\u0000", "").toWellFormed()]);
  (await model.nextCall()).complete("I see.");
});

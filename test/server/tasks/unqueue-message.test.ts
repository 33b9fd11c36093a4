// Removing queued messages of a task: they are not delivered, on any instance.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { type McpHttp, startMcpHttp } from "../../agent/support/mcp-http.ts";
import { call, ManualModel, TaskEventListener, createTask, startTasks, toMessageLines } from "./support.ts";

let server: KoineServer;
let mcp: McpHttp;
const model = new ManualModel();
beforeAll(async () => {
  mcp = await startMcpHttp();
  const tasks = { model: "test/manual", mcpServers: { tools: { url: mcp.url } } };
  server = await startTasks({ providers: { test: model.provider }, tasks });
});
afterAll(async () => {
  await server.close();
  await mcp.stop();
});

async function unqueue(task: string, id: string): Promise<[status: number, body: unknown]> {
  const reply = await fetch(`${task}/queued_messages/${id}`, { method: "DELETE" });
  return [reply.status, await reply.json()];
}

test("a removed message is not delivered, even if the agent has received it; the others are", async () => {
  const task = await createTask(server.url, { message: "Begin." });
  using listener = new TaskEventListener(`${task}/events`);
  const first = await model.nextCall();
  const post = async (message: string, mode: string): Promise<string> =>
    (await call(`${task}/message`, { message, mode })).body.id;
  const left = await post("Left.", "steer");
  await post("Right.", "steer");
  const later = await post("Later.", "follow-up");
  await listener.untilEvent("MessageQueued");
  expect(await unqueue(task, left)).toStrictEqual([200, { id: left, message: { role: "user", content: "Left." } }]);
  expect((await unqueue(task, later))[0]).toBe(200);
  expect(await unqueue(task, left)).toMatchObject([404, { error: { code: "not-found", path: "messageId" } }]);
  first.call(["echo", { text: "x" }]);
  const second = await model.nextCall();
  expect(toMessageLines(second.request).slice(-2)).toStrictEqual(["tool: ←x", "user: Right."]);
  second.complete("Done.");
  await listener.untilEvent("PostConversation");
  const { body } = await call(task);
  expect([body.task.state, body.task.queued_messages]).toStrictEqual(["idle", []]);
});

test("a message of another task, or of none, cannot be removed", async () => {
  const task = await createTask(server.url, {});
  expect((await unqueue(task, "nothing"))[0]).toBe(404);
  expect((await unqueue(`${server.url}/v1/task/nobody`, "nothing"))[0]).toBe(404);
});

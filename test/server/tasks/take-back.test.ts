// What waits for a task can be taken back, one by one: then it is not said, whoever holds it.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { type McpHttp, startMcpHttp } from "../../agent/support/mcp-http.ts";
import { call, HeldModel, Listener, makeTask, startTasks, toldOf } from "./support.ts";

let server: KoineServer;
let mcp: McpHttp;
const model = new HeldModel();
beforeAll(async () => {
  mcp = await startMcpHttp();
  const tasks = { model: "test/held", mcpServers: [{ name: "tools", url: mcp.url }] };
  server = await startTasks({ providers: { test: model.provider }, tasks });
});
afterAll(async () => {
  await server.close();
  await mcp.stop();
});

async function takeBack(task: string, id: string): Promise<[status: number, body: unknown]> {
  const reply = await fetch(`${task}/queued_messages/${id}`, { method: "DELETE" });
  return [reply.status, await reply.json()];
}

test("a message that waits is taken back and not said, though the agent holds it; the others are", async () => {
  const task = await makeTask(server.url, { message: "Begin." });
  using listener = new Listener(`${task}/events`);
  const first = await model.asked();
  const say = async (message: string, mode: string): Promise<string> =>
    (await call(`${task}/message`, { message, mode })).body.id;
  const left = await say("Left.", "steer");
  await say("Right.", "steer");
  const later = await say("Later.", "follow-up");
  await listener.untilSaid("MessageQueued");
  expect(await takeBack(task, left)).toStrictEqual([200, { id: left, message: { role: "user", content: "Left." } }]);
  expect((await takeBack(task, later))[0]).toBe(200);
  expect(await takeBack(task, left)).toMatchObject([404, { error: { code: "not-found", path: "messageId" } }]);
  first.call(["echo", { text: "x" }]);
  const second = await model.asked();
  expect(toldOf(second.request).slice(-2)).toStrictEqual(["tool: ←x", "user: Right."]);
  second.say("Done.");
  await listener.untilSaid("PostConversation");
  const { body } = await call(task);
  expect([body.task.state, body.task.queued_messages]).toStrictEqual(["idle", []]);
});

test("nobody takes back what another task, or none, has", async () => {
  const task = await makeTask(server.url, {});
  expect((await takeBack(task, "nothing"))[0]).toBe(404);
  expect((await takeBack(`${server.url}/v1/task/nobody`, "nothing"))[0]).toBe(404);
});

// Reading task events: from any position, by any reader, under any namespace.
import { afterAll, beforeAll, expect, test } from "vitest";
import { SseParser } from "../../../src/sse/index.ts";
import { demo } from "../../../src/client/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { type McpHttp, startMcpHttp } from "../../agent/support/mcp-http.ts";
import { call, TaskEventListener, createTask, startTasks } from "./support.ts";

let mcp: McpHttp;
let server: KoineServer;
/** A task with two conversations, with parallel and sequential calls. */
let task: string;
/** How far the ledger's clock is ahead. */
let offset = 0;

beforeAll(async () => {
  mcp = await startMcpHttp();
  server = await startTasks(
    { providers: { demo: demo() }, tasks: { mcpServers: { tools: { url: mcp.url } } }, heartbeatMs: 20 },
    { clock: () => Date.now() + offset },
  );
  task = await createTask(server.url, { message: 'call echo {"text":"a"} and add {"a":1,"b":2} then fail' });
  using listener = new TaskEventListener(`${task}/events`);
  await listener.untilEvent("PostConversation");
  await call(`${task}/message`, { message: "think say Goodbye." });
  await listener.untilEvent("PostConversation", 2);
});
afterAll(async () => {
  await server.close();
  await mcp.stop();
});

interface Frame {
  event?: string;
  id?: string;
  data: string;
}

/** Reads a number of events with an id, then disconnects. */
async function read(url: string, count: number, headers: Record<string, string> = {}): Promise<Frame[]> {
  const leave = new AbortController();
  const reply = await fetch(url, { headers, signal: leave.signal });
  if (reply.body === null || reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
  const parser = new SseParser();
  const frames: Frame[] = [];
  for await (const chunk of reply.body) {
    frames.push(...parser.push(chunk));
    if (frames.filter(({ id }) => id !== undefined).length >= count) break;
  }
  leave.abort();
  return frames;
}

const withIds = (frames: readonly Frame[]): Frame[] => frames.filter(({ id }) => id !== undefined);

async function readAll(): Promise<Frame[]> {
  using listener = new TaskEventListener(`${task}/events`);
  await listener.untilEvent("PostConversation", 2);
  return withIds(await read(`${task}/events`, listener.received.length - 1));
}

test("B96: the stream can be resumed after every event, without loss or repetition", async () => {
  const all = await readAll();
  expect(all.length).toBeGreaterThan(30);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const [at, { id = "" }] of all.slice(0, -1).entries()) {
    const rest = await read(`${task}/events`, all.length - at - 1, { "last-event-id": id });
    expect(withIds(rest)).toStrictEqual(all.slice(at + 1));
  }
});

test("the header wins over the URL, and `now` starts with the next event", async () => {
  const all = await readAll();
  const [first, second] = all;
  const rest = await read(`${task}/events?after=${first?.id}`, 1, { "last-event-id": second?.id ?? "" });
  expect(withIds(rest)[0]).toStrictEqual(all[2]);
  expect(withIds(await read(`${task}/events?after=${first?.id}`, 1))[0]).toStrictEqual(second);
  using listener = new TaskEventListener(`${task}/events?after=now`);
  await listener.until(({ queues }) => queues.length > 0);
  await call(`${task}/message`, { message: "say More." });
  await listener.untilEvent("PostConversation");
  expect(listener.eventNames[0]).toBe("PreConversation");
});

test("a snapshot of the queue comes first, without an id, and comments keep the stream alive", async () => {
  const leave = new AbortController();
  const reply = await fetch(`${task}/events?after=now`, { signal: leave.signal });
  let text = "";
  for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(": keep-alive")) break;
  }
  leave.abort();
  expect(reply.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(text).toMatch(/^retry: \d+\n\nevent: koine\.queued_messages\.synchronized\ndata: \[\]\n\n: /);
});

test("events have the namespace of the query", async () => {
  using listener = new TaskEventListener(`${task}/events?namespace=maria`, "maria");
  await listener.untilEvent("PostConversation");
  expect(listener.received[0]?.name).toBe("maria.queued_messages.synchronized");
  expect(listener.events[0]?.name).toBe("maria");
  expect((await call(`${task}/events?namespace=a%0Ab`)).status).toBe(400);
});

test.each(["nonsense", "01M", "x-1"])("the event id %s does not belong to the task and is an error", async (id) => {
  const { status, body } = await call(`${task}/events`, undefined, { "last-event-id": id });
  expect([status, body.error.code]).toStrictEqual([400, "invalid-request"]);
});

test("an event id of another task, or within a single event, is an error", async () => {
  const other = await createTask(server.url, { message: "say Hello." });
  using listener = new TaskEventListener(`${other}/events`);
  await listener.untilEvent("PostConversation");
  const [began] = listener.events;
  for (const id of [listener.events.at(-1)?.id ?? "", `${began?.id}-0`]) {
    const { status, body } = await call(`${task}/events`, undefined, { "last-event-id": id });
    expect([status, body.error.path]).toStrictEqual([400, "last-event-id"]);
  }
  expect((await call(`${other}/events?after=${began?.id}-0`)).status).toBe(400);
});

test("only compacted deltas are missing", async () => {
  const all = await readAll();
  const isDelta = ({ data }: Frame): boolean => data.startsWith('{"msg":"Delta"');
  offset = 3_600_000;
  expect(await server.ledger.compact()).toBeGreaterThan(0);
  const at = all.findIndex(isDelta) + 1;
  const left = all.slice(at + 1).filter((frame) => !isDelta(frame));
  const rest = await read(`${task}/events`, left.length, { "last-event-id": all[at]?.id ?? "" });
  expect(withIds(rest)).toStrictEqual(left);
});

// Live events over HTTP: replayed, then live, and resumed from any cursor without loss or repetition.
import { afterAll, beforeAll, expect, test } from "vitest";
import { EventSource } from "eventsource";
import type { Delta } from "../../../src/model/index.ts";
import type { Ledger, Run } from "../../../src/ledger/index.ts";
import { openLedger } from "../../../src/ledger/index.ts";
import { openEvents } from "./read-sse.ts";
import type { Api } from "./support.ts";
import { userMessage, startApi, threadOf } from "./support.ts";

let api: Api;
let ledger: Ledger;
beforeAll(async () => {
  api = await startApi({ heartbeatMs: 20 });
  ledger = api.koine.ledger;
});
afterAll(() => api[Symbol.asyncDispose]());

const START: Delta = { kind: "start", payload: { modelId: "m", requestId: "r" } };
const DONE: Delta = { kind: "done", payload: { finishReason: "stop" } };
const text = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta } });

async function startRun(): Promise<{ id: string; run: Run }> {
  const { id } = await threadOf(api, userMessage("Begin."));
  const run = await ledger.beginRun({ threadId: id });
  await run.append([START, text("One "), text("two ")]);
  return { id, run };
}

const isDelta = (textDelta: string) => (event: { data: string }) => event.data.includes(JSON.stringify(textDelta));

test("a thread's events are replayed, then sent live", async () => {
  const { id, run } = await startRun();
  await using reader = await openEvents(`${api.koine.url}/v1/threads/${id}/events`);
  expect(reader.headers.get("content-type")).toContain("text/event-stream");
  const past = await reader.until(isDelta("two "));
  expect(past.map(({ event }) => event)).toEqual(["message", "run", "run", "delta", "delta", "delta"]);
  await run.append([text("three."), DONE]);
  await run.commit();
  const live = await reader.until(({ data }) => data.includes('"committed"'));
  expect(live.map(({ event }) => event)).toEqual(["delta", "delta", "message", "run"]);
  const ids = [...past, ...live].map((event) => event.id ?? "");
  expect(new Set(ids).size).toBe(ids.length);
});

test("B96: the stream resumes after any event id, by header or query; the header wins", async () => {
  const { id, run } = await startRun();
  await run.append([DONE]);
  await run.commit();
  const url = `${api.koine.url}/v1/runs/${run.id}/events`;
  await using whole = await openEvents(url);
  const all = await whole.rest();
  const last = all.pop();
  expect(last).toEqual({ event: "end", data: "{}" });
  for (const [index, { id: cursor = "" }] of all.slice(0, -1).entries()) {
    await using byHeader = await openEvents(`${url}?after=${all.at(-1)?.id}`, { headers: { "last-event-id": cursor } });
    expect((await byHeader.rest()).slice(0, -1)).toEqual(all.slice(index + 1));
    await using byQuery = await openEvents(`${url}?after=${cursor}`);
    expect((await byQuery.rest()).slice(0, -1)).toEqual(all.slice(index + 1));
  }
  expect(id).toBe(run.threadId);
});

test("a reader at the end of a run gets a 204, so that browsers do not reconnect", async () => {
  const { run } = await startRun();
  await run.append([DONE]);
  await run.commit();
  await using reader = await openEvents(`${api.koine.url}/v1/runs/${run.id}/events`);
  const cursor = (await reader.rest()).findLast(({ id }) => id !== undefined)?.id ?? "";
  const { status, text: body } = await api.get(`/v1/runs/${run.id}/events`, { "last-event-id": cursor });
  expect({ status, body }).toEqual({ status: 204, body: "" });
});

test("B96: an EventSource that loses its connection resumes, and ends with the run", async () => {
  const { run } = await startRun();
  const seen: string[] = [];
  let cut = false;
  const source = new EventSource(`${api.koine.url}/v1/runs/${run.id}/events`, {
    fetch: async (url, init) => {
      const reply = await fetch(url, init);
      if (cut) return reply;
      cut = true;
      // The first connection breaks after two deltas.
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      void (async () => {
        const writer = writable.getWriter();
        let text = "";
        for await (const chunk of reply.body ?? []) {
          text += Buffer.from(chunk).toString();
          if (!text.includes("two ")) continue;
          await writer.write(Buffer.from(text));
          break;
        }
        await writer.close();
      })();
      return new Response(readable, { status: reply.status, headers: reply.headers });
    },
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  source.addEventListener("delta", ({ data }) =>
    seen.push(JSON.parse(data).delta.payload.textDelta ?? JSON.parse(data).delta.kind),
  );
  source.addEventListener("end", () => resolve());
  await expect.poll(() => seen.length).toBe(3);
  await run.append([text("three."), DONE]);
  await run.commit();
  await promise;
  source.close();
  expect(seen).toEqual(["start", "One ", "two ", "three.", "done"]);
});

test("a silent stream is kept alive by comments", async () => {
  const { id } = await threadOf(api, userMessage("Quiet."));
  const reply = await fetch(`${api.koine.url}/v1/threads/${id}/events?after=now`);
  const reader = reply.body?.getReader();
  let seen = "";
  while (!seen.includes(": keep-alive")) seen += Buffer.from((await reader?.read())?.value ?? []).toString();
  await reader?.cancel();
  expect(seen).not.toContain("data:");
});

test("a cursor whose deltas were removed is a 410 with a remedy, unless gaps are skipped", async () => {
  const forgetful = await openLedger("memory:", { deltaRetentionMs: 0 });
  await using shortLived = await startApi({}, { ledger: forgetful });
  const { id } = await threadOf(shortLived, userMessage("Begin."));
  const { ledger: own } = shortLived.koine;
  const run = await own.beginRun({ threadId: id });
  await run.append([START, text("One ")]);
  const cursor = await firstDelta(own, id, run.id);
  await run.append([text("two."), DONE]);
  await run.commit();
  // Deltas of an ended run are removed.
  await own.compact();
  const gone = await shortLived.get(`/v1/runs/${run.id}/events`, { "last-event-id": cursor });
  expect(gone).toMatchObject({ status: 410, body: { error: { code: "gone" } } });
  expect(gone.body.error.message).toContain("transcript");
  expect((await shortLived.get(`/v1/threads/${id}/events?after=${cursor}`)).status).toBe(410);
  const skipped = await shortLived.get(`/v1/runs/${run.id}/events?gaps=skip&after=${cursor}`);
  expect(skipped.status).toBe(200);
  expect(skipped.text).toContain("event: message");
});

async function firstDelta(own: Ledger, threadId: string, runId: string): Promise<string> {
  for await (const event of own.follow({ threadId, runId })) if (event.type === "delta") return event.cursor;
  throw new Error("There is no delta.");
}

test.each([
  ["an unknown thread", "/v1/threads/nobody/events", 404],
  ["an unknown run", "/v1/runs/nobody/events", 404],
  ["an invalid cursor", "/v1/threads/THREAD/events?after=yesterday!", 400],
  ["an unknown value of gaps", "/v1/threads/THREAD/events?gaps=mind", 400],
])("%s is an error", async (_, path, status) => {
  const { id } = await threadOf(api, userMessage("x"));
  expect((await api.get(path.replace("THREAD", id))).status).toBe(status);
});

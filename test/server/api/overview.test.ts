// Data of the page: thread lists with summaries, outlines, requests of runs, and changes of all threads.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import type { Ledger, ThreadSummary } from "../../../src/ledger/index.ts";
import type { Delta } from "../../../src/model/index.ts";
import { tenantsOf, tokenOf } from "../security/support.ts";
import { ManualModel } from "../tasks/support.ts";
import { openEvents } from "./read-sse.ts";
import type { Reader } from "./read-sse.ts";
import type { Api, Body } from "./support.ts";
import { replied, userMessage, startApi, threadOf } from "./support.ts";

const model = new ManualModel();
let api: Api;
let ledger: Ledger;
beforeAll(async () => {
  api = await startApi({ providers: { test: model.provider }, tasks: { model: "test/manual" }, heartbeatMs: 20 });
  ledger = api.koine.ledger;
});
afterAll(() => api[Symbol.asyncDispose]());

const bearer = (name: string): Record<string, string> => ({ authorization: `Bearer ${tokenOf(name)}` });
const START: Delta = { kind: "start", payload: { modelId: "m", requestId: "r" } };
const text = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta } });

/** Parses the body of a reply, which the document describes. */
const bodyOf = async <T>(path: string): Promise<T> => (await api.get(path)).body as unknown as T;

describe("the outline", () => {
  test("has a summary of the tree, the live runs, and a cursor before all of their deltas", async () => {
    const { id, ids } = await threadOf(api, userMessage("How is\nthe weather?"), replied("Fine."));
    const run = await ledger.beginRun({ threadId: id, metadata: { model: "m", losses: [] } });
    await run.append([START, text("One "), text("two ")]);
    const { cursor, ...outline } = await bodyOf<Body & { cursor: string }>(`/v1/threads/${id}/outline`);
    expect(outline).toMatchObject({
      thread: { id },
      activeLeafId: ids[1],
      messages: [
        { id: ids[0], preview: "How is the weather?" },
        { id: ids[1], parentMessageId: ids[0] },
      ],
      runs: [{ id: run.id, state: "streaming", losses: [], metadata: { model: "m" } }],
    });
    expect(outline.messages[0]).not.toHaveProperty("parts");
    await using reader = await openEvents(`${api.koine.url}/v1/threads/${id}/events?after=${cursor}`);
    await run.append([text("three.")]);
    const events = await reader.until(({ data }) => data.includes("three."));
    expect(events.filter(({ event }) => event === "delta")).toHaveLength(4);
    await run.cancel();
  });

  test("a thread without events has no cursor", async () => {
    const { id } = await threadOf(api);
    expect(await bodyOf(`/v1/threads/${id}/outline`)).toMatchObject({ cursor: null, messages: [], runs: [] });
    expect((await api.get("/v1/threads/nobody/outline")).status).toBe(404);
  });
});

test("followed messages contain blob references if requested", async () => {
  const data = Buffer.alloc(40_000, 7).toString("base64");
  const { id } = await threadOf(api, { role: "user", parts: [{ type: "image", mimeType: "image/png", data }] });
  const messageIn = async (query: string): Promise<string> => {
    await using reader = await openEvents(`${api.koine.url}/v1/threads/${id}/events${query}`);
    return (await reader.next())?.data ?? "";
  };
  expect(await messageIn("")).toContain(data);
  expect(await messageIn("?blobs=reference")).toMatch(/"blob":"sha256-/);
  expect((await api.get(`/v1/threads/${id}/events?blobs=none`)).status).toBe(400);
});

describe("runs", () => {
  test("lists the live runs, and the last ones", async () => {
    const { id } = await threadOf(api, userMessage("One."));
    const runs: string[] = [];
    for (const answer of ["a", "b"]) {
      runs.push((await ledger.record({ threadId: id, messages: [replied(answer)] })).run.id);
    }
    const live = await ledger.beginRun({ threadId: id });
    const idsOf = async (query: string): Promise<string[]> =>
      (await api.get(`/v1/threads/${id}/runs${query}`)).body.runs.map((run) => run.id);
    expect(await idsOf("")).toEqual([...runs, live.id]);
    expect(await idsOf("?live=true")).toEqual([live.id]);
    expect(await idsOf("?live=false&last=2")).toEqual([runs[1], live.id]);
    expect((await api.get(`/v1/threads/${id}/runs?last=none`)).status).toBe(400);
    await live.cancel();
  });

  test("shows the request of a recorded call with its history; a run that is not a call is a 404", async () => {
    const { id } = await threadOf(api, { ...userMessage("Be brief."), role: "system" }, userMessage("Why?"));
    const pending = api.post(`/v1/threads/${id}/regenerate`, { settings: { sampling: { temperature: 0.5 } } });
    (await model.nextCall()).complete("Because.");
    const { run } = (await pending).body;
    const body = await bodyOf<{ request: object }>(`/v1/runs/${run.id}/request`);
    expect(body).toMatchObject({
      dialect: "canonical",
      provider: "test",
      model: "manual",
      request: { model: "test/manual", sampling: { temperature: 0.5 } },
    });
    expect(body.request).toMatchObject({ messages: [{ role: "system" }, { role: "user" }] });
    const other = await ledger.record({ threadId: id, messages: [replied("x")] });
    expect(await api.get(`/v1/runs/${other.run.id}/request`)).toMatchObject({
      status: 404,
      body: { error: { code: "not-found" } },
    });
    expect((await api.get("/v1/runs/nobody/request")).status).toBe(404);
  });
});

describe("lists", () => {
  const summaryOf = (thread: unknown): ThreadSummary | undefined => (thread as { summary?: ThreadSummary }).summary;

  test("summaries are included if requested, and the order is by last activity", async () => {
    const kind = "summed";
    const ids: string[] = [];
    for (const title of ["a", "b", "c"]) ids.push((await api.post("/v1/threads", { kind, title })).body.id);
    const [first = "", , last = ""] = ids;
    const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7, cost: 0.5 };
    const input = { messages: [userMessage("Hello there.")] };
    await ledger.record({ threadId: first, input, messages: [replied("Hi.")], usage, metadata: { model: "m" } });
    const page = await api.get(`/v1/threads?kind=${kind}&order=activity&summary=true&limit=2`);
    expect(page.body.threads.map(({ id }) => id)).toEqual([first, last]);
    expect(summaryOf(page.body.threads[0])).toEqual({
      updatedAt: expect.stringMatching(/^20.*Z$/),
      messages: 2,
      models: ["m"],
      usage,
      live: 0,
      preview: "Hello there.",
    });
    const rest = await api.get(`/v1/threads?kind=${kind}&order=activity&before=${page.body.next}`);
    expect(rest.body).toMatchObject({ threads: [{ id: ids[1] }], next: null });
    expect(summaryOf(rest.body.threads[0])).toBe(undefined);
  });

  test.each(["order=age", "summary=maybe", "order=activity&before=x"])("%s is rejected", async (query) => {
    expect((await api.get(`/v1/threads?${query}`)).status).toBe(400);
  });

  test("threads are found by partial words in titles and messages, with the hits", async () => {
    const titled = await api.post("/v1/threads", { title: "The Lighthouse" });
    const { id, ids } = await threadOf(api, userMessage("Where was the lighthouse?"), replied("At Pharos."));
    const { body } = await api.get("/v1/threads?search=the+lightho&summary=true");
    expect(body.threads.map((thread) => thread.id)).toEqual([titled.body.id, id]);
    expect(body.threads.map((thread) => summaryOf(thread)?.messages)).toEqual([0, 2]);
    expect(body.hits).toEqual([{ threadId: id, messageId: ids[0], snippet: "Where was the lighthouse?" }]);
    expect(body.next).toBe(null);
    expect((await api.get("/v1/search?q=lightho")).body.hits).toEqual([]);
  });
});

describe("changes of all threads", () => {
  const newsIn = (reader: Reader, last: string): Promise<string[]> =>
    reader
      .until(({ data }) => data.includes(last))
      .then((events) => events.map(({ event, id, data }) => `${event} ${id ?? ""}${data}`));

  test("changes over HTTP are sent live, without ids, with heartbeats in between", async () => {
    await using reader = await openEvents(`${api.koine.url}/v1/events`);
    expect(reader.headers.get("content-type")).toContain("text/event-stream");
    const { id, ids } = await threadOf(api, userMessage("One."), replied("Two."));
    await api.post(`/v1/threads/${id}/select`, { messageId: ids[0] });
    await api.call("PATCH", `/v1/threads/${id}`, { title: "T" });
    await api.call("DELETE", `/v1/threads/${id}`);
    const received = (await newsIn(reader, "deleted")).filter((event) => event.includes(id));
    const changes = ["created", "activity", "selected", "updated", "deleted"];
    expect(new Set(received)).toEqual(
      new Set(changes.map((change) => `thread ${JSON.stringify({ threadId: id, change })}`)),
    );
  });

  test("the start and the end of an answer are sent", async () => {
    const { id } = await threadOf(api, userMessage("Begin."));
    await using reader = await openEvents(`${api.koine.url}/v1/events`);
    const pending = fetch(`${api.koine.url}/v1/threads/${id}/regenerate`, { method: "POST", body: '{"stream":true}' });
    const pendingCall = await model.nextCall();
    pendingCall.begin("Wait");
    const activity = JSON.stringify({ threadId: id, change: "activity" });
    await newsIn(reader, activity);
    pendingCall.complete("!");
    await (await pending).text();
    await newsIn(reader, activity);
    expect((await ledger.runs(id)).map(({ state }) => state)).toEqual(["committed"]);
  });

  test("a tenant receives changes of another instance, and none of other tenants", async () => {
    const folder = await mkdtemp(join(tmpdir(), "koine-news-"));
    const settings = { tenants: tenantsOf({ acme: ["ann"], other: ["eve"] }) };
    const open = (): Promise<Ledger> => openLedger(`sqlite:${join(folder, "koine.db")}`, { sync: "normal" });
    const ledgers = [await open(), await open()] as const;
    {
      await using one = await startApi(settings, { ledger: ledgers[0] });
      await using two = await startApi(settings, { ledger: ledgers[1] });
      await using reader = await openEvents(`${one.koine.url}/v1/events`, { headers: bearer("ann") });
      expect((await one.get("/v1/events")).status).toBe(401);
      await two.post("/v1/threads", { id: "theirs" }, bearer("eve"));
      await two.post("/v1/threads", { id: "ours" }, bearer("ann"));
      expect(await newsIn(reader, "ours")).toEqual([
        `thread ${JSON.stringify({ threadId: "ours", change: "created" })}`,
      ]);
    }
    for (const each of ledgers) await each.close();
    await rm(folder, { recursive: true });
  });
});

describe("answers", () => {
  test("as a stream, the run is named before the first delta, and continues without its reader", async () => {
    const { id } = await threadOf(api, userMessage("Think for long."));
    const leaving = new AbortController();
    const reply = await fetch(`${api.koine.url}/v1/threads/${id}/regenerate`, {
      method: "POST",
      body: JSON.stringify({ stream: true }),
      signal: leaving.signal,
    });
    const runId = reply.headers.get("x-koine-run") ?? "";
    expect([reply.status, reply.headers.get("x-koine-thread")]).toEqual([200, id]);
    expect((await api.get(`/v1/runs/${runId}`)).body).toMatchObject({ id: runId, threadId: id });
    leaving.abort();
    (await model.nextCall()).complete("Done.");
    await expect.poll(async () => (await ledger.run(runId)).state).toBe("committed");
    expect((await ledger.transcript(id)).at(-1)).toMatchObject({ parts: [{ text: "Done." }] });
  });

  test("a failure after the run was named is in the run's end", async () => {
    const { id } = await threadOf(api, userMessage("Fail."));
    const reading = fetch(`${api.koine.url}/v1/threads/${id}/regenerate`, {
      method: "POST",
      body: JSON.stringify({ stream: true }),
    }).then(async (reply) => ({ status: reply.status, text: await reply.text() }));
    (await model.nextCall()).fail("invalid-request");
    const { status, text: events } = await reading;
    expect(status).toBe(200);
    expect(events).toContain('"state":"failed"');
    expect(events).toMatch(/event: end\n/);
  });

  test("a question is edited and answered again, and the former answer is restored with its branch", async () => {
    const regenerate = async (id: string, answerText: string, body: object = {}): Promise<string> => {
      const pending = api.post(`/v1/threads/${id}/regenerate`, body);
      (await model.nextCall()).complete(answerText);
      return (await pending).body.messages[0]?.id ?? "";
    };
    const { id, ids } = await threadOf(api, userMessage("Teh weather?"));
    const first = await regenerate(id, "What?");
    const edited = await api.post(`/v1/threads/${id}/edit`, { messageId: ids[0], text: "The weather?" });
    const second = await regenerate(id, "Fine.");
    const third = await regenerate(id, "Rain.");
    const activeOf = async (): Promise<string[]> => (await ledger.transcript(id)).map((message) => message.id);
    expect(await activeOf()).toEqual([edited.body.messages[0]?.id, third]);
    const { messages } = await bodyOf<{ messages: { id: string; superseded?: true }[] }>(`/v1/threads/${id}/outline`);
    expect(messages.filter(({ superseded }) => superseded === true).map((message) => message.id)).toContain(second);
    // A superseded answer and one of another branch: exactly the named message becomes the leaf.
    for (const leaf of [second, first, ids[0] ?? ""]) {
      expect((await api.post(`/v1/threads/${id}/select`, { messageId: leaf })).body.activeLeafId).toBe(leaf);
      expect((await activeOf()).at(-1)).toBe(leaf);
    }
  });
});

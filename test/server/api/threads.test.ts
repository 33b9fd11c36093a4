// Threads and their messages over HTTP, and the errors of their routes.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { LedgerError, type LedgerErrorCode } from "../../../src/ledger/index.ts";
import { StoreLedger } from "../../../src/ledger/ledger.ts";
import { getText } from "../../../src/model/index.ts";
import { toServerError } from "../../../src/server/http/server-error.ts";
import { ManualModel } from "../tasks/support.ts";
import type { Answer, Api } from "./support.ts";
import { replied, userMessage, startApi, textsOf, threadOf } from "./support.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

describe("threads", () => {
  test("a thread is created, shown, changed and deleted", async () => {
    const created = await api.post("/v1/threads", { title: "Corinth", metadata: { city: true } });
    expect(created.status).toBe(201);
    const path = `/v1/threads/${created.body.id}`;
    expect((await api.get(path)).body).toEqual(created.body);
    const changed = await api.call("PATCH", path, { title: null, metadata: { city: false } });
    expect(changed.body).toMatchObject({ title: null, metadata: { city: false } });
    const gone = await api.call("DELETE", path);
    expect(gone).toMatchObject({ status: 200, body: { threads: 1 } });
    expect((await api.get(path)).status).toBe(404);
    expect((await api.call("DELETE", path)).status).toBe(404);
  });

  test("a thread belongs to the scope that created it, and is created with all its messages or not at all", async () => {
    const created = await api.post("/v1/threads", { id: "whole", messages: [userMessage("Hello.")] });
    expect(created.body).toMatchObject({ id: "whole", scope: "local" });
    const refused = await api.post("/v1/threads", {
      id: "half",
      messages: [userMessage("Hello."), { role: "nobody", parts: [] }],
    });
    expect(refused).toMatchObject({ status: 400, body: { error: { path: "/messages/1/role" } } });
    expect((await api.get("/v1/threads/half")).status).toBe(404);
  });

  test("a rejected thread does not affect writes of others", async () => {
    const image = { type: "image", mediaType: "image/png", blob: `sha256-${"0".repeat(64)}` };
    const purge = vi.spyOn(StoreLedger.prototype, "purge");
    const created = await api.post("/v1/threads", { id: "refused", messages: [{ role: "user", parts: [image] }] });
    expect([created.status, purge.mock.calls]).toEqual([404, []]);
    purge.mockRestore();
    expect((await api.get("/v1/threads/refused")).status).toBe(404);
  });

  test("the settings of a task survive changes of its metadata", async () => {
    const task = { model: "demo/koine", approval: "ask" };
    const { body } = await api.post("/v1/threads", { kind: "task", metadata: { task } });
    const patch = (metadata: unknown): Promise<Answer> => api.call("PATCH", `/v1/threads/${body.id}`, { metadata });
    expect((await patch({ label: "x" })).body.metadata).toEqual({ label: "x", task });
    expect((await patch({ label: "y", task })).body.metadata).toEqual({ label: "y", task });
    expect((await patch(null)).body.metadata).toEqual({ task });
    const refused = await patch({ task: { model: "demo/koine" } });
    expect(refused).toMatchObject({ status: 400, body: { error: { path: "/metadata/task" } } });
    await api.call("DELETE", `/v1/threads/${body.id}`);
  });

  test("threads are listed newest first, by page, each once", async () => {
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4, 5])
      ids.unshift((await api.post("/v1/threads", { kind: "paged", title: `${n}` })).body.id);
    const seen: string[] = [];
    let next: string | null = "";
    let pages = 0;
    while (next !== null) {
      const page: Awaited<ReturnType<Api["get"]>> = await api.get(`/v1/threads?kind=paged&limit=2&before=${next}`);
      seen.push(...page.body.threads.map(({ id }) => id));
      next = page.body.next;
      pages += 1;
    }
    expect(seen).toEqual(ids);
    expect(pages).toBe(3);
  });

  test("threads are filtered by kind, or by none", async () => {
    const task = await api.post("/v1/threads", { kind: "task" });
    const plain = await api.post("/v1/threads", {});
    const ids = async (kind: string): Promise<string[]> =>
      (await api.get(`/v1/threads?limit=500&kind=${kind}`)).body.threads.map(({ id }) => id);
    expect(await ids("task")).toEqual([task.body.id]);
    expect(await ids("none")).toContain(plain.body.id);
    expect(await ids("none")).not.toContain(task.body.id);
  });

  test("threads are searched by words", async () => {
    const { id } = await threadOf(api, userMessage("The lighthouse of Pharos."), replied("It stood at Alexandria."));
    await threadOf(api, userMessage("The temple of Artemis."));
    const results = await api.get("/v1/threads?search=lighthouse+pharos");
    expect(results.body.threads.map((thread) => thread.id)).toEqual([id]);
  });
});

describe("messages", () => {
  test("messages are appended and read back unchanged", async () => {
    const { id } = await threadOf(api, userMessage("One."));
    const added = await api.post(`/v1/threads/${id}/messages`, { messages: [replied("Two."), userMessage("Three.")] });
    expect(added.status).toBe(201);
    expect(await textsOf(api, id)).toEqual(["One.", "Two.", "Three."]);
    expect(await textsOf(api, id, "?limit=2")).toEqual(["Two.", "Three."]);
    expect(await textsOf(api, id, `?before=${added.body.messages[1]?.id}`)).toEqual(["One.", "Two."]);
  });

  test("messages are accepted and returned in any dialect", async () => {
    const { id } = await threadOf(api, userMessage("What is the weather?"));
    const call = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Corinth" } };
    const added = await api.post(`/v1/threads/${id}/messages`, {
      dialect: "anthropic",
      messages: [
        { role: "assistant", content: [call] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Sunny." }] },
      ],
    });
    expect(added.body.messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
    const chat = await api.get(`/v1/threads/${id}/messages?dialect=openai-chat`);
    expect(chat.body.wire).toMatchObject([
      { role: "user", content: "What is the weather?" },
      { role: "assistant", tool_calls: [{ id: "toolu_1", function: { name: "weather" } }] },
      { role: "tool", tool_call_id: "toolu_1", content: "Sunny." },
    ]);
    expect(chat.body.losses).toEqual([]);
  });

  test("data that a dialect does not support is in the losses, without the ledger's own fields", async () => {
    const { id } = await threadOf(api, userMessage("Hm."), {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "Thinking." },
        { type: "text", text: "Ah." },
      ],
    });
    const { body } = await api.get(`/v1/threads/${id}/messages?dialect=openai-chat`);
    expect(body.losses.length).toBeGreaterThan(0);
    for (const { path } of body.losses) expect(path).toMatch(/^\/1\/parts/);
  });

  test("the context omits interrupted turns, and is truncated to the limit", async () => {
    const cut = { ...replied("Half an ans"), metadata: { interrupted: true } };
    const { id } = await threadOf(
      api,
      { ...userMessage("Be kind."), role: "system" },
      userMessage("One."),
      replied("Two."),
      userMessage("Three."),
      cut,
    );
    const texts = async (query: string): Promise<string[]> =>
      (await api.get(`/v1/threads/${id}/context${query}`)).body.messages.map(getText);
    expect(await texts("")).toEqual(["Be kind.", "One.", "Two.", "Three."]);
    expect(await texts("?interrupted=true")).toHaveLength(5);
    expect(await texts("?maxMessages=2")).toEqual(["Be kind.", "Three."]);
  });

  test("B94: an outdated expected leaf is a conflict", async () => {
    const { id, ids } = await threadOf(api, userMessage("One."), replied("Two."));
    const body = { messages: [userMessage("Three.")], expectedLeaf: ids[1] };
    expect((await api.post(`/v1/threads/${id}/messages`, body)).status).toBe(201);
    expect(await api.post(`/v1/threads/${id}/messages`, body)).toMatchObject({
      status: 409,
      body: { error: { code: "conflict" } },
    });
  });

  test("B95: the same idempotency key appends once, and conflicts with other messages", async () => {
    const { id } = await threadOf(api, userMessage("One."));
    const key = { "idempotency-key": "once" };
    const first = await api.post(`/v1/threads/${id}/messages`, { messages: [replied("Two.")] }, key);
    const again = await api.post(`/v1/threads/${id}/messages`, { messages: [replied("Two.")] }, key);
    expect(again.body).toEqual(first.body);
    expect(await textsOf(api, id)).toEqual(["One.", "Two."]);
    expect((await api.post(`/v1/threads/${id}/messages`, { messages: [replied("Other.")] }, key)).status).toBe(409);
  });
});

/** Title, request, status, and a part of the message. */
const MISTAKES: [string, string, string, unknown, number, string][] = [
  ["a page that is too long", "GET", "/v1/threads?limit=501", undefined, 400, '"limit" must be'],
  ["a limit that is no number", "GET", "/v1/threads?limit=many", undefined, 400, '"limit" must be'],
  ["a misspelled field", "POST", "/v1/threads", { titel: "x" }, 400, "title"],
  ["a title that is no text", "POST", "/v1/threads", { title: 7 }, 400, "/title"],
  ["an existing id", "POST", "/v1/threads", { id: "taken" }, 409, "taken"],
  ["a body that is no JSON", "POST", "/v1/threads", "{ title", 400, "JSON"],
  ["a body that is a list", "POST", "/v1/threads", [], 400, "object"],
  ["an unknown thread", "GET", "/v1/threads/nobody", undefined, 404, "nobody"],
  ["messages of an unknown thread", "GET", "/v1/threads/nobody/messages", undefined, 404, "nobody"],
  ["the tree of an unknown thread", "GET", "/v1/threads/nobody/tree", undefined, 404, "nobody"],
  ["the context of an unknown thread", "GET", "/v1/threads/nobody/context", undefined, 404, "nobody"],
  ["an unknown branch", "GET", "/v1/threads/taken/messages?branch=nobody", undefined, 404, "nobody"],
  ["an unknown dialect", "GET", "/v1/threads/taken/messages?dialect=latin", undefined, 400, "openai-chat"],
  ["no messages", "POST", "/v1/threads/taken/messages", { messages: [] }, 400, "at least one"],
  [
    "messages in an unknown dialect",
    "POST",
    "/v1/threads/taken/messages",
    { messages: [], dialect: "x" },
    400,
    "gemini",
  ],
  [
    "an invalid message in a dialect",
    "POST",
    "/v1/threads/taken/messages",
    { dialect: "anthropic", messages: [{ role: "user", content: 7 }] },
    400,
    "/messages/0/content",
  ],
  [
    "an unknown parent",
    "POST",
    "/v1/threads/taken/messages",
    { messages: [userMessage("x")], parentMessageId: "x" },
    404,
    "x",
  ],
];

describe("errors", () => {
  beforeAll(() => api.post("/v1/threads", { id: "taken" }));

  test.each(MISTAKES)("%s", async (_, method, path, body, status, message) => {
    const answer = await api.call(method, path, body);
    expect(answer.status, answer.text).toBe(status);
    expect(`${answer.body.error.path} ${answer.body.error.message}`).toContain(message);
  });
});

test.each<[LedgerErrorCode, number]>([
  ["conflict", 409],
  ["invalid-input", 400],
  ["busy", 503],
  ["read-only", 503],
  ["disk-full", 503],
  ["unavailable", 503],
  ["closed", 503],
  ["corrupt", 500],
])("messages of a store are not sent to clients: %s", (code, status) => {
  const cause = new Error("UNIQUE constraint failed: threads.id");
  const error = toServerError(new LedgerError(code, `/secret/koine.db: ${cause.message}`, { cause }));
  expect([error.status, error.message.includes("secret"), error.message.includes("UNIQUE")]).toEqual([
    status,
    false,
    false,
  ]);
  const own = toServerError(new LedgerError("conflict", "The leaf moved.", { path: "expectedLeaf" }));
  expect(own.message).toBe("The leaf moved.");
});

test("a thread exists for every route as soon as a client knows its id", async () => {
  const model = new ManualModel();
  await using live = await startApi({ providers: { test: model.provider } });
  const routes = ["", "/messages", "/context", "/tree", "/runs"].map((path) => `/v1/threads/ID${path}`);
  for (const path of [...routes, "/v1/export?thread=ID", "/v1/search?q=x&thread=ID", "/v1/chat/ID"]) {
    const body = { model: "test/manual", stream: true, messages: [{ role: "user", content: path }] };
    const pending = fetch(`${live.koine.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(body) });
    const pendingCall = await model.nextCall();
    pendingCall.begin("On my way");
    const reply = await pending;
    const id = reply.headers.get("x-koine-thread") ?? "";
    expect([path, (await live.get(path.replace("ID", id))).status]).toEqual([path, 200]);
    pendingCall.complete("!");
    await reply.text();
  }
});

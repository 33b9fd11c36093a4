// Branches over HTTP: fork, edit, select and regenerate.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LocalProvider } from "../../../src/client/index.ts";
import { demo } from "../../../src/client/index.ts";
import type { Delta, ModelRequest } from "../../../src/model/index.ts";
import { getText } from "../../../src/model/index.ts";
import type { Api } from "./support.ts";
import { firstOf, replied, userMessage, startApi, textsOf, threadOf } from "./support.ts";

/** A model that counts its calls and stores their requests. */
class Counting implements LocalProvider {
  readonly requests: ModelRequest[] = [];
  readonly models = ["one", "two"];

  *answer(request: ModelRequest): Iterable<Delta> {
    this.requests.push(request);
    yield { kind: "start", payload: { modelId: request.model ?? "", requestId: `r${this.requests.length}` } };
    yield { kind: "text", payload: { textDelta: `Answer ${this.requests.length}.` } };
    yield { kind: "usage", payload: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } };
    yield { kind: "done", payload: { finishReason: "stop" } };
  }
}

const counting = new Counting();
let api: Api;
beforeAll(async () => {
  api = await startApi({ providers: { demo: demo(), counting }, tasks: { model: "counting/one" } });
});
afterAll(() => api[Symbol.asyncDispose]());

describe("fork", () => {
  test("a fork is a separate thread with the path up to a message, and continues independently", async () => {
    const { id, ids } = await threadOf(api, userMessage("One."), replied("Two."), userMessage("Three."));
    await api.call("PATCH", `/v1/threads/${id}`, { title: "Numbers", metadata: { topic: "counting" } });
    const fork = await api.post(`/v1/threads/${id}/fork`, { messageId: ids[1] });
    expect(fork).toMatchObject({
      status: 201,
      body: { title: "Numbers", metadata: { topic: "counting", forkedFrom: { threadId: id, messageId: ids[1] } } },
    });
    await api.post(`/v1/threads/${fork.body.id}/messages`, { messages: [userMessage("Four.")] });
    expect(await textsOf(api, fork.body.id)).toEqual(["One.", "Two.", "Four."]);
    expect(await textsOf(api, id)).toEqual(["One.", "Two.", "Three."]);
  });

  test("a fork may have an id and a title; an existing id is a conflict", async () => {
    const { id, ids } = await threadOf(api, userMessage("One."));
    const body = { messageId: ids[0], id: "forked", title: "Mine" };
    expect((await api.post(`/v1/threads/${id}/fork`, body)).body).toMatchObject({ id: "forked", title: "Mine" });
    expect((await api.post(`/v1/threads/${id}/fork`, body)).status).toBe(409);
  });
});

describe("edit", () => {
  test("an edited question is a branch, which becomes active; the former one stays in the tree", async () => {
    const { id, ids } = await threadOf(api, userMessage("Teh weather?"), replied("What?"));
    const edited = await api.post(`/v1/threads/${id}/edit`, { messageId: ids[0], text: "The weather?" });
    expect(edited.body.messages).toMatchObject([{ parentMessageId: null, metadata: { editedFrom: ids[0] } }]);
    expect(await textsOf(api, id)).toEqual(["The weather?"]);
    const tree = await api.get(`/v1/threads/${id}/tree`);
    expect(tree.body).toMatchObject({ activeLeafId: firstOf(edited).id });
    expect(tree.body.messages).toHaveLength(3);
  });

  test("editing the text keeps the images of a message", async () => {
    const picture = { type: "image", url: "https://example.com/cat.png" };
    const { id, ids } = await threadOf(api, {
      role: "user",
      parts: [{ type: "text", text: "Waht " }, picture, { type: "text", text: "is it?" }],
    });
    const edited = await api.post(`/v1/threads/${id}/edit`, { messageId: ids[0], text: "What is it?" });
    expect(firstOf(edited).parts).toEqual([{ type: "text", text: "What is it?" }, picture]);
  });

  test("seals of changed content are dropped, and those of unchanged content stay", async () => {
    const seals = [{ dialect: "anthropic", kind: "signature", value: "sig" }];
    const thought = { type: "reasoning", text: "Hm.", seals };
    const { id, ids } = await threadOf(api, userMessage("Why?"), {
      role: "assistant",
      parts: [thought, { type: "text", text: "Because." }],
    });
    const edit = async (parts: object[]): Promise<object[]> => {
      const message = { role: "assistant", parts };
      return firstOf(await api.post(`/v1/threads/${id}/edit`, { messageId: ids[1], message })).parts;
    };
    expect(await edit([thought, { type: "text", text: "Therefore." }])).toEqual([
      thought,
      { type: "text", text: "Therefore." },
    ]);
    expect(await edit([{ ...thought, text: "Hum." }])).toEqual([{ type: "reasoning", text: "Hum." }]);
  });

  test("a message can be sent back as it was read, with one change", async () => {
    const { id, ids } = await threadOf(api, userMessage("Teh."));
    const { body } = await api.get(`/v1/threads/${id}/messages`);
    const message = { ...body.messages[0], parts: [{ type: "text", text: "The." }] };
    const edited = await api.post(`/v1/threads/${id}/edit`, { messageId: ids[0], message });
    expect(edited.status, edited.text).toBe(201);
    expect(await textsOf(api, id)).toEqual(["The."]);
  });
});

describe("select", () => {
  test("a former branch can be selected again", async () => {
    const { id, ids } = await threadOf(api, userMessage("One."), replied("Two."));
    await api.post(`/v1/threads/${id}/edit`, { messageId: ids[0], text: "Uno." });
    const selected = await api.post(`/v1/threads/${id}/select`, { messageId: ids[1] });
    expect(selected.body.activeLeafId).toBe(ids[1]);
    expect(await textsOf(api, id)).toEqual(["One.", "Two."]);
    expect((await api.post(`/v1/threads/${id}/select`, { messageId: null })).body.activeLeafId).toBe(null);
    expect(await textsOf(api, id)).toEqual([]);
  });
});

describe("regenerate", () => {
  test("a question is answered, and regenerated beside the first answer", async () => {
    const { id } = await threadOf(api, userMessage("How often?"));
    const first = await api.post(`/v1/threads/${id}/regenerate`, {});
    expect(first.status, first.text).toBe(200);
    expect(first.body.run).toMatchObject({ state: "committed", usage: { totalTokens: 3 }, losses: [] });
    expect(first.headers.get("x-koine-run")).toBe(first.body.run.id);
    const answer = firstOf(first);
    const again = await api.post(`/v1/threads/${id}/regenerate`, { model: "counting/two" });
    expect(again.body.messages[0]).toMatchObject({
      parentMessageId: answer.parentMessageId,
      metadata: { model: "two" },
    });
    expect((await api.get(`/v1/runs/${first.body.run.id}`)).body.state).toBe("superseded");
    expect((await textsOf(api, id))[1]).toBe(getText(firstOf(again)));
    const { body } = await api.get(`/v1/threads/${id}/runs`);
    expect(body.runs.map(({ state }) => state)).toEqual(["superseded", "committed"]);
  });

  test("the settings and instructions of the former call apply, except those in the body", async () => {
    const { id } = await threadOf(api, { ...userMessage("Be brief."), role: "system" }, userMessage("Why?"));
    const settings = { sampling: { temperature: 0.5, maxOutputTokens: 9 }, reasoning: { effort: "low" } };
    await api.post(`/v1/threads/${id}/regenerate`, { settings });
    await api.post(`/v1/threads/${id}/regenerate`, { settings: { sampling: { temperature: 1 } } });
    const last = counting.requests.at(-1);
    expect(last).toMatchObject({ model: "one", sampling: { temperature: 1 }, reasoning: { effort: "low" } });
    expect(last?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  });

  test("an answer on an inactive branch is regenerated at its position", async () => {
    const { id, ids } = await threadOf(
      api,
      userMessage("One."),
      replied("Old."),
      userMessage("Two."),
      replied("Older."),
    );
    await api.post(`/v1/threads/${id}/edit`, { messageId: ids[0], text: "Uno." });
    const again = await api.post(`/v1/threads/${id}/regenerate`, { messageId: ids[3] });
    expect(firstOf(again).parentMessageId).toBe(ids[2]);
    const tree = await api.get(`/v1/threads/${id}/tree`);
    expect(tree.body.messages).toHaveLength(6);
    expect((await textsOf(api, id)).slice(0, 3)).toEqual(["One.", "Old.", "Two."]);
  });

  test("as a stream, it sends the events of the run up to its end", async () => {
    const { id } = await threadOf(api, userMessage("Stream."));
    const { text, headers } = await fetch(`${api.koine.url}/v1/threads/${id}/regenerate`, {
      method: "POST",
      body: JSON.stringify({ stream: true }),
    }).then(async (reply) => ({ text: await reply.text(), headers: reply.headers }));
    expect(headers.get("content-type")).toContain("text/event-stream");
    const events = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    expect(events).toEqual(expect.arrayContaining(["delta", "message", "run"]));
    expect(events.at(-1)).toBe("end");
    expect((await textsOf(api, id))[1]).toMatch(/^Answer/);
  });

  test("B95: the same idempotency key calls the model once", async () => {
    const { id } = await threadOf(api, userMessage("Once."));
    const before = counting.requests.length;
    const regenerate = (): Promise<{ body: { run: { id: string } } }> =>
      api.post(`/v1/threads/${id}/regenerate`, {}, { "idempotency-key": "ask-once" });
    const first = await regenerate();
    expect((await regenerate()).body.run.id).toBe(first.body.run.id);
    expect(counting.requests.length).toBe(before + 1);
  });
});

/** Title, path within the thread, body, status, and a part of the message. */
const MISTAKES: [string, string, object, number, string][] = [
  ["a fork at an unknown message", "fork", { messageId: "no-such-message" }, 404, "no-such-message"],
  ["a fork without a message", "fork", {}, 400, "messageId"],
  ["an edit of an unknown message", "edit", { messageId: "no-such-message", text: "x" }, 404, "no-such-message"],
  ["an edit without content", "edit", { messageId: "FIRST" }, 400, '"text" or "message"'],
  [
    "an edit with text and message",
    "edit",
    { messageId: "FIRST", text: "x", message: userMessage("y") },
    400,
    "not both",
  ],
  ["an edit that changes the role", "edit", { messageId: "FIRST", message: replied("x") }, 400, "/message/role"],
  ["an edit that is no message", "edit", { messageId: "FIRST", message: { role: "user" } }, 400, "parts"],
  ["an unknown leaf", "select", { messageId: "no-such-message" }, 404, "no-such-message"],
  ["an unknown model", "regenerate", { model: "unknown/x" }, 404, "counting/one"],
  ["an answer to an unknown message", "regenerate", { messageId: "no-such-message" }, 404, "no-such-message"],
  ["an unknown setting", "regenerate", { settings: { temprature: 1 } }, 400, "/settings/temprature"],
  ["messages among the settings", "regenerate", { settings: { messages: [] } }, 400, "/settings/messages"],
  [
    "settings of a wrong type",
    "regenerate",
    { settings: { sampling: { temperature: "hot" } } },
    400,
    "/settings/sampling",
  ],
];

describe("errors", () => {
  test.each(MISTAKES)("%s", async (_, path, body, status, message) => {
    const { id, ids } = await threadOf(api, userMessage("One."));
    const placed = JSON.parse(JSON.stringify(body).replace("FIRST", ids[0] ?? ""));
    const answer = await api.post(`/v1/threads/${id}/${path}`, placed);
    expect(answer.status, answer.text).toBe(status);
    expect(`${answer.body.error.path} ${answer.body.error.message}`).toContain(message);
  });

  test("an empty thread, or one that starts with an answer, cannot be regenerated", async () => {
    const { id } = await threadOf(api);
    expect(await api.post(`/v1/threads/${id}/regenerate`, {})).toMatchObject({ status: 400 });
    const odd = await threadOf(api, replied("Hello."));
    expect(await api.post(`/v1/threads/${odd.id}/regenerate`, {})).toMatchObject({ status: 400 });
  });

  test("a failed provider is reported with its status, and the thread stays unchanged", async () => {
    const { id } = await threadOf(api, userMessage("error rate-limit"));
    const answer = await api.post(`/v1/threads/${id}/regenerate`, { model: "demo/koine" });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.error.code).toBe("upstream");
    expect(await textsOf(api, id)).toEqual(["error rate-limit"]);
  });
});

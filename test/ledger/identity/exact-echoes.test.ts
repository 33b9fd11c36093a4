// Tests exact echoes: a client that sends an answer back unchanged has dropped nothing, so its request can be used
// unchanged; and fields that only answers have are never added to a history.
import { describe, expect, test } from "vitest";
import { dialect } from "../../../src/index.ts";
import type { Dialect } from "../../../src/index.ts";
import { messageFromResponse, openLedger } from "../../../src/ledger/index.ts";
import type { ThreadMatch } from "../../../src/ledger/index.ts";
import type { JsonObject } from "../../../src/model/json/index.ts";

/** Matches a history whose answer is echoed. */
async function echoed(spoken: Dialect, answer: JsonObject, first: JsonObject, next: JsonObject): Promise<ThreadMatch> {
  const ledger = await openLedger("memory:");
  const { messages } = spoken.decodeRequest(first);
  const message = messageFromResponse(spoken.decodeResponse(answer), "p");
  await ledger.record({ thread: {}, input: { messages, parentMessageId: null }, messages: [message] });
  const match = await ledger.findThread(spoken.decodeRequest(next).messages);
  await ledger.close();
  return match;
}

const TOKENS = { content: [{ token: "hi", logprob: -0.1, bytes: [104, 105], top_logprobs: [] }], refusal: null };

function chatAnswer(message: JsonObject, logprobs: JsonObject | null = null): JsonObject {
  const choices = [{ index: 0, message, logprobs, finish_reason: "stop" }];
  return { id: "c", object: "chat.completion", created: 1, model: "m", choices };
}

describe("openai-chat", () => {
  const chat = dialect("openai-chat");
  const request = { role: "user", content: "a" };
  const next = { role: "user", content: "c" };
  const history = { role: "assistant", content: "hi", refusal: null, annotations: [] };

  test.each([
    ["the complete message", history],
    ["some of its empty fields", { role: "assistant", content: "hi", refusal: null }],
    ["its text alone", { role: "assistant", content: "hi" }],
  ])("an answer of which the client echoes %s is not restored", async (_, echo) => {
    const first = { model: "m", messages: [request] };
    const match = await echoed(chat, chatAnswer(history), first, { model: "m", messages: [request, echo, next] });
    expect([match.known, match.restored]).toEqual([2, false]);
  });

  test("log probabilities stay with the answer", async () => {
    const first = { model: "m", messages: [request] };
    const messages = [request, { role: "assistant", content: "hi" }, next];
    const match = await echoed(chat, chatAnswer(history, TOKENS), first, { model: "m", messages });
    expect([match.known, match.restored]).toEqual([2, false]);
    expect(JSON.stringify(match.messages)).not.toContain("logprob");
  });

  test("a field that is not empty is restored", async () => {
    const annotations = [
      { type: "url_citation", url_citation: { url: "https://x.test", title: "X", start_index: 0, end_index: 2 } },
    ];
    const first = { model: "m", messages: [request] };
    const messages = [request, { role: "assistant", content: "hi" }, next];
    const match = await echoed(chat, chatAnswer({ ...history, annotations }), first, { model: "m", messages });
    expect([match.known, match.restored]).toEqual([2, true]);
  });
});

test("gemini: calls without ids get generated ids, which are not restored for it", async () => {
  const request = { role: "user", parts: [{ text: "a" }] };
  const content = { role: "model", parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "BBBB" }] };
  const result = { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "r" } } }] };
  const answer = { candidates: [{ content, finishReason: "STOP", index: 0 }], responseId: "r", modelVersion: "g" };
  const next = { contents: [request, content, result] };
  const match = await echoed(dialect("gemini"), answer, { contents: [request] }, next);
  expect([match.known, match.restored]).toEqual([2, false]);
});

test("with a threadId, a history is matched within that thread, on any branch", async () => {
  const ledger = await openLedger("memory:");
  const talk = dialect("openai-chat").decodeRequest({
    model: "m",
    messages: [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ],
  }).messages;
  const { id: one } = await ledger.createThread();
  const { id: two } = await ledger.createThread();
  const { id: three } = await ledger.createThread();
  for (const id of [one, two]) await ledger.append(id, talk);
  await ledger.append(one, [{ role: "user", parts: [{ type: "text", text: "other" }] }], { parentMessageId: null });
  expect((await ledger.findThread(talk, { threadId: one })).threadId).toBe(one);
  expect((await ledger.findThread(talk, { threadId: two })).threadId).toBe(two);
  expect((await ledger.findThread(talk, { threadId: three })).threadId).toBeNull();
  await ledger.close();
});

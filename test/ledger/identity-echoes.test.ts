// Exact echoes: a client that sends an answer back just as it was given it has dropped nothing, so that its own words can
// go on; and what only an answer has is never put into a history.
import { describe, expect, test } from "vitest";
import { dialect } from "../../src/index.ts";
import type { Dialect } from "../../src/index.ts";
import { answerMessage, openLedger } from "../../src/ledger/index.ts";
import type { ThreadMatch } from "../../src/ledger/index.ts";
import type { JsonObject } from "../../src/model/json.ts";

/** What is recognised of a history whose answer is echoed. */
async function echoed(spoken: Dialect, answer: JsonObject, first: JsonObject, next: JsonObject): Promise<ThreadMatch> {
  const ledger = await openLedger("memory:");
  const { messages } = spoken.decodeRequest(first);
  const said = answerMessage(spoken.decodeResponse(answer), "p");
  await ledger.record({ thread: {}, input: { messages, parentMessageId: null }, messages: [said] });
  const found = await ledger.recognise(spoken.decodeRequest(next).messages);
  await ledger.close();
  return found;
}

const TOKENS = { content: [{ token: "hi", logprob: -0.1, bytes: [104, 105], top_logprobs: [] }], refusal: null };

function chatAnswer(message: JsonObject, logprobs: JsonObject | null = null): JsonObject {
  const choices = [{ index: 0, message, logprobs, finish_reason: "stop" }];
  return { id: "c", object: "chat.completion", created: 1, model: "m", choices };
}

describe("openai-chat", () => {
  const chat = dialect("openai-chat");
  const asked = { role: "user", content: "a" };
  const next = { role: "user", content: "c" };
  const given = { role: "assistant", content: "hi", refusal: null, annotations: [] };

  test.each([
    ["all of it", given],
    ["some of its empty fields", { role: "assistant", content: "hi", refusal: null }],
    ["its words alone", { role: "assistant", content: "hi" }],
  ])("an answer of which the client echoes %s is not restored", async (_, echo) => {
    const first = { model: "m", messages: [asked] };
    const found = await echoed(chat, chatAnswer(given), first, { model: "m", messages: [asked, echo, next] });
    expect([found.known, found.restored]).toEqual([2, false]);
  });

  test("probabilities stay with the answer", async () => {
    const first = { model: "m", messages: [asked] };
    const messages = [asked, { role: "assistant", content: "hi" }, next];
    const found = await echoed(chat, chatAnswer(given, TOKENS), first, { model: "m", messages });
    expect([found.known, found.restored]).toEqual([2, false]);
    expect(JSON.stringify(found.messages)).not.toContain("logprob");
  });

  test("a field that says something is restored", async () => {
    const annotations = [
      { type: "url_citation", url_citation: { url: "https://x.test", title: "X", start_index: 0, end_index: 2 } },
    ];
    const first = { model: "m", messages: [asked] };
    const messages = [asked, { role: "assistant", content: "hi" }, next];
    const found = await echoed(chat, chatAnswer({ ...given, annotations }), first, { model: "m", messages });
    expect([found.known, found.restored]).toEqual([2, true]);
  });
});

test("gemini: calls without ids have the ids that were made up for them, and are not restored for it", async () => {
  const asked = { role: "user", parts: [{ text: "a" }] };
  const content = { role: "model", parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "BBBB" }] };
  const result = { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "r" } } }] };
  const answer = { candidates: [{ content, finishReason: "STOP", index: 0 }], responseId: "r", modelVersion: "g" };
  const next = { contents: [asked, content, result] };
  const found = await echoed(dialect("gemini"), answer, { contents: [asked] }, next);
  expect([found.known, found.restored]).toEqual([2, false]);
});

test("a history is recognised within one thread, on whichever branch, where only that counts", async () => {
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
  expect((await ledger.recognise(talk, { threadId: one })).threadId).toBe(one);
  expect((await ledger.recognise(talk, { threadId: two })).threadId).toBe(two);
  expect((await ledger.recognise(talk, { threadId: three })).threadId).toBeNull();
  await ledger.close();
});

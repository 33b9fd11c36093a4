// `useChat` with Koine, checked by the AI SDK's own reader and chat: answers, branches, tools, failures.
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls, readUIMessageStream } from "ai";
import type { UIMessage } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../../src/model/index.ts";
import { getText as textsIn } from "../../../src/model/index.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import type { Api } from "../api/support.ts";
import { startApi } from "../api/support.ts";
import { CALL, DONE, loadedBy, Page, ScriptedModel, textOf, textDelta } from "./chat-page.ts";

let api: Api;
let url: string;
let count = 0;
const model = new ScriptedModel(() => []);
beforeAll(async () => {
  api = await startApi({ providers: { own: model }, tasks: { model: "own/m" } });
  url = api.koine.url;
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(() => {
  model.script = ({ messages }) => [textDelta(`You said: ${lastUserText(messages)}`), DONE];
});

const lastUserText = (messages: readonly Message[]): string => {
  const last = messages.findLast(({ role }) => role === "user");
  return last === undefined ? "" : textsIn(last);
};
const newChat = (): string => `chat-${++count}`;
const stored = async (id: string): Promise<string[]> =>
  (await api.koine.ledger.transcript(id)).map((message) => textsIn(message));
const userMessage = (text: string, id = "u"): UIMessage => ({ id, role: "user", parts: [{ type: "text", text }] });

test("the transport of the AI SDK reads the stream into a valid message", async () => {
  const transport = new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat` });
  const stream = await transport.sendMessages({
    trigger: "submit-message",
    chatId: newChat(),
    messageId: undefined,
    messages: [userMessage("Hello.")],
    abortSignal: undefined,
  });
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  expect(last).toMatchObject({ role: "assistant", metadata: { model: "m", provider: "own" } });
  expect(textOf(last ?? userMessage(""))).toBe("You said: Hello.");
});

test("a chat is a thread of the same id: each message is stored once, and the thread gets a title", async () => {
  const id = newChat();
  const page = new Page(url, id);
  await page.sendMessage({ text: "One." });
  await page.sendMessage({ text: "Two." });
  expect(page.status).toBe("ready");
  expect(page.texts).toEqual(["One.", "You said: One.", "Two.", "You said: Two."]);
  expect(await stored(id)).toEqual(page.texts);
  expect((await api.koine.ledger.tree(id)).messages).toHaveLength(4);
  expect((await api.koine.ledger.thread(id)).title).toBe("One.");
});

test("a reloaded page has the same messages with the same ids", async () => {
  const id = newChat();
  const page = new Page(url, id);
  await page.sendMessage({ text: "One." });
  const loaded = await loadedBy(api, id);
  const shape = (messages: UIMessage[]): unknown =>
    messages.map((message) => [message.id, message.role, textOf(message)]);
  expect(shape(loaded)).toEqual(shape(page.messages));
  const reloaded = new Page(url, id, { messages: loaded });
  await reloaded.sendMessage({ text: "Two." });
  expect(await stored(id)).toEqual(reloaded.texts);
  expect(reloaded.texts).toHaveLength(4);
});

test("regenerate adds a second answer beside the first, also in the middle of a chat", async () => {
  const id = newChat();
  const page = new Page(url, id);
  let n = 0;
  model.script = () => [textDelta(`Answer ${++n}.`), DONE];
  await page.sendMessage({ text: "One." });
  await page.regenerate();
  expect(page.texts).toEqual(["One.", "Answer 2."]);
  await page.sendMessage({ text: "Two." });
  const [, first] = page.messages;
  await page.regenerate({ messageId: first?.id ?? "" });
  expect(page.texts).toEqual(["One.", "Answer 4."]);
  expect(await stored(id)).toEqual(["One.", "Answer 4."]);
  expect((await api.koine.ledger.tree(id)).messages.map(textsIn)).toEqual([
    "One.",
    "Answer 1.",
    "Answer 2.",
    "Two.",
    "Answer 3.",
    "Answer 4.",
  ]);
});

test("an edited message is a branch", async () => {
  const id = newChat();
  const page = new Page(url, id);
  await page.sendMessage({ text: "Teh." });
  await page.sendMessage({ text: "Two." });
  const [first] = page.messages;
  await page.sendMessage({ text: "The.", messageId: first?.id ?? "" });
  expect(page.texts).toEqual(["The.", "You said: The."]);
  expect(await stored(id)).toEqual(page.texts);
  expect((await api.koine.ledger.tree(id)).messages).toHaveLength(6);
});

test("after a tool of the page, the answer continues in the same message", async () => {
  const id = newChat();
  model.script = ({ messages }) =>
    messages.at(-1)?.role === "tool" ? [textDelta("It is sunny."), DONE] : [textDelta("Let me see. "), ...CALL];
  const page: Page = new Page(url, id, {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall }) => {
      void page.addToolOutput({ tool: "weather", toolCallId: toolCall.toolCallId, output: { sky: "clear" } });
    },
  });
  await page.sendMessage({ text: "The weather?" });
  await expect.poll(() => page.texts.at(-1)).toBe("Let me see. It is sunny.");
  await expect.poll(() => page.status).toBe("ready");
  expect(page.messages).toHaveLength(2);
  const roles = (await api.koine.ledger.transcript(id)).map(({ role }) => role);
  expect(roles).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({
    parts: [{ type: "tool-result", toolCallId: "call_1", output: { sky: "clear" } }],
  });
});

test("extra fields of the application reach the model; the model of the last call is the default", async () => {
  const id = newChat();
  const settings = { sampling: { temperature: 0.25 } };
  const page = new Page(url, id, { body: { system: "Be brief.", settings, model: "own/m", sessionId: "theirs" } });
  await page.sendMessage({ text: "One." });
  expect(model.requests.at(-1)).toMatchObject({
    model: "m",
    sampling: { temperature: 0.25 },
    messages: [{ role: "system", parts: [{ text: "Be brief." }] }, { role: "user" }],
  });
});

describe("failures", () => {
  test("a model that fails at once is an error with its status; the question can be repeated", async () => {
    const id = newChat();
    const page = new Page(url, id);
    model.script = () => [{ kind: "error", payload: { errorCode: "invalid-request", message: "No." } }];
    await page.sendMessage({ text: "One." });
    expect(page.status).toBe("error");
    expect(page.error?.message).toContain("No.");
    model.script = () => [textDelta("Yes."), DONE];
    await page.regenerate();
    expect(page.texts).toEqual(["One.", "Yes."]);
    expect(await stored(id)).toEqual(["One.", "Yes."]);
  });

  test("B86: a model that fails midway is an error in the stream, and the partial answer is stored beside the path", async () => {
    const id = newChat();
    const page = new Page(url, id);
    model.script = () => [
      textDelta("Half an "),
      { kind: "error", payload: { errorCode: "server", message: "Broken." } },
    ];
    await page.sendMessage({ text: "One." });
    expect(page.status).toBe("error");
    expect(page.error?.message).toContain("Broken.");
    const { messages } = await api.koine.ledger.tree(id);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", metadata: { interrupted: true } });
    model.script = () => [textDelta("Whole."), DONE];
    await page.regenerate();
    expect(await stored(id)).toEqual(["One.", "Whole."]);
  });

  test.each([
    ["no id", { messages: [userMessage("x")] }, 400, "id"],
    ["no messages", { id: "c", messages: [] }, 400, "/messages"],
    ["invalid messages", { id: "c", messages: [{ role: "user" }] }, 400, "/messages/0/parts"],
    ["an unknown model", { id: "c", messages: [userMessage("x")], model: "nobody/x" }, 404, "own/m"],
    ["invalid settings", { id: "c", messages: [userMessage("x")], settings: { heat: 1 } }, 400, "/settings/heat"],
  ])("%s is an error", async (_, body, status, message) => {
    const answer = await api.post("/v1/chat", body);
    expect(answer.status, answer.text).toBe(status);
    expect(`${answer.body.error.path} ${answer.body.error.message}`).toContain(message);
  });

  test("a missing chat is an error", async () => {
    expect((await api.get("/v1/chat/nobody")).status).toBe(404);
  });
});

test("nothing is recorded if the request disables it", async () => {
  const id = newChat();
  const answer = await api.post("/v1/chat", { id, messages: [userMessage("Secret.")] }, { "x-koine-record": "off" });
  expect(answer.text).toContain("You said: Secret.");
  expect(answer.headers.get("x-koine-thread")).toBe(null);
  expect((await api.get(`/v1/threads/${id}`)).status).toBe(404);
});

test("B11: a page sends no signatures back, yet a strict provider accepts the tool's result", async () => {
  await using upstream = await startUpstream("anthropic", [
    {
      parts: [
        { type: "reasoning", text: "I need the weather." },
        { type: "tool-call", toolCallId: "", toolName: "weather", input: { city: "Corinth" } },
      ],
    },
    "It is sunny.",
  ]);
  await using other = await startApi({ providers: { claude: upstream.config } });
  const tools = [{ type: "function", name: "weather", inputSchema: { type: "object" } }];
  const page: Page = new Page(other.koine.url, newChat(), {
    body: {
      model: `claude/${upstream.model}`,
      settings: { tools, reasoning: { budget: 1024 }, sampling: { maxOutputTokens: 2048 } },
    },
    sends: plain,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall }) => {
      void page.addToolOutput({ tool: "weather", toolCallId: toolCall.toolCallId, output: "clear" });
    },
  });
  await page.sendMessage({ text: "The weather?" });
  await expect.poll(() => page.texts.at(-1)).toBe("It is sunny.");
  expect(upstream.rejections).toEqual([]);
  expect(upstream.seals.length).toBeGreaterThan(0);
});

/** Returns a message with text and tools only. */
function plain(message: UIMessage): UIMessage {
  const parts = message.parts.filter(({ type }) => type !== "reasoning");
  const json = JSON.stringify({ id: message.id, role: message.role, parts }, (key, value) =>
    key.endsWith("roviderMetadata") ? undefined : value,
  );
  return JSON.parse(json) as UIMessage;
}

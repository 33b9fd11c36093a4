// A page that was closed during an answer: the run continues, and the page resumes the stream.
import { lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import type { UIMessage } from "ai";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { LedgerError, openLedger } from "../../../src/ledger/index.ts";
import { StoreLedger } from "../../../src/ledger/ledger.ts";
import { getText as textsIn } from "../../../src/model/index.ts";
import type { Api } from "../api/support.ts";
import { startApi } from "../api/support.ts";
import { CALL, DONE, loadedBy, Page, ScriptedModel, textOf, textDelta } from "./chat-page.ts";

const model = new ScriptedModel(() => []);
let api: Api;
let url: string;
beforeAll(async () => {
  api = await startApi({ providers: { own: model }, tasks: { model: "own/m" }, ledger: { flushMs: 1 } });
  url = api.koine.url;
});
afterAll(() => api[Symbol.asyncDispose]());

/** Returns the function that continues a paused answer. */
function pauseAnswer(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script = () => [textDelta("One "), promise, textDelta("two."), DONE];
  return resolve;
}

test("without a live run, there is nothing to resume", async () => {
  expect((await api.get("/v1/chat/never-seen/stream")).status).toBe(204);
  model.script = () => [textDelta("Whole."), DONE];
  const page = new Page(url, "whole");
  await page.sendMessage({ text: "Hello." });
  await page.resumeStream();
  expect(page.texts).toEqual(["Hello.", "Whole."]);
});

test("B89: a page that is closed does not end its answer; another one resumes it from the start", async () => {
  const goOn = pauseAnswer();
  const page = new Page(url, "left");
  const sent = page.sendMessage({ text: "Hello." });
  await expect.poll(() => page.texts.at(-1)).toBe("One ");
  const { id } = page.lastMessage ?? {};
  await page.stop();
  await sent;
  const messages = await loadedBy(api, "left");
  const again = new Page(url, "left", { messages });
  const resumed = again.resumeStream();
  await expect.poll(() => again.texts).toEqual(["Hello.", "One "]);
  goOn();
  await resumed;
  expect(again.texts).toEqual(["Hello.", "One two."]);
  expect(again.lastMessage?.id).toBe(id);
  expect((await api.koine.ledger.transcript("left")).map(textsIn)).toEqual(again.texts);
  expect((await api.get("/v1/chat/left/stream")).status).toBe(204);
});

test("an answer after a tool is resumed with its earlier steps, as one message", async () => {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  model.script = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? [textDelta("It is "), promise, textDelta("sunny."), DONE]
      : [textDelta("Let me see. "), ...CALL];
  const page: Page = new Page(url, "steps", {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall }) => {
      void page.addToolOutput({ tool: "weather", toolCallId: toolCall.toolCallId, output: { sky: "clear" } });
    },
  });
  const sent = page.sendMessage({ text: "The weather?" });
  await expect.poll(() => page.texts.at(-1)).toBe("Let me see. It is ");
  const messages = await loadedBy(api, "steps");
  const again = new Page(url, "steps", { messages });
  const resumed = again.resumeStream();
  await expect.poll(() => again.texts.at(-1)).toBe("Let me see. It is ");
  goOn();
  await Promise.all([sent, resumed]);
  const shown = (messages: UIMessage[]): unknown[] =>
    messages.map((message) => [message.id, textOf(message), message.parts.map(({ type }) => type)]);
  expect(shown(again.messages)).toEqual(shown(page.messages));
});

test("another instance on the same ledger can resume the stream", async () => {
  const ledger = await openLedger("memory:", { flushMs: 1 });
  const config = { providers: { own: model }, tasks: { model: "own/m" } };
  await using one = await startApi(config, { ledger });
  await using two = await startApi(config, { ledger });
  const goOn = pauseAnswer();
  const page = new Page(one.koine.url, "shared");
  const sent = page.sendMessage({ text: "Hello." });
  await expect.poll(() => page.texts.at(-1)).toBe("One ");
  // A stream is written shortly after its start.
  await expect.poll(() => ledger.runs("shared").catch(() => [])).toHaveLength(1);
  const elsewhere = new Page(two.koine.url, "shared", { messages: page.messages.slice(0, 1) });
  const resumed = elsewhere.resumeStream();
  await expect.poll(() => elsewhere.texts.at(-1)).toBe("One ");
  goOn();
  await Promise.all([sent, resumed]);
  expect(elsewhere.texts).toEqual(page.texts);
});

test("a run that is cancelled during a resume ends with an error, not as a complete answer", async () => {
  pauseAnswer();
  const page = new Page(url, "cancelled");
  const sent = page.sendMessage({ text: "Hello." });
  await expect.poll(() => page.texts.at(-1)).toBe("One ");
  const again = new Page(url, "cancelled", { messages: page.messages.slice(0, 1) });
  const resumed = again.resumeStream();
  await expect.poll(() => again.texts.at(-1)).toBe("One ");
  const [run] = await api.koine.ledger.runs("cancelled");
  expect((await api.post(`/v1/runs/${run?.id}/cancel`)).status).toBe(200);
  await Promise.all([sent, resumed]);
  expect([page.status, again.status]).toEqual(["error", "error"]);
});

test("B89: an unrecorded answer ends with its page", async () => {
  pauseAnswer();
  const leaving = new AbortController();
  const body = JSON.stringify({
    id: "unrecorded",
    messages: [{ id: "u", role: "user", parts: [{ type: "text", text: "x" }] }],
  });
  const headers = { "content-type": "application/json", "x-koine-record": "off" };
  const reply = await fetch(`${url}/v1/chat`, { method: "POST", body, headers, signal: leaving.signal });
  const reader = reply.body?.getReader();
  await reader?.read();
  leaving.abort();
  await reader?.read().catch(() => undefined);
  await expect.poll(() => model.signals.at(-1)?.aborted).toBe(true);
});

test("B89: a page that is closed before its answer starts does not end it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script = () => [promise, textDelta("Late."), DONE];
  const before = model.requests.length;
  const leave = new AbortController();
  const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text: "Hello." }] }];
  const body = JSON.stringify({ id: "early", messages });
  const pending = fetch(`${url}/v1/chat`, { method: "POST", body, signal: leave.signal });
  await expect.poll(() => model.requests.length).toBe(before + 1);
  leave.abort();
  await expect(pending).rejects.toThrow();
  // The server notices the disconnect shortly after.
  await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200);
  resolve();
  const states = async (): Promise<string[]> =>
    (await api.koine.ledger.runs("early").catch(() => [])).map(({ state }) => state);
  await expect.poll(states).toEqual(["committed"]);
  expect((await api.koine.ledger.transcript("early")).map(textsIn)).toEqual(["Hello.", "Late."]);
});

test("the last model of a chat is read from its last run, and a read error is reported", async () => {
  model.script = () => [textDelta("Whole."), DONE];
  const page = new Page(url, "named", { body: { model: "own/m" } });
  await page.sendMessage({ text: "Hello." });
  const runs = vi.spyOn(StoreLedger.prototype, "runs");
  const again = new Page(url, "named", { messages: await loadedBy(api, "named") });
  await again.sendMessage({ text: "Again." });
  expect(runs.mock.calls.filter(([id]) => id === "named")).toEqual([["named", { last: 1 }]]);
  runs.mockRejectedValueOnce(new LedgerError("busy", "It is busy."));
  const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text: "Hello." }] }];
  expect((await api.post("/v1/chat", { id: "named", messages })).status).toBe(503);
  runs.mockRestore();
});

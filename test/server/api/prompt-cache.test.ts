// The report of the prompt cache on a run: a real server with a SQLite file, and a simulated provider.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CacheReport } from "../../../src/server/record/prompt-cache/cache-report.ts";
import type { Upstream } from "../../support/upstreams/index.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import type { Api } from "./support.ts";
import { startApi, threadOf, userMessage } from "./support.ts";

let api: Api;
let upstream: Upstream;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "koine-cache-"));
  const usage = { inputTokens: 100, outputTokens: 5, totalTokens: 105, cacheReadTokens: 60, cacheWriteTokens: 30 };
  upstream = await startUpstream("anthropic", ({ turn }) => ({
    parts: [{ type: "text", text: `Answer ${turn}.` }],
    usage,
  }));
  api = await startApi({ ledger: `sqlite:${join(folder, "koine.db")}`, providers: { up: upstream.config } });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

type ChatMessage = { role: string; content: string };
const tool = (name: string): object => ({ type: "function", function: { name, parameters: { type: "object" } } });

/** Calls the model over Chat Completions. Returns the run id, the thread id, and the history with the answer. */
async function callModel(
  messages: readonly ChatMessage[],
  fields: object = {},
): Promise<{ runId: string; threadId: string; history: ChatMessage[] }> {
  const body = { model: `up/${upstream.model}`, messages, ...fields };
  const { status, headers, text } = await api.post("/v1/chat/completions", body);
  expect(status, text).toBe(200);
  // The cast is safe: the reply is a chat completion with one choice.
  const { choices } = JSON.parse(text) as { choices: [{ message: ChatMessage }] };
  const { role, content } = choices[0].message;
  return {
    runId: headers.get("x-koine-run") ?? "",
    threadId: headers.get("x-koine-thread") ?? "",
    history: [...messages, { role, content }],
  };
}

async function readCache(runId: string): Promise<CacheReport> {
  const { status, body } = await api.get(`/v1/runs/${runId}?cache=true`);
  expect(status).toBe(200);
  // The cast is safe: the reply was validated against the OpenAPI document.
  return (body as unknown as { cache: CacheReport }).cache;
}

const SYSTEM = { role: "system", content: "Be brief." };
const asking = (content: string): ChatMessage => ({ role: "user", content });
const TOKENS = { readTokens: 60, writeTokens: 30 };

test("a loop that only appends has no difference from its previous request", async () => {
  const first = await callModel([SYSTEM, asking("Where is Corinth?")], { tools: [tool("find")] });
  expect(await readCache(first.runId)).toStrictEqual({ ...TOKENS, firstDifference: null });
  let previousRunId = first.runId;
  let { history } = first;
  for (const question of ["And Argos?", "And Sparta?"]) {
    const next = await callModel([...history, asking(question)], {
      tools: [tool("find")],
      max_tokens: 99,
      stream: false,
    });
    expect(next.threadId).toBe(first.threadId);
    expect(await readCache(next.runId)).toStrictEqual({ ...TOKENS, previousRunId, firstDifference: null });
    previousRunId = next.runId;
    ({ history } = next);
  }
});

test("another system prompt is the first difference", async () => {
  const first = await callModel([SYSTEM, asking("Where is Delphi?")]);
  const [, ...rest] = first.history;
  const second = await callModel([{ ...SYSTEM, content: "Be long." }, ...rest, asking("And Thebes?")]);
  expect(second.threadId).toBe(first.threadId);
  const { firstDifference, previousRunId } = await readCache(second.runId);
  expect(previousRunId).toBe(first.runId);
  expect(firstDifference).toMatchObject({ kind: "system" });
  expect(firstDifference?.path).toMatch(/^\/system/);
  expect(firstDifference?.previous).toContain("Be brief.");
  expect(firstDifference?.current).toContain("Be long.");
});

test("an added tool is the first difference", async () => {
  const first = await callModel([SYSTEM, asking("Where is Mycenae?")], { tools: [tool("find")] });
  const second = await callModel([...first.history, asking("Sail.")], { tools: [tool("find"), tool("sail")] });
  const { firstDifference, previousRunId } = await readCache(second.runId);
  expect(previousRunId).toBe(first.runId);
  expect(firstDifference).toMatchObject({ path: "/tools/1", kind: "tools" });
  expect(firstDifference?.current).toContain("sail");
  expect(firstDifference).not.toHaveProperty("previous");
});

test("a changed history is compared with the last request of the thread", async () => {
  const first = await callModel([SYSTEM, asking("Where is Pylos?")]);
  const second = await callModel([...first.history, asking("And Ithaca?")]);
  const third = await callModel([...second.history, asking("And Troy?")]);
  // The client removes the second question and its answer, and shortens the third question.
  const shortened = [...first.history, asking("And I?"), ...third.history.slice(4)];
  const fourth = await callModel([...shortened, asking("Why?")]);
  expect(fourth.threadId).toBe(first.threadId);
  expect(await readCache(fourth.runId)).toMatchObject({
    previousRunId: third.runId,
    firstDifference: { kind: "messages", path: expect.stringMatching(/^\/messages\/2\//) },
  });
});

test("without a previous request, a recorded request or the query field, nothing is compared", async () => {
  const { id } = await threadOf(api, userMessage("One."));
  const { run } = await api.koine.ledger.record({ threadId: id, messages: [] });
  expect(await readCache(run.id)).toStrictEqual({ firstDifference: null });
  expect((await api.get(`/v1/runs/${run.id}`)).body).not.toHaveProperty("cache");
  expect((await api.get(`/v1/runs/${run.id}?cache=yes`)).status).toBe(400);
});

test("a previous request that is gone causes no error", async () => {
  const { ledger } = api.koine;
  const first = await callModel([SYSTEM, asking("Where is Chios?")]);
  const metadata = (await ledger.run(first.runId)).metadata ?? {};
  const lost = { ...metadata, same: { tools: { hash: "h", run: "run-that-is-gone" } } };
  const [{ id: leaf } = { id: "" }] = (await ledger.transcript(first.threadId)).slice(-1);
  const input = { messages: [userMessage("And Samos?")], parentMessageId: leaf };
  await ledger.record({ threadId: first.threadId, input, messages: [], metadata: lost });
  const path = await ledger.transcript(first.threadId);
  const next = await callModel([...first.history, asking("And Samos?"), asking("Hurry.")]);
  expect(path).toHaveLength(4);
  expect(next.threadId).toBe(first.threadId);
  expect(await readCache(next.runId)).toStrictEqual({ ...TOKENS, firstDifference: null });
});

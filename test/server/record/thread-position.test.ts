// Positions of calls in threads: known and new messages, branches, and scopes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import { assistant, developer, system, user } from "../../../src/model/index.ts";
import type { Message, Tool } from "../../../src/model/index.ts";
import { readStoredRequest } from "../../../src/server/record/index.ts";
import { answer, BROKEN, OUTCOME, lineOf, openRecorder, pathOf, conversation } from "./support.ts";

const SEALED: Message = assistant([
  { type: "reasoning", text: "", seals: [{ dialect: "anthropic", provider: "p", kind: "signature", value: "s3al" }] },
  { type: "text", text: "Sunny." },
]);

const folder = mkdtempSync(join(tmpdir(), "koine-record-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(["memory:", `sqlite:${join(folder, "koine.db")}`])("a recorded conversation on %s", (url) => {
  it("B11: continues where it is known, and dropped data is restored", async () => {
    await using harness = await openRecorder({ ledger: await openLedger(url, { flushMs: 1 }) });
    const first = await harness.recordCall(conversation("Weather?"), answer(SEALED));
    expect(first.isHistoryChanged).toBe(false);
    const second = await harness.open(conversation("Weather?", "Sunny.", "And tomorrow?"));
    expect(second.threadId).toBe(first.threadId);
    expect(second.isHistoryChanged).toBe(true);
    expect(second.messages[1]?.parts).toEqual(SEALED.parts);
    await second.finish({ ...OUTCOME, response: answer("Rain.") });
    expect(await pathOf(harness, first.threadId)).toEqual([
      "user: Weather?",
      "assistant: |Sunny.",
      "user: And tomorrow?",
      "assistant: Rain.",
    ]);
    const thread = await harness.ledger.thread(first.threadId);
    expect(thread).toMatchObject({ title: "Weather?", scope: "ann" });
    await harness.ledger.close();
  });
});

describe("the position of a call", () => {
  it("an edit in the middle becomes a branch, and the first branch stays", async () => {
    await using harness = await openRecorder();
    const { threadId } = await harness.recordCall(conversation("a", "b", "c"), "d");
    const edited = await harness.recordCall(conversation("a", "b", "C!"), "D!");
    expect(edited.threadId).toBe(threadId);
    expect(await pathOf(harness, threadId)).toEqual(["user: a", "assistant: b", "user: C!", "assistant: D!"]);
    // The first history continues its own branch.
    const back = await harness.recordCall(conversation("a", "b", "c", "d", "e"), "f");
    expect(back.threadId).toBe(threadId);
    expect((await pathOf(harness, threadId)).slice(2)).toEqual(["user: c", "assistant: d", "user: e", "assistant: f"]);
    expect((await harness.ledger.tree(threadId)).messages).toHaveLength(8);
  });

  it("B93: a repeated history adds another answer beside the first, which is superseded", async () => {
    await using harness = await openRecorder();
    const { threadId } = await harness.recordCall(conversation("a"), "b");
    const one = await harness.recordCall(conversation("a", "b", "c"), "one");
    const two = await harness.recordCall(conversation("a", "b", "c"), "two");
    expect(two.threadId).toBe(threadId);
    const { messages } = await harness.ledger.tree(threadId);
    expect(messages.map(lineOf)).toEqual(["user: a", "assistant: b", "user: c", "assistant: one", "assistant: two"]);
    expect(messages[3]?.parentMessageId).toBe(messages[4]?.parentMessageId);
    expect((await harness.ledger.run(one.runId)).state).toBe("superseded");
    expect((await pathOf(harness, threadId)).at(-1)).toBe("assistant: two");
  });

  it("two concurrent questions to the same answer become two branches, and nothing is lost", async () => {
    await using harness = await openRecorder();
    const { threadId } = await harness.recordCall(conversation("a"), "b");
    await Promise.all(["x", "y", "z"].map((texts) => harness.recordCall(conversation("a", "b", texts), `${texts}!`)));
    const lines = (await harness.ledger.tree(threadId)).messages.map(lineOf);
    expect(lines).toHaveLength(8);
    expect(lines).toEqual(expect.arrayContaining(["assistant: x!", "assistant: y!", "assistant: z!"]));
  });

  it.each([
    ["another user of the tenant", { scope: "bob" }],
    ["another tenant", { scope: "ann", tenant: "other" }],
  ])("%s with equal texts gets a separate thread, without seals of others", async (_, who) => {
    await using ann = await openRecorder();
    await using other = await openRecorder({ ledger: ann.ledger, ...who });
    const { threadId } = await ann.recordCall(conversation("Weather?"), answer(SEALED));
    const theirs = await other.open(conversation("Weather?", "Sunny.", "More?"));
    expect(theirs.threadId).not.toBe(threadId);
    expect(theirs.isHistoryChanged).toBe(false);
    expect(JSON.stringify(theirs.messages)).not.toContain("s3al");
    await theirs.fail(BROKEN, OUTCOME);
    expect(await pathOf(ann, threadId)).toHaveLength(2);
  });

  it("a failed first question continues in its thread when it is repeated", async () => {
    await using harness = await openRecorder();
    const failed = await harness.open(conversation("Hello?"));
    await failed.fail(BROKEN, OUTCOME);
    expect(await harness.ledger.run(failed.runId)).toMatchObject({ state: "failed", error: BROKEN });
    const again = await harness.recordCall(conversation("Hello?"), "Hi.");
    expect(again.threadId).toBe(failed.threadId);
    expect(await pathOf(harness, again.threadId)).toEqual(["user: Hello?", "assistant: Hi."]);
    const third = await harness.recordCall(conversation("Hello?"), "Hi.");
    expect(third.threadId).not.toBe(failed.threadId);
  });
});

describe("a thread that the client names", () => {
  it("is created with that id and the whole history", async () => {
    await using harness = await openRecorder();
    const { threadId } = await harness.recordCall(conversation("a", "b", "c"), "d", { thread: "mine" });
    expect(threadId).toBe("mine");
    expect(await pathOf(harness, "mine")).toEqual(["user: a", "assistant: b", "user: c", "assistant: d"]);
  });

  it("is continued, even if another thread has the same conversation, and with its own seals", async () => {
    await using harness = await openRecorder();
    await harness.recordCall(conversation("Weather?"), answer(SEALED), { thread: "one" });
    await harness.recordCall(conversation("Weather?"), answer("Sunny."), { thread: "two" });
    for (const thread of ["one", "two"]) {
      const next = await harness.open(conversation("Weather?", "Sunny.", `Again, ${thread}?`), { thread });
      expect(next.threadId).toBe(thread);
      expect(JSON.stringify(next.messages).includes("s3al")).toBe(thread === "one");
      await next.finish({ ...OUTCOME, response: answer("Yes.") });
      expect(await pathOf(harness, thread)).toHaveLength(4);
    }
  });

  it.each([
    ["on a branch that is not active, and newer elsewhere", "one"],
    ["elsewhere alone", "two"],
  ])("is continued with a history from %s, with all seals", async (_, thread) => {
    await using harness = await openRecorder();
    await harness.recordCall(conversation("Weather?"), answer(SEALED), { thread: "one" });
    await harness.recordCall(conversation("Something else"), "Yes.", { thread: "one" });
    await harness.recordCall(conversation("Mine"), "Yes.", { thread: "two" });
    if (thread === "one") await harness.recordCall(conversation("Weather?"), "Sunny.");
    const next = await harness.open(conversation("Weather?", "Sunny.", "More?"), { thread });
    expect([next.threadId, next.isHistoryChanged]).toEqual([thread, true]);
    expect(JSON.stringify(next.messages)).toContain("s3al");
    await next.finish({ ...OUTCOME, response: answer("Yes.") });
    expect(await pathOf(harness, thread)).toHaveLength(4);
    // A continued branch is not written again.
    expect((await harness.ledger.tree(thread)).messages).toHaveLength(6);
  });

  it("is created again if it was deleted", async () => {
    await using harness = await openRecorder();
    await harness.recordCall(conversation("a"), "b", { thread: "t" });
    await harness.recordCall(conversation("c"), "d", { thread: "t" });
    await harness.ledger.purge({ what: "thread", threadId: "t" });
    await harness.recordCall(conversation("e"), "f", { thread: "t" });
    expect(await pathOf(harness, "t")).toEqual(["user: e", "assistant: f"]);
  });

  it("gets another branch from the root if the history is not in it", async () => {
    await using harness = await openRecorder();
    await harness.recordCall(conversation("a"), "b", { thread: "t" });
    await harness.recordCall(conversation("other"), "answer", { thread: "t" });
    expect(await pathOf(harness, "t")).toEqual(["user: other", "assistant: answer"]);
    expect((await harness.ledger.tree("t")).messages).toHaveLength(4);
  });

  it("is answered after the message of `after`", async () => {
    await using harness = await openRecorder();
    await harness.recordCall(conversation("a"), "b", { thread: "t" });
    const [question] = await harness.ledger.transcript("t");
    const again = await harness.recordCall(conversation("a"), "B", { thread: "t", after: question?.id });
    expect(again.threadId).toBe("t");
    expect(await pathOf(harness, "t")).toEqual(["user: a", "assistant: B"]);
  });
});

describe("a task's thread", () => {
  it("is closed to calls: an equal history gets its own thread, and naming it is a conflict", async () => {
    await using harness = await openRecorder();
    const { id } = await harness.ledger.createThread({ kind: "task", scope: "ann" });
    await harness.ledger.append(id, conversation("Hello", "Hi."));
    const { threadId } = await harness.recordCall(conversation("Hello", "Hi.", "More"), "Yes.");
    expect(threadId).not.toBe(id);
    expect(await pathOf(harness, threadId)).toHaveLength(4);
    const again = await harness.recordCall(conversation("Hello", "Hi.", "More", "Yes.", "And?"), "No.");
    expect(again.threadId).toBe(threadId);
    expect(await pathOf(harness, id)).toHaveLength(2);
    for (const history of [conversation("Hello", "Hi.", "More"), conversation("Other")]) {
      await expect(harness.open(history, { thread: id })).rejects.toMatchObject({ code: "conflict" });
    }
  });
});

describe("the request fields of a run", () => {
  const tools: Tool[] = [
    { type: "function", name: "look", description: "x".repeat(400), inputSchema: { type: "object" } },
  ];
  const first = [system("Be kind."), ...conversation("a")];

  it("are enough to repeat the request exactly; long fields are stored once per path", async () => {
    await using harness = await openRecorder();
    const settings = { tools, sampling: { temperature: 0.5 }, extra: { "openai-chat": { user: "u" } } };
    const one = await harness.recordCall(first, "b", { request: { messages: first, model: "fast", ...settings } });
    const next = [system("Be kind."), ...conversation("a", "b", "c")];
    const two = await harness.recordCall(next, "d", { request: { messages: next, model: "fast", ...settings } });
    const runs = await Promise.all([one, two].map(({ runId }) => harness.ledger.run(runId)));
    expect(JSON.stringify(runs[0]).includes("xxxx")).toBe(true);
    expect(JSON.stringify(runs[1]).includes("xxxx")).toBe(false);
    for (const [index, messages] of [first, next].entries()) {
      const run = runs[index];
      expect(run && (await readStoredRequest(harness.ledger, run))).toEqual({ model: "fast", ...settings, messages });
    }
  });

  it("contain a changed system prompt, and the thread stays one", async () => {
    await using harness = await openRecorder();
    const { threadId } = await harness.recordCall(first, "b");
    const histories = [
      [system("Be kind."), ...conversation("a", "b", "c")],
      [system("Be short."), developer("It is 9:00."), ...conversation("a", "b", "c", "d", "e")],
      conversation("a", "b", "c", "d", "e", "f", "g"),
      conversation("a", "b", "c", "d", "e", "f", "g", "h", "i"),
    ];
    const texts = ["d", "f", "h", "j"];
    for (const [index, messages] of histories.entries()) {
      const { runId, threadId: where } = await harness.recordCall(messages, texts[index] ?? "");
      expect(where).toBe(threadId);
      expect((await readStoredRequest(harness.ledger, await harness.ledger.run(runId)))?.messages).toEqual(messages);
    }
    expect((await pathOf(harness, threadId))[0]).toBe("system: Be kind.");
  });

  it("are known by another recorder, and not stored again", async () => {
    await using one = await openRecorder();
    await using two = await openRecorder({ ledger: one.ledger });
    const settings = { tools, model: "m" };
    await one.recordCall(first, "b", { request: { messages: first, ...settings } });
    const next = [system("Be kind."), ...conversation("a", "b", "c")];
    const { runId } = await two.recordCall(next, "d", { request: { messages: next, ...settings } });
    const run = await one.ledger.run(runId);
    expect(JSON.stringify(run)).not.toContain("xxxx");
    expect(await readStoredRequest(one.ledger, run)).toEqual({ messages: next, ...settings });
  });

  it("never contain a key: those of MCP servers are hidden", async () => {
    await using harness = await openRecorder();
    const secret = "s3cret-token-value";
    const server_url = `https://me:${secret}@x.test/mcp?key=${secret}&${secret}#${secret}`;
    const value = { type: "mcp", server_url, authorization: secret, headers: { "x-any": secret } };
    const schema = { type: "object", properties: { password: { type: "string" }, headers: { type: "object" } } };
    const messages = conversation("a");
    const { runId } = await harness.recordCall(messages, "b", {
      request: {
        messages,
        tools: [
          { type: "provider", dialect: "openai-responses", name: "mcp", value },
          { type: "function", name: "login", inputSchema: schema },
        ],
        extra: { anthropic: { mcp_servers: [{ url: "https://y.test", authorization_token: secret }] } },
      },
    });
    const run = await harness.ledger.run(runId);
    expect(JSON.stringify(run)).not.toContain(secret);
    const tools = (await readStoredRequest(harness.ledger, run))?.tools;
    const bare = "https://[hidden]@x.test/mcp?key=[hidden]&[hidden]#[hidden]";
    expect(tools).toMatchObject([{ value: { server_url: bare } }, { inputSchema: schema }]);
  });

  it("contain the target, all attempts, and the losses, worst first if there are too many", async () => {
    await using harness = await openRecorder();
    const loss = { path: "/x", action: "dropped", code: "c", message: "gone" } as const;
    const losses = [
      ...Array.from({ length: 80 }, () => ({ ...loss, level: "note" as const })),
      { ...loss, level: "breaks" as const },
    ];
    const attempt = { provider: "p", model: "m-1", startedAt: "2026-01-01T00:00:00.000Z", durationMs: 5, waitedMs: 0 };
    const recording = await harness.open([user("a")], { userAgent: "curl/8" });
    await recording.finish({
      provider: "p",
      model: "m-1",
      losses,
      attempts: [
        { ...attempt, losses, status: 503, error: BROKEN },
        { ...attempt, losses },
      ],
      response: answer("b"),
    });
    const { metadata } = await harness.ledger.run(recording.runId);
    expect(metadata).toMatchObject({
      dialect: "openai-chat",
      provider: "p",
      model: "m-1",
      userAgent: "curl/8",
      lossCount: 81,
    });
    expect(metadata?.["losses"]).toHaveLength(50);
    expect(metadata).toHaveProperty("losses.0.level", "breaks");
    expect(metadata?.["attempts"]).toEqual([
      { provider: "p", model: "m-1", startedAt: attempt.startedAt, durationMs: 5, status: 503, error: BROKEN },
      { provider: "p", model: "m-1", startedAt: attempt.startedAt, durationMs: 5 },
    ]);
  });
});

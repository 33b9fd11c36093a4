// Where calls belong: what is known, what is new, branches, and who may see what.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/index.ts";
import { assistant, developer, system, user } from "../../../src/model/index.ts";
import type { Message, Tool } from "../../../src/model/index.ts";
import { requestOf } from "../../../src/server/record/index.ts";
import { answer, BROKEN, FACTS, lineOf, openDesk, pathOf, talk } from "./support.ts";

const SEALED: Message = assistant([
  { type: "reasoning", text: "", seals: [{ dialect: "anthropic", provider: "p", kind: "signature", value: "s3al" }] },
  { type: "text", text: "Sunny." },
]);

const folder = mkdtempSync(join(tmpdir(), "koine-record-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(["memory:", `sqlite:${join(folder, "koine.db")}`])("a recorded conversation on %s", (url) => {
  it("B11: goes on where it is known, and what the client dropped comes back", async () => {
    await using desk = await openDesk({ ledger: await openLedger(url, { flushMs: 1 }) });
    const first = await desk.ask(talk("Weather?"), answer(SEALED));
    expect(first.changed).toBe(false);
    const second = await desk.open(talk("Weather?", "Sunny.", "And tomorrow?"));
    expect(second.threadId).toBe(first.threadId);
    expect(second.changed).toBe(true);
    expect(second.messages[1]?.parts).toEqual(SEALED.parts);
    await second.finish({ ...FACTS, response: answer("Rain.") });
    expect(await pathOf(desk, first.threadId)).toEqual([
      "user: Weather?",
      "assistant: |Sunny.",
      "user: And tomorrow?",
      "assistant: Rain.",
    ]);
    const thread = await desk.ledger.thread(first.threadId);
    expect(thread).toMatchObject({ title: "Weather?", scope: "ann" });
    await desk.ledger.close();
  });
});

describe("where a call belongs", () => {
  it("an edit in the middle becomes a branch, and the first one stays", async () => {
    await using desk = await openDesk();
    const { threadId } = await desk.ask(talk("a", "b", "c"), "d");
    const edited = await desk.ask(talk("a", "b", "C!"), "D!");
    expect(edited.threadId).toBe(threadId);
    expect(await pathOf(desk, threadId)).toEqual(["user: a", "assistant: b", "user: C!", "assistant: D!"]);
    // Whoever goes on with the first one is there again.
    const back = await desk.ask(talk("a", "b", "c", "d", "e"), "f");
    expect(back.threadId).toBe(threadId);
    expect((await pathOf(desk, threadId)).slice(2)).toEqual(["user: c", "assistant: d", "user: e", "assistant: f"]);
    expect((await desk.ledger.tree(threadId)).messages).toHaveLength(8);
  });

  it("B93: the same history again is another answer beside the first, which is superseded", async () => {
    await using desk = await openDesk();
    const { threadId } = await desk.ask(talk("a"), "b");
    const one = await desk.ask(talk("a", "b", "c"), "one");
    const two = await desk.ask(talk("a", "b", "c"), "two");
    expect(two.threadId).toBe(threadId);
    const { messages } = await desk.ledger.tree(threadId);
    expect(messages.map(lineOf)).toEqual(["user: a", "assistant: b", "user: c", "assistant: one", "assistant: two"]);
    expect(messages[3]?.parentMessageId).toBe(messages[4]?.parentMessageId);
    expect((await desk.ledger.run(one.runId)).state).toBe("superseded");
    expect((await pathOf(desk, threadId)).at(-1)).toBe("assistant: two");
  });

  it("two questions to the same answer at once become two branches, and nothing is lost", async () => {
    await using desk = await openDesk();
    const { threadId } = await desk.ask(talk("a"), "b");
    await Promise.all(["x", "y", "z"].map((said) => desk.ask(talk("a", "b", said), `${said}!`)));
    const lines = (await desk.ledger.tree(threadId)).messages.map(lineOf);
    expect(lines).toHaveLength(8);
    expect(lines).toEqual(expect.arrayContaining(["assistant: x!", "assistant: y!", "assistant: z!"]));
  });

  it.each([
    ["another user of the tenant", { scope: "bob" }],
    ["another tenant", { scope: "ann", tenant: "other" }],
  ])("%s with the same words gets a thread of their own, without anybody's seals", async (_, who) => {
    await using ann = await openDesk();
    await using other = await openDesk({ ledger: ann.ledger, ...who });
    const { threadId } = await ann.ask(talk("Weather?"), answer(SEALED));
    const theirs = await other.open(talk("Weather?", "Sunny.", "More?"));
    expect(theirs.threadId).not.toBe(threadId);
    expect(theirs.changed).toBe(false);
    expect(JSON.stringify(theirs.messages)).not.toContain("s3al");
    await theirs.fail(BROKEN, FACTS);
    expect(await pathOf(ann, threadId)).toHaveLength(2);
  });

  it("a first question that failed is gone on with in its thread when it is asked again", async () => {
    await using desk = await openDesk();
    const failed = await desk.open(talk("Hello?"));
    await failed.fail(BROKEN, FACTS);
    expect(await desk.ledger.run(failed.runId)).toMatchObject({ state: "failed", error: BROKEN });
    const again = await desk.ask(talk("Hello?"), "Hi.");
    expect(again.threadId).toBe(failed.threadId);
    expect(await pathOf(desk, again.threadId)).toEqual(["user: Hello?", "assistant: Hi."]);
    const third = await desk.ask(talk("Hello?"), "Hi.");
    expect(third.threadId).not.toBe(failed.threadId);
  });
});

describe("a thread that the client names", () => {
  it("is made under that id, with the whole history", async () => {
    await using desk = await openDesk();
    const { threadId } = await desk.ask(talk("a", "b", "c"), "d", { thread: "mine" });
    expect(threadId).toBe("mine");
    expect(await pathOf(desk, "mine")).toEqual(["user: a", "assistant: b", "user: c", "assistant: d"]);
  });

  it("is gone on with, also where another thread has the same conversation, and with its own seals", async () => {
    await using desk = await openDesk();
    await desk.ask(talk("Weather?"), answer(SEALED), { thread: "one" });
    await desk.ask(talk("Weather?"), answer("Sunny."), { thread: "two" });
    for (const thread of ["one", "two"]) {
      const next = await desk.open(talk("Weather?", "Sunny.", `Again, ${thread}?`), { thread });
      expect(next.threadId).toBe(thread);
      expect(JSON.stringify(next.messages).includes("s3al")).toBe(thread === "one");
      await next.finish({ ...FACTS, response: answer("Yes.") });
      expect(await pathOf(desk, thread)).toHaveLength(4);
    }
  });

  it.each([
    ["on a branch that is not active, and newer elsewhere", "one"],
    ["elsewhere alone", "two"],
  ])("is gone on with what was said %s, seals and all", async (_, thread) => {
    await using desk = await openDesk();
    await desk.ask(talk("Weather?"), answer(SEALED), { thread: "one" });
    await desk.ask(talk("Something else"), "Yes.", { thread: "one" });
    await desk.ask(talk("Mine"), "Yes.", { thread: "two" });
    if (thread === "one") await desk.ask(talk("Weather?"), "Sunny.");
    const next = await desk.open(talk("Weather?", "Sunny.", "More?"), { thread });
    expect([next.threadId, next.changed]).toEqual([thread, true]);
    expect(JSON.stringify(next.messages)).toContain("s3al");
    await next.finish({ ...FACTS, response: answer("Yes.") });
    expect(await pathOf(desk, thread)).toHaveLength(4);
    // A branch is gone on with, and not written again.
    expect((await desk.ledger.tree(thread)).messages).toHaveLength(6);
  });

  it("is made again where it was deleted", async () => {
    await using desk = await openDesk();
    await desk.ask(talk("a"), "b", { thread: "t" });
    await desk.ask(talk("c"), "d", { thread: "t" });
    await desk.ledger.purge({ what: "thread", threadId: "t" });
    await desk.ask(talk("e"), "f", { thread: "t" });
    expect(await pathOf(desk, "t")).toEqual(["user: e", "assistant: f"]);
  });

  it("gets another beginning where the history is not in it", async () => {
    await using desk = await openDesk();
    await desk.ask(talk("a"), "b", { thread: "t" });
    await desk.ask(talk("other"), "words", { thread: "t" });
    expect(await pathOf(desk, "t")).toEqual(["user: other", "assistant: words"]);
    expect((await desk.ledger.tree("t")).messages).toHaveLength(4);
  });

  it("is answered after the very message that `after` names", async () => {
    await using desk = await openDesk();
    await desk.ask(talk("a"), "b", { thread: "t" });
    const [question] = await desk.ledger.transcript("t");
    const again = await desk.ask(talk("a"), "B", { thread: "t", after: question?.id });
    expect(again.threadId).toBe("t");
    expect(await pathOf(desk, "t")).toEqual(["user: a", "assistant: B"]);
  });
});

describe("a task's thread", () => {
  it("is nobody else's: the same words are a conversation beside it, and naming it is a conflict", async () => {
    await using desk = await openDesk();
    const { id } = await desk.ledger.createThread({ kind: "task", scope: "ann" });
    await desk.ledger.append(id, talk("Hello", "Hi."));
    const { threadId } = await desk.ask(talk("Hello", "Hi.", "More"), "Yes.");
    expect(threadId).not.toBe(id);
    expect(await pathOf(desk, threadId)).toHaveLength(4);
    const again = await desk.ask(talk("Hello", "Hi.", "More", "Yes.", "And?"), "No.");
    expect(again.threadId).toBe(threadId);
    expect(await pathOf(desk, id)).toHaveLength(2);
    for (const history of [talk("Hello", "Hi.", "More"), talk("Other")]) {
      await expect(desk.open(history, { thread: id })).rejects.toMatchObject({ code: "conflict" });
    }
  });
});

describe("what a run says of its request", () => {
  const tools: Tool[] = [
    { type: "function", name: "look", description: "x".repeat(400), inputSchema: { type: "object" } },
  ];
  const first = [system("Be kind."), ...talk("a")];

  it("is enough to ask again exactly; what is long is written once on a path", async () => {
    await using desk = await openDesk();
    const settings = { tools, sampling: { temperature: 0.5 }, extra: { "openai-chat": { user: "u" } } };
    const one = await desk.ask(first, "b", { request: { messages: first, model: "fast", ...settings } });
    const next = [system("Be kind."), ...talk("a", "b", "c")];
    const two = await desk.ask(next, "d", { request: { messages: next, model: "fast", ...settings } });
    const runs = await Promise.all([one, two].map(({ runId }) => desk.ledger.run(runId)));
    expect(JSON.stringify(runs[0]).includes("xxxx")).toBe(true);
    expect(JSON.stringify(runs[1]).includes("xxxx")).toBe(false);
    for (const [index, messages] of [first, next].entries()) {
      const run = runs[index];
      expect(run && (await requestOf(desk.ledger, run))).toEqual({ model: "fast", ...settings, messages });
    }
  });

  it("a system prompt that changed is on the run, and the thread stays one", async () => {
    await using desk = await openDesk();
    const { threadId } = await desk.ask(first, "b");
    const histories = [
      [system("Be kind."), ...talk("a", "b", "c")],
      [system("Be short."), developer("It is 9:00."), ...talk("a", "b", "c", "d", "e")],
      talk("a", "b", "c", "d", "e", "f", "g"),
      talk("a", "b", "c", "d", "e", "f", "g", "h", "i"),
    ];
    const said = ["d", "f", "h", "j"];
    for (const [index, messages] of histories.entries()) {
      const { runId, threadId: where } = await desk.ask(messages, said[index] ?? "");
      expect(where).toBe(threadId);
      expect((await requestOf(desk.ledger, await desk.ledger.run(runId)))?.messages).toEqual(messages);
    }
    expect((await pathOf(desk, threadId))[0]).toBe("system: Be kind.");
  });

  it("is known by a recorder that did not write it, and not written again", async () => {
    await using one = await openDesk();
    await using two = await openDesk({ ledger: one.ledger });
    const settings = { tools, model: "m" };
    await one.ask(first, "b", { request: { messages: first, ...settings } });
    const next = [system("Be kind."), ...talk("a", "b", "c")];
    const { runId } = await two.ask(next, "d", { request: { messages: next, ...settings } });
    const run = await one.ledger.run(runId);
    expect(JSON.stringify(run)).not.toContain("xxxx");
    expect(await requestOf(one.ledger, run)).toEqual({ messages: next, ...settings });
  });

  it("never holds a key: those of tool servers are hidden", async () => {
    await using desk = await openDesk();
    const secret = "s3cret-token-value";
    const server_url = `https://me:${secret}@x.test/mcp?key=${secret}&${secret}#${secret}`;
    const value = { type: "mcp", server_url, authorization: secret, headers: { "x-any": secret } };
    const schema = { type: "object", properties: { password: { type: "string" }, headers: { type: "object" } } };
    const messages = talk("a");
    const { runId } = await desk.ask(messages, "b", {
      request: {
        messages,
        tools: [
          { type: "provider", dialect: "openai-responses", name: "mcp", value },
          { type: "function", name: "login", inputSchema: schema },
        ],
        extra: { anthropic: { mcp_servers: [{ url: "https://y.test", authorization_token: secret }] } },
      },
    });
    const run = await desk.ledger.run(runId);
    expect(JSON.stringify(run)).not.toContain(secret);
    const told = (await requestOf(desk.ledger, run))?.tools;
    const bare = "https://[hidden]@x.test/mcp?key=[hidden]&[hidden]#[hidden]";
    expect(told).toMatchObject([{ value: { server_url: bare } }, { inputSchema: schema }]);
  });

  it("says who answered, every try, and what was lost, the worst first where it is too much", async () => {
    await using desk = await openDesk();
    const loss = { path: "/x", action: "dropped", code: "c", message: "gone" } as const;
    const losses = [
      ...Array.from({ length: 80 }, () => ({ ...loss, level: "note" as const })),
      { ...loss, level: "breaks" as const },
    ];
    const attempt = { provider: "p", model: "m-1", startedAt: "2026-01-01T00:00:00.000Z", durationMs: 5, waitedMs: 0 };
    const recording = await desk.open([user("a")], { userAgent: "curl/8" });
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
    const { metadata } = await desk.ledger.run(recording.runId);
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

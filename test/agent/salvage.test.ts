// Failed steps whose tools had started: their results are salvaged once, also after the thread continued.
import { describe, expect, test } from "vitest";
import { type AgentTool, tool } from "../../src/agent/index.ts";
import { type Ledger, LedgerError, openLedger, type Run } from "../../src/ledger/index.ts";
import { assistant, user } from "../../src/model/index.ts";
import { Fate, mortalLedger } from "./support/simulated-crash.ts";
import {
  agentOn,
  call,
  echo,
  callAnswer,
  repairs,
  textAnswer,
  short,
  transcript,
} from "./support/scripted-provider.ts";

/** A ledger whose runs cannot be committed. */
function withoutCommits(ledger: Ledger): Ledger {
  const broken = (run: Run): Run =>
    new Proxy(run, {
      get: (target, name) => {
        if (name === "commit") return () => Promise.reject(new LedgerError("unavailable", "Gone."));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return new Proxy(ledger, {
    get: (target, name) => {
      if (name === "beginRun") return async (run: never) => broken(await ledger.beginRun(run));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("an abandoned step in a thread that continued", () => {
  test("is finished later if a run is cancelled before it starts", async () => {
    const ledger = await openLedger("memory:");
    const fate = new Fate(Number.POSITIVE_INFINITY, "before");
    const pay = echo("pay");
    const ask = tool({ name: "ask", run: () => new Promise(() => undefined) });
    const dying = agentOn([callAnswer(call("1", "pay"), call("2", "ask"))], {
      ledger: mortalLedger(ledger, fate),
      tools: [pay, ask],
    });
    const threadId = await dying.agent.run("Pay.").threadId;
    await expect.poll(() => fate.acknowledged.has("1")).toBe(true);
    const { agent } = agentOn([textAnswer("Paid.")], { ledger, tools: [pay, ask] });
    const cancelled = await agent.run("More.", { threadId, signal: AbortSignal.abort() }).result();
    expect(cancelled).toMatchObject({ reason: "cancelled", steps: [], pending: [{ message: user("More.") }] });
    expect(await transcript(ledger, threadId)).toStrictEqual(["user: Pay."]);
    expect(await agent.resume(threadId, { force: true }).result()).toMatchObject({ text: "Paid." });
    expect(pay.inputs).toHaveLength(1);
    expect(await transcript(ledger, threadId)).toStrictEqual([
      "user: Pay.",
      "assistant: pay#1 ask#2",
      "tool: =1 !2",
      "assistant: Paid.",
    ]);
  });

  test("keeps the results of its calls after a later user message", async () => {
    const ledger = await openLedger("memory:");
    const pay = echo("pay");
    const failing = agentOn([callAnswer(call("1", "pay"))], { ledger: withoutCommits(ledger), tools: [pay] });
    const run = failing.agent.run("Pay.");
    await expect(run.result()).rejects.toThrow("Gone.");
    const threadId = await run.threadId;
    await ledger.append(threadId, [user("And hurry.")]);
    const { agent, requests } = agentOn([textAnswer("Paid.")], { ledger, tools: [pay] });
    expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "Paid." });
    expect(pay.inputs).toHaveLength(1);
    expect(short(requests[0]?.messages ?? [])).toStrictEqual([
      "user: Pay.",
      "user: And hurry.",
      "assistant: pay#1",
      "tool: =1",
    ]);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  test("keeps the results of its calls after a later answer of another writer", async () => {
    const ledger = await openLedger("memory:");
    const pay = echo("pay");
    const failing = agentOn([callAnswer(call("1", "pay"))], { ledger: withoutCommits(ledger), tools: [pay] });
    const run = failing.agent.run("Pay.");
    await expect(run.result()).rejects.toThrow("Gone.");
    const threadId = await run.threadId;
    await (await ledger.beginRun({ threadId })).commit([assistant("One moment.")]);
    const { agent, requests } = agentOn([textAnswer("Paid."), textAnswer("Yes.")], { ledger, tools: [pay] });
    await agent.run("Well?", { threadId }).result();
    await agent.run("Sure?", { threadId }).result();
    expect(pay.inputs).toHaveLength(1);
    // Salvaged once, and not again in the next run.
    expect(short(requests[1]?.messages ?? [])).toStrictEqual([
      "user: Pay.",
      "assistant: One moment.",
      "assistant: pay#1",
      "tool: =1",
      "user: Well?",
      "assistant: Paid.",
      "user: Sure?",
    ]);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  /** A thread "Hello." – "Pay." with a failed step at each whose call had run; the thread ends with "Pay.". */
  async function twoLeft(ledger: Ledger, pay: AgentTool): Promise<{ threadId: string; root: string }> {
    const { id: threadId } = await ledger.createThread();
    const [root = "", leaf = ""] = (await ledger.append(threadId, [user("Hello."), user("Pay.")])).map(({ id }) => id);
    for (const [at, id] of [
      [leaf, "1"],
      [root, "2"],
    ] as const) {
      await ledger.select(threadId, at);
      const failing = agentOn([callAnswer(call(id, "pay"))], { ledger: withoutCommits(ledger), tools: [pay] });
      await expect(failing.agent.resume(threadId).result()).rejects.toThrow("Gone.");
    }
    await ledger.select(threadId, leaf);
    return { threadId, root };
  }

  test("is salvaged together with other abandoned steps", async () => {
    const ledger = await openLedger("memory:");
    const pay = echo("pay");
    const { threadId } = await twoLeft(ledger, pay);
    const { agent } = agentOn([textAnswer("Paid.")], { ledger, tools: [pay] });
    expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "Paid." });
    expect(pay.inputs).toHaveLength(2);
    expect(await transcript(ledger, threadId)).toStrictEqual([
      "user: Hello.",
      "user: Pay.",
      "assistant: pay#2",
      "tool: =2",
      "assistant: pay#1",
      "tool: =1",
      "assistant: Paid.",
    ]);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  test("stays where it is if another writer continued from it", async () => {
    const ledger = await openLedger("memory:");
    const pay = echo("pay");
    const { threadId, root } = await twoLeft(ledger, pay);
    const { messages } = await ledger.tree(threadId);
    const left = messages.findLast(({ metadata }) => metadata.runId !== undefined);
    await ledger.append(threadId, [user("Never mind.")], { parentMessageId: left?.id ?? null });
    await ledger.select(threadId, root);
    const { agent } = agentOn([textAnswer("Hi.")], { ledger, tools: [pay] });
    await agent.resume(threadId).result();
    expect(await transcript(ledger, threadId)).toStrictEqual(["user: Hello.", "assistant: Hi."]);
  });

  test("stays where it is on a branch without it", async () => {
    const ledger = await openLedger("memory:");
    const pay = echo("pay");
    const { id: threadId } = await ledger.createThread();
    const [root] = await ledger.append(threadId, [user("Hello."), assistant("Hello!")]);
    const failing = agentOn([callAnswer(call("1", "pay"))], { ledger: withoutCommits(ledger), tools: [pay] });
    await expect(failing.agent.run("Pay.", { threadId }).result()).rejects.toThrow("Gone.");
    await ledger.select(threadId, root?.id ?? null);
    const { agent, requests } = agentOn([textAnswer("Hi.")], { ledger, tools: [pay] });
    await agent.resume(threadId).result();
    expect(short(requests[0]?.messages ?? [])).toStrictEqual(["user: Hello."]);
  });
});

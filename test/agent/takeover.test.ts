// Threads with another writer, alive or dead: waiting, rejection, and the effect of new input.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent, tool } from "../../src/agent/index.ts";
import { createClient, type LocalProvider } from "../../src/client/index.ts";
import { type Ledger, LedgerError, createLedger } from "../../src/ledger/index.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import { assistant, type Delta, user } from "../../src/model/index.ts";
import { type OpenLedger, createView } from "../ledger/support/stores.ts";
import {
  agentOn,
  call,
  echo,
  gate,
  LEDGERS,
  callAnswer,
  repairs,
  results,
  textAnswer,
  short,
  transcript,
} from "./support/scripted-provider.ts";

/** A step whose tool never ends while this process lives. */
async function hanging(ledger: Ledger): Promise<{ threadId: string; release: () => void; end: Promise<unknown> }> {
  const { opened, open } = gate();
  const hang = tool({ name: "hang", run: () => opened });
  const { agent } = agentOn([callAnswer(call("1", "hang")), textAnswer("First.")], { ledger, tools: [hang] });
  const run = agent.run("Go.");
  for await (const event of run) if (event.type === "tool-start") break;
  return { threadId: await run.threadId, release: open, end: run.result().catch((error: unknown) => error) };
}

describe.each(LEDGERS)("on $name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let now = Date.now();
  let elsewhere: Ledger;
  beforeAll(async () => {
    opened = await store.open({ clock: () => now });
    ({ ledger } = opened);
    elsewhere = await opened.another();
  });
  afterAll(() => opened.close());

  test("a thread with a possibly active writer rejects a new question as busy", async () => {
    const { threadId, release, end } = await hanging(ledger);
    const { agent, requests } = agentOn([textAnswer("Second.")], { ledger: elsewhere });
    await expect(agent.run("And now?", { threadId }).result()).rejects.toMatchObject({
      name: "AgentError",
      code: "busy",
    });
    expect(requests).toStrictEqual([]);
    expect(await transcript(ledger, threadId)).toStrictEqual(["user: Go."]);
    release();
    expect(await end).toMatchObject({ reason: "done", text: "First." });
    expect(await agent.run("And now?", { threadId }).result()).toMatchObject({ text: "Second." });
  });

  test("resume waits until the lease expires, then takes over", async () => {
    const { threadId, release, end } = await hanging(ledger);
    let waited = 0;
    const { agent } = agentOn([textAnswer("Second.")], {
      ledger: elsewhere,
      tools: [echo("hang", { retry: "safe" })],
      effects: {
        sleep: async (ms) => {
          if (ms > 2000) return new Promise(() => undefined);
          waited += ms;
          now += ms;
        },
      },
    });
    expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "Second." });
    expect(waited).toBeGreaterThan(29_000);
    release();
    expect(await end).toMatchObject({ name: "AgentError", code: "busy", cause: { code: "fenced" } });
    expect(await transcript(ledger, threadId)).toStrictEqual([
      "user: Go.",
      "assistant: hang#1",
      "tool: =1",
      "assistant: Second.",
    ]);
  });

  test("resume waits for an active writer, and has no steps after that one finished", async () => {
    const { threadId, release, end } = await hanging(ledger);
    const { agent, requests } = agentOn([], {
      ledger: elsewhere,
      effects: {
        sleep: async () => {
          release();
          await end;
        },
      },
    });
    expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "First.", steps: [] });
    expect(requests).toStrictEqual([]);
  });

  test("a waiting resume can be cancelled without effect", async () => {
    const { threadId, release, end } = await hanging(ledger);
    const stop = new AbortController();
    const { agent } = agentOn([], {
      ledger: elsewhere,
      effects: {
        sleep: async (_, signal) => {
          stop.abort();
          signal.throwIfAborted();
        },
      },
    });
    expect(await agent.resume(threadId, { signal: stop.signal }).result()).toMatchObject({ reason: "cancelled" });
    release();
    expect(await end).toMatchObject({ reason: "done" });
  });

  test("a new question in a thread with an abandoned step comes after that step's end", async () => {
    const { threadId } = await hanging(ledger);
    now += 3_600_000;
    const echoTool = echo("hang");
    const { agent, requests } = agentOn([textAnswer("Second.")], { ledger: elsewhere, tools: [echoTool] });
    expect(await agent.run("And now?", { threadId }).result()).toMatchObject({ reason: "done", text: "Second." });
    expect(echoTool.inputs).toStrictEqual([]);
    expect(short(requests[0]?.messages ?? [])).toStrictEqual([
      "user: Go.",
      "assistant: hang#1",
      "tool: !1",
      "user: And now?",
    ]);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  test("a question whose key was used before a crash is not appended again, and its step continues", async () => {
    const { id: threadId } = await ledger.createThread();
    const options = { threadId, idempotencyKey: "k" };
    const hang = tool({ name: "hang", run: () => new Promise(() => undefined) });
    const first = agentOn([callAnswer(call("1", "hang"))], { ledger, tools: [hang] }).agent.run("Go.", options);
    for await (const event of first) if (event.type === "tool-start") break;
    now += 3_600_000;
    const { agent } = agentOn([textAnswer("Second.")], { ledger: elsewhere, tools: [hang] });
    expect(await agent.run("Go.", options).result()).toMatchObject({ reason: "done", text: "Second." });
    expect(await transcript(ledger, threadId)).toStrictEqual([
      "user: Go.",
      "assistant: hang#1",
      "tool: !1",
      "assistant: Second.",
    ]);
  });

  test("of two forced takeovers of a step, one finds the thread busy", async () => {
    const { threadId } = await hanging(ledger);
    const { opened: mayEnd, open } = gate();
    const slow = tool({ name: "hang", retry: "safe", run: () => mayEnd });
    const first = agentOn([textAnswer("Lost.")], { ledger, tools: [slow] }).agent.resume(threadId, { force: true });
    for await (const event of first) if (event.type === "tool-start") break;
    const { agent } = agentOn([textAnswer("Won.")], { ledger: elsewhere, tools: [echo("hang", { retry: "safe" })] });
    expect(await agent.resume(threadId, { force: true }).result()).toMatchObject({ text: "Won." });
    open();
    const error: unknown = await first.result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "AgentError", code: "busy", path: "/threadId" });
    expect(String(error)).not.toContain("do not say it again");
  });

  test("a run of another writer is awaited and not changed", async () => {
    const { id: threadId } = await ledger.createThread();
    const other = await ledger.beginRun({ threadId, metadata: { model: "another" } });
    const { agent, requests } = agentOn([textAnswer("Ok.")], {
      ledger: elsewhere,
      effects: {
        sleep: async () => {
          expect(await ledger.run(other.id)).toMatchObject({ state: "created", epoch: 1 });
          await other.commit([assistant("Mine.")]);
          await ledger.append(threadId, [user("And?")]);
        },
      },
    });
    // The input is already in the thread, so the run cannot be rejected any more.
    expect(await agent.run("Hi.", { threadId }).result()).toMatchObject({ reason: "done", text: "Ok." });
    expect(requests).toHaveLength(1);
    expect(short(requests[0]?.messages ?? [])).toStrictEqual(["user: Hi.", "assistant: Mine.", "user: And?"]);
  });
});

test("two runs of one agent do not share a thread", async () => {
  const modelCalled = gate();
  async function* endless(): AsyncGenerator<Delta> {
    modelCalled.open();
    yield* await new Promise<Delta[]>(() => undefined);
  }
  const { agent } = agentOn([endless, textAnswer("Ok.")]);
  const first = agent.run("One.");
  const threadId = await first.threadId;
  await modelCalled.opened;
  await expect(agent.run("Two.", { threadId }).result()).rejects.toMatchObject({ code: "busy" });
  await expect(agent.resume(threadId).result()).rejects.toMatchObject({ code: "busy" });
  await first.cancel();
  expect(await agent.resume(threadId).result()).toMatchObject({ text: "Ok." });
});

test("a failing tool list stops resume before any side effect", async () => {
  const ledger = createLedger(memoryStore());
  const { threadId } = await hanging(ledger);
  const source = {
    name: "files",
    tools: () => {
      throw new Error("The server is down.");
    },
  };
  const { agent } = agentOn([], { ledger, tools: [source] });
  await expect(agent.resume(threadId, { force: true }).result()).rejects.toThrow("The server is down.");
  expect((await ledger.runs(threadId)).map(({ state, epoch }) => [state, epoch])).toStrictEqual([["streaming", 1]]);
});

describe("a ledger that fails under a run", () => {
  const model: LocalProvider = {
    answer: ({ messages }) =>
      messages.some(({ role }) => role === "tool") ? textAnswer("Done.") : callAnswer(call("1", "a"), call("2", "b")),
  };
  const client = createClient({ providers: { local: model } });

  /** Fails so many writes in a row, starting with this one; a run has about twelve. */
  test.each(Array.from({ length: 14 }, (_, at) => at))(
    "from write %i on: the resumed run follows every rule",
    async (at) => {
      for (const count of [1, 2, 5]) {
        const store = memoryStore();
        let writes = 0;
        const write: typeof store.write = (work) => {
          const isBroken = writes >= at && writes < at + count;
          writes++;
          if (isBroken) return Promise.reject(new LedgerError("disk-full", "There is no room."));
          return store.write(work);
        };
        let now = Date.now();
        const ledger = createLedger({ ...store, write }, { clock: () => now });
        const ran: string[] = [];
        const run = (_: unknown, { toolCallId }: { toolCallId: string }): string => {
          ran.push(toolCallId);
          return "ok";
        };
        const agent = createAgent({
          client,
          model: "local/m",
          ledger,
          tools: ["a", "b"].map((name) => tool({ name, run })),
        });
        const { id: threadId } = await createLedger(createView(store)).createThread();
        const first = await agent
          .run("Go.", { threadId })
          .result()
          .catch((error: unknown) => error);
        if (first instanceof LedgerError) expect(first.code).toBe("disk-full");
        writes = Number.NEGATIVE_INFINITY;
        // The process continues; another agent need not wait for its end.
        const again = createAgent({
          client,
          model: "local/m",
          ledger,
          tools: ["a", "b"].map((name) => tool({ name, run })),
          // A run that can be neither ended nor released loses its lease by expiry; the limits of the tools are longer.
          effects: { sleep: async (ms) => (ms > 2000 ? new Promise(() => undefined) : void (now += ms)) },
        });
        const hasMessages = (await ledger.transcript(threadId)).length > 0;
        const result = await (hasMessages ? again.resume(threadId) : again.run("Go.", { threadId })).result();
        expect(result).toMatchObject({ reason: "done", text: "Done." });
        expect(ran.filter((id) => id === "1").length).toBeLessThanOrEqual(1);
        expect(ran.filter((id) => id === "2").length).toBeLessThanOrEqual(1);
        expect(results(await ledger.transcript(threadId))).toHaveLength(2);
        expect(await repairs(ledger, threadId)).toStrictEqual([]);
      }
    },
  );
});

// One agent per thread at a time: a second one waits or is rejected, and no tool runs twice.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentEvent, type AgentOptions, type AgentRun, createAgent, tool } from "../../src/agent/index.ts";
import { createClient, type LocalProvider } from "../../src/client/index.ts";
import { type Ledger, LedgerError, createLedger } from "../../src/ledger/index.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import type { OpenLedger } from "../ledger/support/stores.ts";
import {
  agentOn,
  call,
  echo,
  gate,
  LEDGERS,
  callAnswer,
  repairs,
  textAnswer,
  transcript,
} from "./support/scripted-provider.ts";

let calls = 0;
/** Calls a tool once per round, for three rounds. */
const model: LocalProvider = {
  answer({ messages }) {
    const round = messages.filter(({ role }) => role === "tool").length;
    return round === 3 ? textAnswer("Done.") : callAnswer(call(`c${calls++}`, "send", { round }));
  },
};
const client = createClient({ providers: { local: model }, retry: { attempts: 1 } });

async function until(run: AgentRun, ...types: AgentEvent["type"][]): Promise<void> {
  for await (const event of run) if (types.includes(event.type)) break;
}

/** Time passes only between polls of the thread, not in tools. */
const waiting = (look: () => Promise<void>) => (ms: number) =>
  ms > 2000 ? new Promise<void>(() => undefined) : look();

describe.each(LEDGERS)("on $name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let elsewhere: Ledger;
  let ran: string[];
  beforeAll(async () => {
    opened = await store.open();
    ({ ledger } = opened);
    elsewhere = await opened.another();
  });
  afterAll(() => opened.close());

  /** An agent that logs the rounds it worked on; each of its tools waits. */
  function worker(name: string, wait: () => Promise<unknown>, more: Partial<AgentOptions> = {}): typeof agent {
    const run = async (input: unknown): Promise<void> => {
      ran.push(`${name}${(input as { round: number }).round}`);
      await wait();
    };
    const agent = createAgent({ client, model: "local/m", ledger, tools: [tool({ name: "send", run })], ...more });
    return agent;
  }
  const atOnce = (): Promise<void> => Promise.resolve();

  test("resume during an active run waits for all of its steps", async () => {
    ran = [];
    const { opened: mayGoOn, open } = gate();
    let pending = gate();
    const stopWhen = async (): Promise<boolean> => {
      await pending.opened;
      pending = gate();
      return false;
    };
    const first = worker("A", () => mayGoOn, { stopWhen }).run("Go.");
    await until(first, "tool-start");
    let waits = 0;
    // After each wait, the first agent is between two steps.
    const sleep = waiting(async () => {
      if (waits++ === 0) open();
      else pending.open();
      await until(first, "step-end", "end");
    });
    const second = worker("B", atOnce, { ledger: elsewhere, effects: { sleep } });
    const threadId = await first.threadId;
    expect(await second.resume(threadId).result()).toMatchObject({ reason: "done", text: "Done.", steps: [] });
    expect(await first.result()).toMatchObject({ reason: "done" });
    expect({ ran, waits }).toStrictEqual({ ran: ["A0", "A1", "A2"], waits: 4 });
    expect(await transcript(ledger, threadId)).toHaveLength(8);
  });

  test("resume continues after an active writer's lease expires", async () => {
    ran = [];
    const { opened: mayGoOn, open } = gate();
    const stopWhen = (): Promise<boolean> => new Promise(() => undefined);
    const first = worker("A", () => mayGoOn, { stopWhen }).run("Go.");
    await until(first, "tool-start");
    let waits = 0;
    const sleep = waiting(async () => {
      open();
      if (waits++ === 0) await until(first, "step-end");
    });
    const second = worker("B", atOnce, { ledger: elsewhere, effects: { sleep } });
    const threadId = await first.threadId;
    expect(await second.resume(threadId).result()).toMatchObject({ reason: "done", text: "Done." });
    expect(ran).toStrictEqual(["A0", "B1", "B2"]);
    // Several polls, but a limited number.
    expect(waits).toBeGreaterThan(3);
    await first.cancel();
  });

  test("an agent that starts and finishes between two steps of another one is not answered twice", async () => {
    ran = [];
    const stopChecked = gate();
    const { opened: mayGoOn, open } = gate();
    const stopWhen = async (): Promise<boolean> => {
      stopChecked.open();
      await mayGoOn;
      return false;
    };
    const first = worker("A", atOnce, { stopWhen }).run("Go.");
    const threadId = await first.threadId;
    await stopChecked.opened;
    const second = worker("B", atOnce, { ledger: elsewhere });
    expect(await second.run("Also.", { threadId }).result()).toMatchObject({ reason: "done", text: "Done." });
    open();
    expect(await first.result()).toMatchObject({ reason: "done", text: "Done.", steps: [{ index: 0 }] });
    expect(ran).toStrictEqual(["A0", "B1", "B2"]);
    expect((await transcript(ledger, threadId)).filter((each) => each === "assistant: Done.")).toHaveLength(1);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  test("a run in a thread with another active writer is rejected, and its tools do not run", async () => {
    ran = [];
    const stopChecked = gate();
    const goOn = [gate(), gate()] as const;
    const stopWhen = async (): Promise<boolean> => {
      stopChecked.open();
      await goOn[0].opened;
      return false;
    };
    const first = worker("A", atOnce, { stopWhen }).run("Go.");
    const threadId = await first.threadId;
    await stopChecked.opened;
    const second = worker("B", () => goOn[1].opened, { ledger: elsewhere }).run("Also.", { threadId });
    await until(second, "tool-start");
    goOn[0].open();
    const busy = { name: "AgentError", code: "busy", path: "/threadId" };
    const message: unknown = expect.stringContaining("do not send it again");
    await expect(first.result()).rejects.toMatchObject({ ...busy, message });
    goOn[1].open();
    expect(await second.result()).toMatchObject({ reason: "done" });
    expect(ran).toStrictEqual(["A0", "B1", "B2"]);
  });
});

test("the error for a second run of the same agent names that agent's own run", async () => {
  const { opened, open } = gate();
  const { agent } = agentOn([callAnswer(call("1", "wait")), textAnswer("Ok.")], {
    tools: [tool({ name: "wait", run: () => opened })],
  });
  const run = agent.run("Go.");
  const threadId = await run.threadId;
  await expect(agent.resume(threadId).result()).rejects.toThrow(/This agent has an active run.*result\(\)/);
  open();
  await run.result();
});

describe("a ledger run that could not be ended", () => {
  const setup = (failures: number, leaseMs?: number) => {
    const store = memoryStore();
    let left = 0;
    const write: typeof store.write = (work) =>
      left-- > 0 ? Promise.reject(new LedgerError("unavailable", "Gone for a moment.")) : store.write(work);
    const ledger = createLedger({ ...store, write }, { leaseMs });
    const breaks = tool({ name: "work", run: () => void (left = failures) });
    const { agent } = agentOn([callAnswer(call("1", "work"))], { ledger, tools: [breaks] });
    return { ledger, run: agent.run("Go.") };
  };

  test("is released, so that another agent of the same process need not wait", async () => {
    // The result, and the end.
    const { ledger, run } = setup(2);
    await expect(run.result()).rejects.toMatchObject({ code: "unavailable" });
    const sleep = (): Promise<never> => Promise.reject(new Error("Nobody should wait."));
    const { agent } = agentOn([textAnswer("Ok.")], { ledger, tools: [echo("work")], effects: { sleep } });
    expect((await ledger.runs(await run.threadId)).map(({ state }) => state)).toStrictEqual(["streaming"]);
    expect(await agent.run("More.", { threadId: await run.threadId }).result()).toMatchObject({ text: "Ok." });
  });

  test("that cannot be released expires with its lease", async () => {
    const { ledger, run } = setup(3, 50);
    await expect(run.result()).rejects.toMatchObject({ code: "unavailable" });
    const { agent } = agentOn([textAnswer("Ok.")], { ledger, tools: [echo("work")] });
    expect(await agent.resume(await run.threadId).result()).toMatchObject({ reason: "done", text: "Ok." });
  });
});

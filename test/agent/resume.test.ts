// Resuming: recorded results stay, started calls follow the rule of their tool, and the other calls run.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentOptions, createAgent, tool } from "../../src/agent/index.ts";
import { createClient, type LocalProvider } from "../../src/client/index.ts";
import { type Ledger, openLedger } from "../../src/ledger/index.ts";
import type { Delta } from "../../src/model/index.ts";
import { delta } from "../support/deltas.ts";
import type { OpenLedger } from "../ledger/support/stores.ts";
import { Fate, mortalLedger } from "./support/simulated-crash.ts";
import {
  agentOn,
  answer,
  call,
  echo,
  eventsOf,
  gate,
  kinds,
  LEDGERS,
  callAnswer,
  repairs,
  results,
  textAnswer,
  short,
  transcript,
} from "./support/scripted-provider.ts";

const INTERRUPTED =
  "The call was interrupted after the tool had started. Whether it took effect is unknown; it was not run again.";

/** A deterministic model: two calls, one call, an answer. The same history gets the same answer. */
const model: LocalProvider = {
  answer({ messages }): Iterable<Delta> {
    const rounds = messages.filter(({ role }) => role === "tool").length;
    if (rounds === 0) return callAnswer(call("1", "never"), call("2", "safe"), call("3", "never"));
    if (rounds === 1) return callAnswer(call("4", "safe"));
    return textAnswer("Done.");
  },
};
const client = createClient({ providers: { local: model }, retry: { attempts: 1 } });

/** An agent whose tools log their runs. */
function agentWith(ledger: Ledger, ran: string[], more: Partial<AgentOptions> = {}): ReturnType<typeof createAgent> {
  const run = (_: unknown, { toolCallId, isRerun }: { toolCallId: string; isRerun: boolean }): string => {
    ran.push(isRerun ? `${toolCallId} again` : toolCallId);
    return `result of ${toolCallId}`;
  };
  const tools = [tool({ name: "never", run }), tool({ name: "safe", retry: "safe", run })];
  return createAgent({ client, model: "local/m", ledger, tools, ...more });
}

describe.each(LEDGERS)("on $name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  /** Another process's view, after the lease has expired. */
  let later: Ledger;
  beforeAll(async () => {
    opened = await store.open();
    ({ ledger } = opened);
    later = await opened.another({ clock: () => Date.now() + 3_600_000 });
  });
  afterAll(() => opened.close());

  test("a cut-off answer is stored beside the path, and the model is called again", async () => {
    const hang = gate();
    async function* half(): AsyncGenerator<Delta> {
      yield* answer("tool-calls", delta("text", { textDelta: "Let me" }), ...call("1", "echo")).slice(0, -2);
      await hang.opened;
    }
    const echoTool = echo();
    const { agent } = agentOn([half], { ledger, tools: [echoTool] });
    const run = agent.run("Go.");
    for await (const event of run) if (event.type === "delta" && event.delta.kind === "tool_call_end") break;
    const threadId = await run.threadId;
    // Pushed deltas are written a moment later.
    await expect.poll(async () => (await ledger.runs(threadId))[0]?.lastSeq).toBe(4);
    const next = agentOn([textAnswer("Again.")], { ledger: later, tools: [echoTool] });
    const resumed = next.agent.resume(threadId);
    expect(kinds(await eventsOf(resumed))).toStrictEqual(["step-start", "message", "step-end", "end"]);
    expect(echoTool.inputs).toStrictEqual([]);
    expect(await transcript(later, threadId)).toStrictEqual(["user: Go.", "assistant: Again."]);
    expect((await later.runs(threadId)).map(({ state }) => state)).toStrictEqual(["failed", "committed"]);
    expect((await later.tree(threadId)).messages.map(({ metadata }) => metadata.interrupted === true)).toContain(true);
    expect(await repairs(later, threadId)).toStrictEqual([]);
    hang.open();
    await expect(run.result()).rejects.toMatchObject({ name: "ClientError" });
  });

  test("recorded results stay, started calls follow their rule, and the others run", async () => {
    const hang = gate();
    const ran: string[] = [];
    const slow = (_: unknown, { toolCallId }: { toolCallId: string }) => {
      ran.push(toolCallId);
      return toolCallId === "1" ? "one" : hang.opened;
    };
    const tools = [tool({ name: "never", run: slow }), tool({ name: "safe", run: slow, retry: "safe" })];
    const first = createAgent({ client, model: "local/m", ledger, tools, maxParallel: 2 });
    const run = first.run("Go.");
    let begun = 0;
    // The third call waits for a free slot.
    for await (const event of run) if (event.type === "tool-start" && ++begun === 3) break;
    const threadId = await run.threadId;
    expect(ran).toStrictEqual(["1", "2", "3"]);
    const again: string[] = [];
    const resumed = agentWith(later, again).resume(threadId);
    const events = await eventsOf(resumed);
    expect(again).toStrictEqual(["2 again", "4"]);
    expect(events.flatMap((event) => (event.type === "tool-start" ? [event.isRerun] : []))).toStrictEqual([
      true,
      false,
    ]);
    expect(await resumed.result()).toMatchObject({ reason: "done", text: "Done.", usage: { totalTokens: 45 } });
    expect((await resumed.result()).steps.map(({ index }) => index)).toStrictEqual([0, 1, 2]);
    expect(results(await later.transcript(threadId)).map(({ output }) => output)).toStrictEqual([
      "one",
      "result of 2",
      INTERRUPTED,
      "result of 4",
    ]);
    expect(await repairs(later, threadId)).toStrictEqual([]);
    // The first process returns and gets an error.
    hang.open();
    await expect(run.result()).rejects.toMatchObject({ code: "busy", cause: { code: "fenced" } });
    expect(await transcript(later, threadId)).toHaveLength(6);
  });

  test("a pending approval is requested again", async () => {
    const approvalRequested = gate();
    const approve = (): Promise<boolean> => {
      approvalRequested.open();
      return new Promise(() => undefined);
    };
    const run = agentWith(ledger, [], { approve }).run("Go.");
    await approvalRequested.opened;
    const threadId = await run.threadId;
    await expect.poll(async () => (await ledger.runs(threadId))[0]?.lastSeq).toBe(11);
    const ran: string[] = [];
    const result = await agentWith(later, ran, { approve: ({ toolCallId }) => toolCallId !== "3" })
      .resume(threadId)
      .result();
    expect(ran).toStrictEqual(["1", "2", "4"]);
    expect(short(result.steps[0]?.messages ?? [])).toStrictEqual([
      "assistant: never#1 safe#2 never#3",
      "tool: =1 =2 !3",
    ]);
  });

  test("a step whose run was ended by recover continues: no recorded call runs again", async () => {
    for (const moment of [1, 2, 3]) {
      const fate = new Fate(Number.POSITIVE_INFINITY, "before");
      const ran: string[] = [];
      const dying = agentWith(mortalLedger(ledger, fate), ran, {
        maxParallel: 1,
        approve: ({ toolCallId }) => (Number(toolCallId) > moment ? new Promise<boolean>(() => undefined) : true),
      });
      const run = dying.run("Go.");
      const threadId = await run.threadId;
      await expect.poll(() => fate.acknowledged.size).toBe(moment);
      // The last process commits its step; then the model is called again.
      await later.recover();
      const again: string[] = [];
      const resumed = agentWith(later, again).resume(threadId);
      expect(await resumed.result()).toMatchObject({ reason: "done", text: "Done." });
      expect([...ran, ...again].sort()).toStrictEqual(["1", "2", "3", "4"]);
      expect(await repairs(later, threadId)).toStrictEqual([]);
      expect(await transcript(later, threadId)).toStrictEqual([
        "user: Go.",
        "assistant: never#1 safe#2 never#3",
        "tool: =1 =2 =3",
        "assistant: safe#4",
        "tool: =4",
        "assistant: Done.",
      ]);
      // A salvaged step is finished: another branch from the same message starts anew.
      const [question] = await later.transcript(threadId);
      await later.select(threadId, question?.id ?? null);
      again.length = 0;
      await agentWith(later, again).resume(threadId).result();
      expect(again).toStrictEqual(["1", "2", "3", "4"]);
    }
  });

  test("after two crashes at any points, every call follows its rule", async () => {
    const { id } = await ledger.createThread();
    const whole = new Life();
    await agentWith(mortalLedger(ledger, whole.fate), whole.ran).run("Go.", { threadId: id }).result();
    expect(whole.fate.steps.length).toBeGreaterThan(14);
    // Input that was never appended cannot be resumed.
    for (let at = 1; at < whole.fate.steps.length; at++) {
      for (const moment of ["before", "after"] as const) {
        await dieTwice(new Life(at, moment), new Life(at % 7, moment), () => Promise.resolve());
        await dieTwice(new Life(at, moment), new Life((at * 3) % 11, moment), () => later.recover());
      }
    }
  });

  async function dieTwice(first: Life, second: Life, between: () => Promise<unknown>): Promise<void> {
    const { id: threadId } = await ledger.createThread();
    const run = agentWith(mortalLedger(ledger, first.fate), first.ran).run("Go.", { threadId });
    await Promise.race([first.fate.died, run.result()]);
    const third = new Life();
    for (const life of [second, third]) {
      await between();
      const resumed = agentWith(mortalLedger(later, life.fate), life.ran).resume(threadId, { force: true }).result();
      await Promise.race([life.fate.died, resumed]);
      if (life === third) expect(await resumed).toMatchObject({ reason: "done", text: "Done." });
    }
    expect(await repairs(later, threadId)).toStrictEqual([]);
    const outputs = results(await later.transcript(threadId)).map(({ output }) => output);
    for (const [index, id] of ["1", "2", "3", "4"].entries()) checkCall(id, outputs[index], [first, second, third]);
  }
});

/** One process: its effects and its result. */
class Life {
  readonly ran: string[] = [];
  readonly fate: Fate;
  constructor(at = Number.POSITIVE_INFINITY, moment: "before" | "after" = "before") {
    this.fate = new Fate(at, moment);
  }
}

/** Recorded calls never run again, unsafe calls run at most once, and the model receives correct results. */
function checkCall(id: string, output: unknown, lives: readonly Life[]): void {
  const runs = lives.map(({ ran }) => ran.filter((each) => each.startsWith(id)).length);
  const description = `call ${id} ran ${runs.join()} times: ${JSON.stringify(output)}`;
  const recorded = lives.findIndex(({ fate }) => fate.acknowledged.has(id));
  const total = runs.reduce((sum, count) => sum + count, 0);
  expect(recorded, description).not.toBe(-1);
  expect(runs.slice(recorded + 1), description).toStrictEqual(runs.slice(recorded + 1).fill(0));
  if (output === INTERRUPTED)
    expect({ id, total }, description).toStrictEqual({
      id: expect.stringMatching(/[13]/) as string,
      total: expect.toSatisfy((it: number) => it <= 1) as number,
    });
  else expect(output, description).toBe(`result of ${id}`);
  if (id === "1" || id === "3") expect(total, description).toBeLessThanOrEqual(1);
  if (output !== INTERRUPTED) expect(total, description).toBeGreaterThanOrEqual(1);
}

test.each([
  ["whose tool is missing", []],
  ["whose arguments no longer match", [echo("never", { retry: "safe", input: { required: ["x"] } })]],
])("a started call %s is not recorded as not run", async (_, tools) => {
  const ledger = await openLedger("memory:");
  const hang = tool({ name: "never", run: () => new Promise(() => undefined) });
  const first = agentOn([callAnswer(call("1", "never"))], { ledger, tools: [hang] }).agent.run("Go.");
  for await (const event of first) if (event.type === "tool-start") break;
  const { agent, requests } = agentOn([textAnswer("Ok.")], { ledger, tools });
  await agent.resume(await first.threadId, { force: true }).result();
  expect(results(requests[0]?.messages ?? [])).toMatchObject([{ isError: true, output: INTERRUPTED }]);
});

test("resume of a finished thread has no steps", async () => {
  const { agent, requests } = agentOn([textAnswer("Hello.")]);
  const { threadId } = await agent.run("Hi.").result();
  const run = agent.resume(threadId);
  expect(kinds(await eventsOf(run))).toStrictEqual(["end"]);
  expect(await run.result()).toMatchObject({ reason: "done", text: "Hello.", steps: [] });
  expect(requests).toHaveLength(1);
});

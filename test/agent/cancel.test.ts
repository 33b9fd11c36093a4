// Cancellation at any moment; every provider accepts the thread afterwards.
import { describe, expect, test } from "vitest";
import { type AgentRun, createAgent, tool } from "../../src/agent/index.ts";
import { createClient, demo } from "../../src/client/index.ts";
import type { Ledger } from "../../src/ledger/index.ts";
import { user } from "../../src/model/index.ts";
import { delta } from "../support/deltas.ts";
import { shareLedger } from "./support/shared-ledger.ts";
import {
  agentOn,
  answer,
  call,
  echo,
  eventsOf,
  gate,
  LEDGERS,
  callAnswer,
  repairs,
  results,
  textAnswer,
  transcript,
} from "./support/scripted-provider.ts";

describe.each(LEDGERS)("on $name", (store) => {
  let ledger: Ledger;
  shareLedger(store, (opened) => ({ ledger } = opened));

  test("during the answer: the partial answer is stored beside the path, with its usage", async () => {
    const textSent = gate();
    async function* endless(): AsyncGenerator<ReturnType<typeof delta>> {
      yield* answer("stop", delta("text", { textDelta: "Once upon" })).slice(0, -1);
      await textSent.opened;
    }
    const { agent } = agentOn([endless, textAnswer("Ok.")], { ledger });
    const run = agent.run("Tell me.");
    const queued = run.followUp("And then?");
    for await (const event of run) {
      if (event.type === "delta" && event.delta.kind === "usage") break;
    }
    expect(await run.cancel()).toStrictEqual([queued]);
    const { reason, threadId, steps, usage, pending } = await run.result();
    expect({ reason, steps, pending }).toStrictEqual({ reason: "cancelled", steps: [], pending: [queued] });
    expect(usage.totalTokens).toBe(15);
    expect(await transcript(ledger, threadId)).toStrictEqual(["user: Tell me."]);
    const [cancelled] = await ledger.runs(threadId);
    expect(cancelled).toMatchObject({ state: "cancelled", usage: { totalTokens: 15 } });
    const beside = (await ledger.tree(threadId)).messages.at(-1);
    expect(beside).toMatchObject({ parts: [{ text: "Once upon" }], metadata: { interrupted: true } });
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
    // B26: after an abort, a new turn can begin.
    await agent.run("Something else.", { threadId }).result();
    expect(await transcript(ledger, threadId)).toStrictEqual([
      "user: Tell me.",
      "user: Something else.",
      "assistant: Ok.",
    ]);
    textSent.open();
  });

  test("during tools: their signals abort, every call has a result, and the step is committed", async () => {
    const reasons: unknown[] = [];
    const hang = tool({
      name: "hang",
      run: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => reasons.push(signal.reason))),
    });
    const { agent } = agentOn(
      [callAnswer(call("1", "echo"), call("2", "hang"), call("3", "hang"), call("4", "echo"))],
      {
        ledger,
        tools: [echo(), hang],
        maxParallel: 2,
      },
    );
    const run = agent.run("Go.");
    let begun = 0;
    for await (const event of run) {
      // The fourth call waits for a free slot.
      if (event.type === "tool-start" && ++begun === 3) break;
    }
    await run.cancel("enough");
    const { reason, threadId, steps } = await run.result();
    expect(reason).toBe("cancelled");
    expect(reasons).toStrictEqual(["enough", "enough"]);
    expect(steps).toHaveLength(1);
    expect(await transcript(ledger, threadId)).toStrictEqual([
      "user: Go.",
      "assistant: echo#1 hang#2 hang#3 echo#4",
      "tool: =1 !2 !3 !4",
    ]);
    expect(results(await ledger.transcript(threadId)).map(({ output }) => output)).toStrictEqual([
      {},
      "The call was cancelled while the tool ran. Whether it took effect is unknown.",
      "The call was cancelled while the tool ran. Whether it took effect is unknown.",
      "The call was cancelled before the tool started; it was not run.",
    ]);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  test("while an approval is pending", async () => {
    const approvalRequested = gate();
    const echoTool = echo();
    const { agent } = agentOn([callAnswer(call("1", "echo"))], {
      ledger,
      tools: [echoTool],
      approve: () => {
        approvalRequested.open();
        return new Promise(() => undefined);
      },
    });
    const run = agent.run("Go.");
    await approvalRequested.opened;
    await run.cancel();
    const { reason, threadId } = await run.result();
    expect(reason).toBe("cancelled");
    expect(echoTool.inputs).toStrictEqual([]);
    expect(await transcript(ledger, threadId)).toStrictEqual(["user: Go.", "assistant: echo#1", "tool: !1"]);
  });

  test("before the start: no message is appended, no request is sent, and the input is returned as pending", async () => {
    const { agent, requests } = agentOn([textAnswer("Ok.")], { ledger });
    const run = agent.run("Go.", { signal: AbortSignal.abort() });
    const queued = run.followUp("Then this.");
    const { reason, threadId, pending } = await run.result();
    expect(reason).toBe("cancelled");
    expect(pending).toMatchObject([{ kind: "follow-up", message: user("Go.") }, queued]);
    expect(await run.cancel()).toStrictEqual(pending);
    expect(requests).toStrictEqual([]);
    expect(await transcript(ledger, threadId)).toStrictEqual([]);
    expect((await agent.run("Go.", { threadId }).result()).text).toBe("Ok.");
  });

  test("at every point of a run, by signal or by cancel, the thread stays valid and can continue", async () => {
    const script = (turn: string) => [
      callAnswer(call(`${turn}1`, "echo"), call(`${turn}2`, "echo")),
      callAnswer(call(`${turn}3`, "echo")),
      textAnswer("Done."),
    ];
    const whole = (await eventsOf(agentOn(script("a"), { ledger, tools: [echo()] }).agent.run("Go."))).length;
    expect(whole).toBeGreaterThan(25);
    for (let at = 0; at < whole; at++) {
      const stop = new AbortController();
      const { agent } = agentOn([...script("a"), ...script("b")], { ledger, tools: [echo()] });
      const run: AgentRun = agent.run("Go.", { signal: stop.signal });
      let seen = 0;
      for await (const _ of run) {
        if (seen++ !== at) continue;
        if (at % 2 === 0) stop.abort();
        else void run.cancel();
      }
      const { reason, threadId } = await run.result();
      expect(["cancelled", "done"]).toContain(reason);
      expect(await repairs(ledger, threadId)).toStrictEqual([]);
      expect(
        (await ledger.runs(threadId)).filter(({ state }) => state === "created" || state === "streaming"),
      ).toStrictEqual([]);
      expect(await agent.run("And now?", { threadId }).result()).toMatchObject({
        reason: expect.any(String) as string,
      });
      expect(await repairs(ledger, threadId)).toStrictEqual([]);
    }
  });
});

test.each([
  ["for a tool source", { tools: [{ name: "files", tools: () => new Promise<never>(() => undefined) }] }, 0],
  ["for stopWhen", { stopWhen: () => new Promise<never>(() => undefined) }, 1],
])("while it waits %s", async (_, options, callCount) => {
  const { agent, requests } = agentOn([answer("pause", delta("text", { textDelta: "So" }))], options);
  const run = agent.run("Go.");
  for await (const event of run) if (event.type === (callCount === 0 ? "message" : "step-end")) break;
  await run.cancel();
  expect(await run.result()).toMatchObject({ reason: "cancelled" });
  expect(requests).toHaveLength(callCount);
});

test("cancelling a run that has ended has no effect", async () => {
  const { agent } = agentOn([textAnswer("Ok.")]);
  const run = agent.run("Go.");
  await run.result();
  expect(await run.cancel()).toStrictEqual([]);
  expect(await run.result()).toMatchObject({ reason: "done" });
});

test("the listener on a caller's signal is removed at the end", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  await agentOn([callAnswer(call("1", "echo")), textAnswer("Ok.")], { tools: [echo()] })
    .agent.run("Go.", { signal })
    .result();
  expect(listeners).toBe(0);
});

test("closing an agent cancels its runs", async () => {
  const client = createClient({ providers: { demo: demo({ delayMs: 5 }) } });
  const agent = createAgent({ client, model: "demo/koine" });
  const run = agent.run("long 500");
  for await (const event of run) if (event.type === "delta") break;
  await agent.close();
  expect(await run.result()).toMatchObject({ reason: "cancelled" });
});

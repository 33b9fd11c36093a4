// Tool rounds: the calls of one answer run in parallel, and results are recorded as they arrive and sent in the order of the calls.
import { describe, expect, test, vi } from "vitest";
import { tool } from "../../src/agent/index.ts";
import type { Ledger } from "../../src/ledger/index.ts";
import type { OpenLedger } from "../ledger/support/stores.ts";
import { shareLedger } from "./support/shared-ledger.ts";
import {
  agentOn,
  call,
  echo,
  eventsOf,
  gate,
  LEDGERS,
  callAnswer,
  repairs,
  results,
  textAnswer,
  short,
  transcript,
} from "./support/scripted-provider.ts";

describe.each(LEDGERS)("on $name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  shareLedger(store, (given) => ({ ledger } = opened = given));

  test("B25: results are sent in call order in one message, in whatever order they arrived", async () => {
    const second = gate();
    const first = tool({ name: "first", run: () => second.opened.then(() => 1) });
    const other = tool({ name: "second", run: () => 2 });
    const { agent, requests } = agentOn(
      [callAnswer(call("a", "first"), call("b", "second"), call("c", "none")), textAnswer("Ok.")],
      { ledger, tools: [first, other] },
    );
    const run = agent.run("Go.");
    const ends: string[] = [];
    for await (const event of run) {
      if (event.type !== "tool-end") continue;
      ends.push(event.call.toolCallId);
      if (ends.length === 2) second.open();
    }
    expect(ends.sort()).toStrictEqual(["a", "b", "c"]);
    const { threadId } = await run.result();
    expect(short(requests[1]?.messages ?? []).slice(1)).toStrictEqual([
      "assistant: first#a second#b none#c",
      "tool: =a =b !c",
    ]);
    expect(await transcript(ledger, threadId)).toHaveLength(4);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  });

  test("a start is recorded before the call, simultaneous starts share one record, and a result is recorded at once", async () => {
    const seen: { started: unknown; lastSeq: number }[] = [];
    const look = (runId: string) =>
      ledger.run(runId).then(({ metadata, lastSeq }) => void seen.push({ started: metadata?.["started"], lastSeq }));
    const tools = ["a", "b", "c"].map((name) => tool({ name, run: (_, { runId }) => look(runId) }));
    const answer = callAnswer(call("1", "a"), call("2", "b"), call("3", "c"));
    const { agent } = agentOn([answer, textAnswer("Ok.")], { ledger, tools, maxParallel: 2 });
    const run = agent.run("Go.");
    const events = await eventsOf(run);
    const whole = answer.length - 1;
    expect(seen.map(({ started }) => started)).toStrictEqual([["1", "2"], ["1", "2"], expect.arrayContaining(["3"])]);
    // The complete answer is durable before any tool runs; a third call starts when one of the first two is done.
    expect(seen.slice(0, 2).map(({ lastSeq }) => lastSeq)).toStrictEqual([whole, whole]);
    expect(seen[2]?.lastSeq).toBeGreaterThan(whole);
    const ends = events.flatMap((event) => (event.type === "tool-end" ? [event.result.toolCallId] : []));
    expect(new Set(ends)).toStrictEqual(new Set(["1", "2", "3"]));
  });

  test("available results are recorded while other calls still run", async () => {
    const slow = gate();
    const { id: threadId } = await ledger.createThread();
    const tools = [tool({ name: "slow", run: () => slow.opened }), tool({ name: "fast", run: () => "now" })];
    const { agent } = agentOn([callAnswer(call("1", "slow"), call("2", "fast")), textAnswer("Ok.")], { ledger, tools });
    const run = agent.run("Go.", { threadId });
    let recorded: unknown;
    for await (const event of run) {
      if (event.type !== "tool-end" || recorded !== undefined) continue;
      for await (const { type, ...rest } of (await opened.another()).follow({ threadId, runId: event.runId })) {
        if (type !== "delta" || !("delta" in rest) || rest.delta.kind !== "part") continue;
        recorded = rest.delta.payload.value;
        break;
      }
      slow.open();
    }
    expect(recorded).toMatchObject({ type: "tool-result", toolCallId: "2", output: "now" });
    expect(await transcript(ledger, threadId)).toContain("tool: =1 =2");
  });
});

test("at most maxParallel tools run at the same time", async () => {
  let [now, most] = [0, 0];
  const work = tool({
    name: "work",
    run: async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
    },
  });
  for (const maxParallel of [1, 3]) {
    most = 0;
    const calls = Array.from({ length: 10 }, (_, index) => call(String(index), "work"));
    const { agent, requests } = agentOn([callAnswer(...calls), textAnswer("Ok.")], { tools: [work], maxParallel });
    await agent.run("Go.").result();
    expect(most).toBe(maxParallel);
    expect(results(requests[1]?.messages ?? []).map(({ toolCallId }) => Number(toolCallId))).toStrictEqual([
      ...Array(10).keys(),
    ]);
  }
});

test("a failing call does not affect the others", async () => {
  const tools = [
    echo("good"),
    tool({
      name: "bad",
      run: () => {
        throw new Error("No.");
      },
    }),
  ];
  const calls = [call("1", "good"), call("2", "bad"), call("3", "good"), call("4", "none"), call("5", "good", [])];
  const { agent, requests } = agentOn([callAnswer(...calls), textAnswer("Ok.")], { tools });
  expect(await agent.run("Go.").result()).toMatchObject({ reason: "done" });
  expect(short(requests[1]?.messages ?? []).at(-1)).toBe("tool: =1 !2 =3 !4 !5");
});

test("faked timers do not block a round", async () => {
  vi.useFakeTimers({ toFake: ["setImmediate"] });
  try {
    const { agent } = agentOn([callAnswer(call("1", "echo"), call("2", "echo")), textAnswer("Ok.")], {
      tools: [echo()],
    });
    expect(await agent.run("Go.").result()).toMatchObject({ reason: "done", text: "Ok." });
  } finally {
    vi.useRealTimers();
  }
});

// Call ids that the thread already contains: the calls get unique ids, everywhere and after a crash.
import { expect, test, vi } from "vitest";
import { createAgent, tool } from "../../src/agent/index.ts";
import { createClient } from "../../src/client/index.ts";
import { createLedger, openLedger } from "../../src/ledger/index.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import { delta } from "../support/deltas.ts";
import { createView } from "../ledger/support/stores.ts";
import { Fate, mortalLedger } from "./support/simulated-crash.ts";
import {
  agentOn,
  answer,
  call,
  echo,
  eventsOf,
  callAnswer,
  repairs,
  textAnswer,
  short,
  transcript,
} from "./support/scripted-provider.ts";

test("a server that restarts its call ids in each answer gives a thread that every provider accepts", async () => {
  const ledger = await openLedger("memory:");
  const seen: string[] = [];
  const approvedIds: string[] = [];
  const look = tool({ name: "t", run: (_, { toolCallId }) => void seen.push(toolCallId) });
  const script = [
    callAnswer(call("call_0", "t"), call("call_1", "t")),
    callAnswer(call("call_0", "t"), call("call_0_2", "t")),
    callAnswer(call("call_0", "t", "{"), call("call_1", "none")),
    textAnswer("Done."),
  ];
  const { agent } = agentOn(script, {
    ledger,
    tools: [look],
    approve: (part, { toolCallId }) => {
      approvedIds.push(part.toolCallId, toolCallId);
      return true;
    },
  });
  const run = agent.run("Go.");
  const events = await eventsOf(run);
  const { threadId, reason } = await run.result();
  expect(reason).toBe("done");
  expect(await transcript(ledger, threadId)).toStrictEqual([
    "user: Go.",
    "assistant: t#call_0 t#call_1",
    "tool: =call_0 =call_1",
    "assistant: t#call_0_2 t#call_0_2_2",
    "tool: =call_0_2 =call_0_2_2",
    "assistant: t#call_0_3 none#call_1_2",
    "tool: !call_0_3 !call_1_2",
    "assistant: Done.",
  ]);
  // Invalid JSON arguments are tested elsewhere.
  expect((await repairs(ledger, threadId)).filter((each) => !each.includes("arguments-wrapped"))).toStrictEqual([]);
  const ran = ["call_0", "call_1", "call_0_2", "call_0_2_2"];
  expect(seen).toStrictEqual(ran);
  expect(approvedIds).toStrictEqual(ran.flatMap((id) => [id, id]));
  const all = [...ran, "call_0_3", "call_1_2"];
  expect(events.flatMap((event) => (event.type === "tool-start" ? [event.call.toolCallId] : []))).toStrictEqual(ran);
  const ends = events.flatMap((event) => (event.type === "tool-end" ? [[event.call, event.result]] : []));
  expect(new Set(ends.map(([one]) => one?.toolCallId))).toStrictEqual(new Set(all));
  for (const [one, result] of ends) expect(result?.toolCallId).toBe(one?.toolCallId);
  // Readers of deltas receive the same ids.
  const begun = events.flatMap((event) =>
    event.type === "delta" && event.delta.kind === "tool_call_start" ? [event.delta.payload.toolCallId] : [],
  );
  expect(begun).toStrictEqual(all);
  const stored = (await ledger.transcript(threadId))[5];
  expect(stored?.metadata.invalidToolCalls).toMatchObject([{ toolCallId: "call_0_3" }]);
});

test("ids of messages outside the context are not reused", async () => {
  const ledger = await openLedger("memory:");
  const script = () => [callAnswer(call("call_0", "t")), textAnswer("Done.")];
  const options = { ledger, tools: [echo("t")], maxMessages: 2 };
  const { id: threadId } = await ledger.createThread();
  const { agent } = agentOn([...script(), ...script()], options);
  await agent.run("One.", { threadId }).result();
  await agent.run("Two.", { threadId }).result();
  await agentOn(script(), options).agent.run("Three.", { threadId }).result();
  const calls = (await transcript(ledger, threadId)).filter((each) => each.startsWith("assistant: t#"));
  expect(calls).toStrictEqual(["assistant: t#call_0", "assistant: t#call_0_2", "assistant: t#call_0_3"]);
  expect(await repairs(ledger, threadId)).toStrictEqual([]);
});

test("a run reads the ids of its thread once", async () => {
  const ledger = await openLedger("memory:");
  const read = vi.spyOn(ledger, "transcript");
  const script = [
    callAnswer(call("a", "t")),
    callAnswer(call("a", "t")),
    callAnswer(call("a", "t")),
    textAnswer("Done."),
  ];
  await agentOn(script, { ledger, tools: [echo("t")], maxMessages: 2 })
    .agent.run("Go.")
    .result();
  expect(read).toHaveBeenCalledTimes(1);
});

test("B33: calls that the provider executed keep their ids", async () => {
  const ledger = await openLedger("memory:");
  const searched = () =>
    answer(
      "tool-calls",
      delta("tool_call_start", { toolCallId: "p", toolName: "search", executor: "provider" }),
      delta("tool_call_end", { toolCallId: "p", argsTextDelta: "{}" }),
      ...call("p2", "t"),
    );
  const { agent } = agentOn([searched(), searched(), textAnswer("Done.")], { ledger, tools: [echo("t")] });
  const { threadId } = await agent.run("Go.").result();
  expect(await transcript(ledger, threadId)).toStrictEqual([
    "user: Go.",
    "assistant: search#p t#p2",
    "tool: =p2",
    "assistant: search#p t#p2_2",
    "tool: =p2_2",
    "assistant: Done.",
  ]);
});

test("after a crash at any point, the resumed step has the same ids, and recorded results stay", async () => {
  const client = createClient({
    providers: {
      local: {
        answer: ({ messages }) =>
          messages.filter(({ role }) => role === "tool").length < 2
            ? callAnswer(call("call_0", "t"), call("call_1", "t"))
            : textAnswer("Done."),
      },
    },
  });
  let died = 0;
  for (let at = 0; at < 40; at++) {
    const store = memoryStore();
    const ledger = createLedger(store);
    const { id: threadId } = await ledger.createThread();
    const fate = new Fate(at, "after");
    const seen: string[] = [];
    const tools = [tool({ name: "t", retry: "safe", run: (_, { toolCallId }) => void seen.push(toolCallId) })];
    const dying = createAgent({ client, model: "local/m", ledger: mortalLedger(ledger, fate), tools });
    const end = dying.run("Go.", { threadId }).result();
    const isWhole = await Promise.race([fate.died.then(() => false), end.then(() => true)]);
    if (!isWhole) {
      died++;
      const heir = createAgent({ client, model: "local/m", ledger: createLedger(createView(store)), tools });
      const hasMessages = (await ledger.transcript(threadId)).length > 0;
      if (!hasMessages) continue;
      expect(await heir.resume(threadId, { force: true }).result()).toMatchObject({ reason: "done", text: "Done." });
    }
    expect(short(await ledger.transcript(threadId))).toStrictEqual([
      "user: Go.",
      "assistant: t#call_0 t#call_1",
      "tool: =call_0 =call_1",
      "assistant: t#call_0_2 t#call_1_2",
      "tool: =call_0_2 =call_1_2",
      "assistant: Done.",
    ]);
    expect(new Set(seen)).toStrictEqual(new Set(["call_0", "call_1", "call_0_2", "call_1_2"]));
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  }
  expect(died).toBeGreaterThan(10);
});

// Unusual answers: stopped by a filter, empty, from a fallback; and the step in which a tool call is required.
import { describe, expect, test } from "vitest";
import { createAgent, tool } from "../../src/agent/index.ts";
import { createClient } from "../../src/client/index.ts";
import { createLedger, openLedger } from "../../src/ledger/index.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import type { ModelRequest, ToolChoice, UnifiedFinishReason } from "../../src/model/index.ts";
import { delta } from "../support/deltas.ts";
import { createView } from "../ledger/support/stores.ts";
import {
  agentOn,
  answer,
  call,
  echo,
  callAnswer,
  repairs,
  results,
  textAnswer,
  transcript,
} from "./support/scripted-provider.ts";

test.each<UnifiedFinishReason>(["content-filter", "refusal", "error"])(
  "complete calls of an answer that ended with %s are not run and get a result that states it",
  async (finish) => {
    const ledger = await openLedger("memory:");
    const echoTool = echo();
    const { agent, requests } = agentOn([answer(finish, ...call("1", "echo", { a: 1 })), textAnswer("Ok.")], {
      ledger,
      tools: [echoTool],
    });
    const { threadId, reason } = await agent.run("Go.").result();
    expect(reason).toBe("cut-off");
    expect(echoTool.inputs).toStrictEqual([]);
    expect(requests).toHaveLength(1);
    expect(results(await ledger.transcript(threadId))).toMatchObject([
      { isError: true, output: `The answer that made this call was stopped (${finish}), so the tool was not run.` },
    ]);
    expect(await repairs(ledger, threadId)).toStrictEqual([]);
  },
);

test.each<[string, ReturnType<typeof answer>]>([
  ["without parts", answer("stop")],
  ["with an empty text", answer("stop", delta("text", { textDelta: "" }))],
])("an answer %s is not part of the thread, and its usage is recorded", async (_, empty) => {
  const ledger = await openLedger("memory:");
  const { agent } = agentOn([empty, textAnswer("Ok.")], { ledger });
  const { threadId, reason, steps, usage, message } = await agent.run("Go.").result();
  expect({ reason, message }).toStrictEqual({ reason: "cut-off", message: undefined });
  expect(steps).toMatchObject([{ messages: [], finishReason: { unified: "stop" }, usage: { totalTokens: 15 } }]);
  expect(usage.totalTokens).toBe(15);
  expect(await ledger.runs(threadId)).toMatchObject([{ state: "committed", usage: { totalTokens: 15 } }]);
  expect(await transcript(ledger, threadId)).toStrictEqual(["user: Go."]);
  expect(await repairs(ledger, threadId)).toStrictEqual([]);
  expect(await agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "Ok." });
});

describe("the provider and the losses of an answer", () => {
  test("are available after a takeover, even if no tool had started", async () => {
    const store = memoryStore();
    const ledger = createLedger(store);
    const started = Promise.withResolvers<void>();
    const client = createClient({
      providers: {
        first: {
          answer: () => {
            throw new Error("Not today.");
          },
        },
        second: {
          answer: ({ messages }: ModelRequest) =>
            messages.some(({ role }) => role === "tool") ? textAnswer("Done.") : callAnswer(call("1", "echo")),
        },
      },
      retry: { attempts: 1 },
    });
    const options = { client, model: "first/m", call: { fallbacks: ["second/m"] }, tools: [echo()] };
    const { id: threadId } = await ledger.createThread();
    void createAgent({
      ...options,
      ledger,
      approve: () => {
        started.resolve();
        return new Promise(() => undefined);
      },
    }).run("Go.", { threadId });
    await started.promise;
    const heir = createAgent({ ...options, ledger: createLedger(createView(store)) });
    expect(await heir.resume(threadId, { force: true }).result()).toMatchObject({ reason: "done", text: "Done." });
    const [taken] = await ledger.runs(threadId);
    expect(taken).toMatchObject({
      state: "committed",
      metadata: { provider: "second", model: "scripted-1", attempts: [{ provider: "first" }, { provider: "second" }] },
    });
    expect((await ledger.transcript(threadId))[1]?.metadata.provider).toBe("second");
  });

  test("need no separate write if there is nothing to record", async () => {
    const store = memoryStore();
    let writes = 0;
    const ledger = createLedger({
      ...store,
      write: (work) => {
        writes++;
        return store.write(work);
      },
    });
    const { agent } = agentOn([callAnswer(call("1", "echo")), textAnswer("Ok.")], { ledger, tools: [echo()] });
    await agent.run("Go.").result();
    // A thread, a message, two runs with their deltas and commits, a start and a result.
    expect(writes).toBeLessThanOrEqual(10);
  });
});

test.each<[ToolChoice, ToolChoice]>([
  ["required", "auto"],
  [{ toolName: "echo" }, "auto"],
  [
    { toolNames: ["echo"], mode: "required" },
    { toolNames: ["echo"], mode: "auto" },
  ],
  ["none", "none"],
  ["auto", "auto"],
  [
    { toolNames: ["echo"], mode: "auto" },
    { toolNames: ["echo"], mode: "auto" },
  ],
])("only the first step has a required tool choice: %j", async (toolChoice, after) => {
  const { agent, requests } = agentOn(
    [callAnswer(call("1", "echo")), callAnswer(call("2", "echo")), textAnswer("Ok.")],
    {
      tools: [echo()],
      request: { toolChoice },
      maxSteps: 2,
    },
  );
  const { threadId } = await agent.run("Go.").result();
  await agent.resume(threadId).result();
  expect(requests.map((request) => request.toolChoice)).toStrictEqual([toolChoice, after, after]);
});

describe("a tool whose signal aborted", () => {
  const whenStopped = (end: () => unknown) =>
    tool({
      name: "t",
      run: (_, { signal }) =>
        new Promise((resolve, reject) =>
          signal.addEventListener("abort", () => {
            try {
              resolve(end());
            } catch (error) {
              reject(error);
            }
          }),
        ),
    });
  const fails = (error: Error) => () => {
    throw error;
  };
  const standard = "The call was cancelled while the tool ran. Whether it took effect is unknown.";

  test.each<[string, () => unknown, unknown]>([
    ["and returns a result", () => "charged card 42", "charged card 42"],
    ["and throws an error with a message", fails(new Error("Charged card 42.")), "Charged card 42."],
    ["and throws an AbortError", fails(new DOMException("Aborted", "AbortError")), standard],
  ])("%s", async (_, end, output) => {
    const ledger = await openLedger("memory:");
    const { agent } = agentOn([callAnswer(call("1", "t"))], { ledger, tools: [whenStopped(end)] });
    const run = agent.run("Go.");
    for await (const event of run) if (event.type === "tool-start") break;
    await run.cancel();
    const { threadId, reason } = await run.result();
    expect(reason).toBe("cancelled");
    expect(results(await ledger.transcript(threadId)).map((each) => each.output)).toStrictEqual([output]);
  });

  test("by its timeout", async () => {
    const { agent, requests } = agentOn([callAnswer(call("1", "t")), textAnswer("Ok.")], {
      tools: [{ ...whenStopped(() => "half"), timeoutMs: 1 }],
    });
    await agent.run("Go.").result();
    expect(results(requests[1]?.messages ?? [])).toMatchObject([{ isError: false, output: "half" }]);
  });
});

// Limits: steps, `stopWhen`, time limits of tools, and answers that end early.
import { expect, test } from "vitest";
import type { StepInfo } from "../../src/agent/index.ts";
import { tool } from "../../src/agent/index.ts";
import type { UnifiedFinishReason } from "../../src/model/index.ts";
import { delta } from "../support/deltas.ts";
import { agentOn, answer, call, echo, callAnswer, results, textAnswer, short } from "./support/scripted-provider.ts";

const more = (id: string) => callAnswer(call(id, "echo"));

test("maxSteps ends the run before the next request, with all results recorded", async () => {
  const { agent, requests } = agentOn([more("1"), more("2"), more("3")], { tools: [echo()], maxSteps: 2 });
  const { reason, steps } = await agent.run("Go.").result();
  expect(reason).toBe("max-steps");
  expect(requests).toHaveLength(2);
  expect(short(steps[1]?.messages ?? [])).toStrictEqual(["assistant: echo#2", "tool: =2"]);
});

test("an answer at the last step ends the run as done", async () => {
  const { agent } = agentOn([more("1"), textAnswer("Done.")], { tools: [echo()], maxSteps: 2 });
  expect(await agent.run("Go.").result()).toMatchObject({ reason: "done", text: "Done." });
});

test("by default a run makes 32 steps", async () => {
  const { agent, requests } = agentOn(
    Array.from({ length: 40 }, (_, index) => more(String(index))),
    { tools: [echo()] },
  );
  expect(await agent.run("Go.").result()).toMatchObject({ reason: "max-steps" });
  expect(requests).toHaveLength(32);
});

test("stopWhen is called after each step that would continue, and only then", async () => {
  const checkedSteps: StepInfo[] = [];
  const stopWhen = (step: StepInfo) => checkedSteps.push(step) === 2;
  const stopped = agentOn([more("1"), more("2")], { tools: [echo()], stopWhen });
  expect(await stopped.agent.run("Go.").result()).toMatchObject({ reason: "stopped", steps: checkedSteps });
  checkedSteps.length = 0;
  const finished = agentOn([more("1"), textAnswer("Done.")], {
    tools: [echo()],
    stopWhen: async (step) => !checkedSteps.push(step),
  });
  expect(await finished.agent.run("Go.").result()).toMatchObject({ reason: "done" });
  expect(checkedSteps.map(({ index, finishReason }) => [index, finishReason.unified])).toStrictEqual([
    [0, "tool-calls"],
  ]);
});

test("an error of stopWhen ends the run, and the thread can continue", async () => {
  const { agent } = agentOn([more("1"), textAnswer("Done.")], {
    tools: [echo()],
    stopWhen: () => {
      throw new Error("I do not know.");
    },
  });
  const run = agent.run("Go.");
  await expect(run.result()).rejects.toMatchObject({
    name: "AgentError",
    code: "callback-failed",
    path: "/stopWhen",
    message: expect.stringContaining("I do not know.") as string,
    cause: { message: "I do not know." },
  });
  expect(await agent.resume(await run.threadId).result()).toMatchObject({ reason: "done", text: "Done." });
});

test("the signal of a slow tool aborts, and the model receives the timeout", async () => {
  const waits: number[] = [];
  const reasons: unknown[] = [];
  const hang = (name: string, timeoutMs?: number) =>
    tool({
      name,
      timeoutMs,
      run: (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => reasons.push((signal.reason as Error).name))),
    });
  const { agent, requests } = agentOn([callAnswer(call("1", "a"), call("2", "b"), call("3", "c")), textAnswer("Ok.")], {
    tools: [hang("a"), hang("b", 1500), echo("c", { timeoutMs: Infinity })],
    toolTimeoutMs: 3000,
    effects: { sleep: async (ms) => void waits.push(ms) },
  });
  await agent.run("Go.").result();
  // A tool has a short grace time after its signal aborts.
  expect(waits.sort((a, b) => a - b)).toStrictEqual([100, 100, 1500, 3000]);
  expect(reasons).toStrictEqual(["TimeoutError", "TimeoutError"]);
  expect(results(requests[1]?.messages ?? []).map(({ output }) => output)).toStrictEqual([
    "The tool did not finish within 3 s, and its signal was aborted. Whether the call took effect is unknown.",
    "The tool did not finish within 1.5 s, and its signal was aborted. Whether the call took effect is unknown.",
    {},
  ]);
});

test("a finished tool leaves no timer", async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const { agent } = agentOn([more("1"), textAnswer("Ok.")], { tools: [echo()] });
  await agent.run("Go.").result();
  const left = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  expect(left).toBeLessThanOrEqual(before);
});

const text = delta("text", { textDelta: "So" });
test.each<[UnifiedFinishReason, string]>([
  ["stop", "done"],
  ["tool-calls", "done"],
  ["other", "done"],
  ["length", "cut-off"],
  ["content-filter", "cut-off"],
  ["refusal", "cut-off"],
])("an answer without a call that ended with %s ends the run with %s", async (finish, reason) => {
  const { agent, requests } = agentOn([answer(finish, text)], { tools: [echo()] });
  expect(await agent.run("Go.").result()).toMatchObject({ reason, text: "So" });
  expect(requests).toHaveLength(1);
});

test("a paused answer is continued, in the same run and in a later one", async () => {
  const { agent, requests } = agentOn([answer("pause", text), textAnswer("That is it.")]);
  const paused = agent.run("Go.");
  expect(await paused.result()).toMatchObject({ reason: "done", text: "SoThat is it.", message: { parts: [{}] } });
  expect(short(requests[1]?.messages ?? [])).toStrictEqual(["user: Go.", "assistant: So"]);
  const later = agentOn([answer("pause", text), textAnswer("That is it.")], { maxSteps: 1 });
  const { threadId, reason } = await later.agent.run("Go.").result();
  expect(reason).toBe("max-steps");
  expect(await later.agent.resume(threadId).result()).toMatchObject({ reason: "done", text: "SoThat is it." });
});

test("the calls of a filtered answer get results, and the answer is not continued", async () => {
  const { agent, requests } = agentOn([answer("content-filter", ...call("1", "echo", "{"))], { tools: [echo()] });
  const { reason, steps } = await agent.run("Go.").result();
  expect(reason).toBe("cut-off");
  expect(short(steps[0]?.messages ?? [])).toStrictEqual(["assistant: echo#1", "tool: !1"]);
  expect(requests).toHaveLength(1);
});

// Approval: asked before a tool runs; a no is told to the model.
import { expect, test } from "vitest";
import type { AgentOptions, Approval } from "../../src/agent/index.ts";
import { agentOn, call, echo, gate, makes, results, says } from "./support/scripted-provider.ts";

async function answered(approve: AgentOptions["approve"]): Promise<{ output: unknown; isError: boolean; ran: number }> {
  const given = echo("rm");
  const { agent, requests } = agentOn([makes(call("1", "rm", { path: "/" })), says("Ok.")], {
    tools: [given],
    approve,
  });
  expect(await agent.run("Go.").result()).toMatchObject({ reason: "done", text: "Ok." });
  const [result] = results(requests[1]?.messages ?? []);
  return { output: result?.output, isError: result?.isError === true, ran: given.inputs.length };
}

test.each<[string, Approval | Promise<Approval>, unknown]>([
  ["yes lets it run", true, undefined],
  ["a promise of yes does, too", Promise.resolve(true), undefined],
  ["no is told", false, "This call was not allowed, and the tool was not run."],
  ["a reason is told as it is", "Not on a Sunday.", "Not on a Sunday."],
  ["an empty reason is a no", "", "This call was not allowed, and the tool was not run."],
  ["what is no yes is a no", 1 as never, "This call was not allowed, and the tool was not run."],
])("%s", async (_, said, output) => {
  const result = await answered(() => said);
  expect(result).toStrictEqual(
    output === undefined ? { output: { path: "/" }, isError: false, ran: 1 } : { output, isError: true, ran: 0 },
  );
});

test("an approval that fails is no approval", async () => {
  const result = await answered(() => Promise.reject(new Error("Nobody is there.")));
  expect(result).toMatchObject({ isError: true, ran: 0 });
  expect(result.output).toContain("Nobody is there.");
});

test("it is asked with the call, before the call is noted as begun; calls that cannot run are not asked about", async () => {
  const asked: unknown[] = [];
  const calls = [call("1", "rm", { a: 1 }), call("2", "none"), call("3", "rm", "{"), call("4", "rm", [])];
  const { agent } = agentOn([makes(...calls), says("Ok.")], {
    tools: [echo("rm")],
    approve: (part, { toolCallId, isRerun: again, threadId }) => {
      asked.push([part.input, toolCallId, again, threadId]);
      return true;
    },
  });
  const { threadId } = await agent.run("Go.").result();
  expect(asked).toStrictEqual([[{ a: 1 }, "1", false, threadId]]);
});

test("calls are asked about all at once, however few may run at the same time, and waiting does not count as running", async () => {
  const asked: string[] = [];
  const both = gate();
  const { agent, requests } = agentOn([makes(call("1", "t"), call("2", "t")), says("Ok.")], {
    tools: [echo("t", { timeoutMs: 1 })],
    maxParallel: 1,
    // Time is up as soon as a tool runs; nobody counts before.
    effects: { sleep: () => new Promise(() => undefined) },
    approve: async (_, { toolCallId }) => {
      asked.push(toolCallId);
      if (asked.length === 2) both.open();
      await both.opened;
      return true;
    },
  });
  await agent.run("Go.").result();
  expect(asked).toStrictEqual(["1", "2"]);
  expect(results(requests[1]?.messages ?? []).map(({ isError }) => isError)).toStrictEqual([false, false]);
});

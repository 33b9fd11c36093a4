// Approval: `approve` is called before a tool runs, and the model receives a rejection.
import { expect, test } from "vitest";
import type { AgentOptions, Approval } from "../../src/agent/index.ts";
import { agentOn, call, echo, gate, callAnswer, results, textAnswer } from "./support/scripted-provider.ts";

async function runWithApproval(
  approve: AgentOptions["approve"],
): Promise<{ output: unknown; isError: boolean; ran: number }> {
  const echoTool = echo("rm");
  const { agent, requests } = agentOn([callAnswer(call("1", "rm", { path: "/" })), textAnswer("Ok.")], {
    tools: [echoTool],
    approve,
  });
  expect(await agent.run("Go.").result()).toMatchObject({ reason: "done", text: "Ok." });
  const [result] = results(requests[1]?.messages ?? []);
  return { output: result?.output, isError: result?.isError === true, ran: echoTool.inputs.length };
}

test.each<[string, Approval | Promise<Approval>, unknown]>([
  ["true lets the tool run", true, undefined],
  ["a promise of true lets the tool run", Promise.resolve(true), undefined],
  ["false is sent as the default rejection", false, "This call was not approved, so the tool was not run."],
  ["a reason is sent unchanged", "Not on a Sunday.", "Not on a Sunday."],
  ["an empty reason is the default rejection", "", "This call was not approved, so the tool was not run."],
  ["any other value is a rejection", 1 as never, "This call was not approved, so the tool was not run."],
])("%s", async (_, decision, output) => {
  const result = await runWithApproval(() => decision);
  expect(result).toStrictEqual(
    output === undefined ? { output: { path: "/" }, isError: false, ran: 1 } : { output, isError: true, ran: 0 },
  );
});

test("an approval that throws is a rejection", async () => {
  const result = await runWithApproval(() => Promise.reject(new Error("Nobody is there.")));
  expect(result).toMatchObject({ isError: true, ran: 0 });
  expect(result.output).toContain("Nobody is there.");
});

test("approve receives the call before its start is recorded; calls that cannot run are not submitted", async () => {
  const approvalArguments: unknown[] = [];
  const calls = [call("1", "rm", { a: 1 }), call("2", "none"), call("3", "rm", "{"), call("4", "rm", [])];
  const { agent } = agentOn([callAnswer(...calls), textAnswer("Ok.")], {
    tools: [echo("rm")],
    approve: (part, { toolCallId, isRerun: again, threadId }) => {
      approvalArguments.push([part.input, toolCallId, again, threadId]);
      return true;
    },
  });
  const { threadId } = await agent.run("Go.").result();
  expect(approvalArguments).toStrictEqual([[{ a: 1 }, "1", false, threadId]]);
});

test("all calls are submitted at once, independent of maxParallel, and waiting does not count as running", async () => {
  const approvedCalls: string[] = [];
  const both = gate();
  const { agent, requests } = agentOn([callAnswer(call("1", "t"), call("2", "t")), textAnswer("Ok.")], {
    tools: [echo("t", { timeoutMs: 1 })],
    maxParallel: 1,
    // The time limit of a tool starts when the tool runs, not during the approval.
    effects: { sleep: () => new Promise(() => undefined) },
    approve: async (_, { toolCallId }) => {
      approvedCalls.push(toolCallId);
      if (approvedCalls.length === 2) both.open();
      await both.opened;
      return true;
    },
  });
  await agent.run("Go.").result();
  expect(approvedCalls).toStrictEqual(["1", "2"]);
  expect(results(requests[1]?.messages ?? []).map(({ isError }) => isError)).toStrictEqual([false, false]);
});

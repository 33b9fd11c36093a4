// Tool sources that fail or return invalid lists, and lists that their owner changes.
import { describe, expect, test } from "vitest";
import { AgentError, type AgentOptions, type AgentTool, type ToolSource } from "../../src/agent/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { agentOn, call, echo, callAnswer, results, textAnswer } from "./support/scripted-provider.ts";

const down = new Error("The server is down.");
const own = new AgentError("mcp-failed", "It ended.", { path: "mcp:files" });

test.each<[string, () => unknown, object]>([
  [
    "throws",
    () => {
      throw down;
    },
    {
      code: "source-failed",
      path: "/tools/1/fi~1les",
      cause: down,
      message: 'The tools of "fi/les" could not be listed: The server is down.',
    },
  ],
  ["rejects", () => Promise.reject(down), { code: "source-failed", path: "/tools/1/fi~1les", cause: down }],
  ["throws an AgentError", () => Promise.reject(own), own],
  ["gives no list", () => null, { code: "invalid-tool", path: "/tools/1/fi~1les" }],
  ["returns a value that is no tool", () => [echo("a"), null], { code: "invalid-tool", path: "/tools/1/fi~1les/1" }],
  [
    "returns a tool without a name",
    () => [{ run: () => 1 }],
    { code: "invalid-tool", path: "/tools/1/fi~1les/0/name" },
  ],
])("a source that %s ends the run with an AgentError that names it", async (_, tools, expected) => {
  const source: ToolSource = { name: "fi/les", tools: tools as ToolSource["tools"] };
  const { agent, requests } = agentOn([textAnswer("Ok.")], { tools: [echo("own"), source] });
  const error: unknown = await agent
    .run("Go.")
    .result()
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AgentError);
  expect(error).toMatchObject(expected);
  expect(requests).toStrictEqual([]);
});

test("an invalid schema of a source is sent unchanged, and any object is accepted", async () => {
  const input = { type: "object", properties: { a: { type: "nothing" } } };
  const echoTool = echo("odd", { input });
  const source: ToolSource = { name: "files", tools: () => [echoTool] };
  const script = [callAnswer(call("1", "odd", { a: 1 }), call("2", "odd", [1])), textAnswer("Ok.")];
  const { agent, requests } = agentOn(script, { tools: [source] });
  await agent.run("Go.").result();
  expect(requests[0]?.tools).toStrictEqual([{ type: "function", name: "odd", inputSchema: input }]);
  expect(echoTool.inputs).toStrictEqual([{ a: 1 }]);
  expect(results(requests[1]?.messages ?? []).map(({ isError }) => isError)).toStrictEqual([false, true]);
  expect(() => agentOn([], { tools: [echoTool] })).toThrow(expect.objectContaining({ code: "invalid-tool" }) as Error);
});

describe("a name that another tool already has", () => {
  /** Sources that list these tools, step by step; the last list stays. */
  const source = (name: string, ...lists: AgentTool[][]): ToolSource => ({
    name,
    tools: () => (lists.length > 1 ? lists.shift() : lists[0]) ?? [],
  });

  test("belongs to the first tool, in any order of the lists, and the conflict is reported once", async () => {
    const [old, late, later] = [echo("a"), echo("a"), echo("a")];
    const problems: AgentError[] = [];
    const { agent, requests } = agentOn([callAnswer(call("1", "a")), callAnswer(call("2", "a")), textAnswer("Ok.")], {
      tools: [source("new", [], [late]), source("old", [old]), source("third", [], [echo("b"), later])],
      onProblem: (problem) => {
        problems.push(problem);
        throw new Error("A listener's own affair.");
      },
    });
    expect(await agent.run("Go.").result()).toMatchObject({ reason: "done" });
    expect([old, late, later].map(({ inputs }) => inputs.length)).toStrictEqual([2, 0, 0]);
    expect(requests.map(({ tools }) => tools?.map(({ name }) => name))).toStrictEqual([["a"], ["a", "b"], ["a", "b"]]);
    expect(problems.map(({ code, path }) => [code, path])).toStrictEqual([
      ["invalid-tool", "/tools/0/new/a"],
      ["invalid-tool", "/tools/2/third/a"],
    ]);
  });

  test("ends the run if the conflict exists from the start", async () => {
    const { agent } = agentOn([textAnswer("Ok.")], { tools: [source("one", [echo("a")]), source("two", [echo("a")])] });
    for (let count = 0; count < 2; count++) {
      await expect(agent.run("Go.").result()).rejects.toMatchObject({ code: "invalid-tool", path: "/tools/1/two/a" });
    }
  });
});

test("a later change to the caller's list of tools has no effect", async () => {
  const tools: AgentTool[] = [echo("a")];
  const { agent, requests } = agentOn([textAnswer("Ok.")], { tools });
  tools.push(echo("a"));
  await agent.run("Go.").result();
  expect(requests[0]?.tools?.map(({ name }) => name)).toStrictEqual(["a"]);
});

test("every source is closed even if one of them fails", async () => {
  const closed: string[] = [];
  const source = (name: string, close: () => Promise<void>): ToolSource => ({ name, tools: () => [], close });
  const tools: AgentOptions["tools"] = [
    source("bad", () => Promise.reject(down)),
    source("slow", async () => {
      await new Promise((resolve) => setImmediate(resolve));
      closed.push("slow");
    }),
  ];
  const { agent } = agentOn([], { tools, ledger: await openLedger("memory:") });
  const error: unknown = await agent.close().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(closed).toStrictEqual(["slow"]);
});

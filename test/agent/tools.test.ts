// Tools: their input, the results of returned and thrown values, and invalid definitions.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AgentTool, ToolContext, ToolSource } from "../../src/agent/index.ts";
import { tool, toolOutput } from "../../src/agent/index.ts";
import { image, text, type ProviderTool, type ToolResultPart } from "../../src/model/index.ts";
import { delta } from "../support/deltas.ts";
import { agentOn, answer, call, echo, callAnswer, results, textAnswer, short } from "./support/scripted-provider.ts";

/** Returns the result that the model receives for a call. */
async function resultOf(
  tools: readonly AgentTool[],
  input: unknown = {},
  toolName = tools[0]?.name ?? "none",
): Promise<ToolResultPart> {
  const { agent, requests } = agentOn([callAnswer(call("1", toolName, input)), textAnswer("Ok.")], { tools });
  expect(await agent.run("Go.").result()).toMatchObject({ reason: "done", text: "Ok." });
  const [result] = results(requests[1]?.messages ?? []);
  if (result === undefined) throw new Error("There is no result.");
  return result;
}

const returns = (value: unknown): AgentTool => tool({ name: "t", run: () => value });

describe("the result of a tool", () => {
  class Point {
    x = 1;
    toJSON(): unknown {
      return { at: this.x };
    }
  }
  const picture = image({ data: "aGk=", mimeType: "image/png" });

  test.each([
    ["text is text", "24 degrees", { output: "24 degrees" }],
    ["an object is JSON", { degrees: 24 }, { output: { degrees: 24 } }],
    ["null is JSON", null, { output: null }],
    ["a list is JSON", [1, "a"], { output: [1, "a"] }],
    ["undefined is an empty text (B27)", undefined, { output: "" }],
    ["an empty text stays (B27)", "", { output: "" }],
    ["a promise is awaited", Promise.resolve("later"), { output: "later" }],
    [
      "a date and a class instance use toJSON",
      { on: new Date(0), p: new Point() },
      { output: { on: "1970-01-01T00:00:00.000Z", p: { at: 1 } } },
    ],
    [
      "parts are added to the output",
      toolOutput({ output: { n: 1 }, content: [picture] }),
      { output: { n: 1 }, content: [picture] },
    ],
    ["parts may have no output", toolOutput({ content: [text("a"), picture] }), { content: [text("a"), picture] }],
    [
      "an error result of the tool",
      toolOutput({ output: "No such city.", isError: true }),
      { output: "No such city.", isError: true },
    ],
    [
      "an object that only resembles a tool output is an output",
      { output: 1, isError: true },
      { output: { output: 1, isError: true } },
    ],
  ])("%s", async (_, value, expected) => {
    expect(await resultOf([returns(value)])).toStrictEqual({
      type: "tool-result",
      toolCallId: "1",
      toolName: "t",
      isError: false,
      ...expected,
    });
  });

  const circle: unknown[] = [];
  circle.push(circle);
  const deep = JSON.parse(`${"[".repeat(999)}${"]".repeat(999)}`) as unknown;
  test.each([
    ["a value that contains itself", circle, "contains itself"],
    ["a BigInt", { n: 1n }, "BigInt"],
    ["a function", () => 1, "no JSON form"],
    ["a value that is nested too deeply", deep, "deep"],
    ["content that is no parts", toolOutput({ content: [{ kind: "text" } as never] }), "type"],
  ])("%s cannot be recorded, and the model is informed that the tool ran", async (_, value, why) => {
    const { output, isError } = await resultOf([returns(value)]);
    expect({ isError, output }).toStrictEqual({
      isError: true,
      output: expect.stringMatching(new RegExp(`^The tool ran, but .*${why}`)) as string,
    });
  });

  test.each([
    ["an error's message", new Error("No such file."), "No such file."],
    ["an error without a message by its name", new TypeError(""), "TypeError"],
    ["a text", "boom", "boom"],
    ["anything else, described", { code: 7 }, 'A value that is not an error was thrown: {"code":7}'],
    ["undefined", undefined, "A value that is not an error was thrown."],
  ])("a thrown value becomes an error result: %s", async (_, thrown, output) => {
    const throws = tool({
      name: "t",
      run: () => {
        throw thrown;
      },
    });
    const rejects = tool({ name: "t", run: () => Promise.reject(thrown as Error) });
    for (const each of [throws, rejects]) expect(await resultOf([each])).toMatchObject({ isError: true, output });
  });
});

describe("the input of a tool", () => {
  test("is the schema's output, with the call's context", async () => {
    const seen: unknown[] = [];
    const add = tool({
      name: "add",
      input: z.object({ a: z.number(), b: z.number().default(2), when: z.string().transform((on) => on.length) }),
      run: ({ a, b, when }, context) => {
        seen.push([a, b, when], context);
        return a + b + when;
      },
    });
    const { agent, requests } = agentOn([callAnswer(call("1", "add", { a: 1, when: "now" })), textAnswer("6")], {
      tools: [add],
    });
    const { threadId, steps } = await agent.run("Add.").result();
    expect(seen).toStrictEqual([
      [1, 2, 3],
      {
        toolCallId: "1",
        toolName: "add",
        threadId,
        runId: steps[0]?.runId ?? "",
        isRerun: false,
        signal: expect.any(AbortSignal) as AbortSignal,
      } satisfies ToolContext,
    ]);
    expect(results(requests[1]?.messages ?? [])).toMatchObject([{ output: 6 }]);
    expect(requests[0]?.tools).toMatchObject([
      { name: "add", inputSchema: { type: "object", required: ["a", "when"] } },
    ]);
  });

  test.each([
    ["a JSON Schema", { type: "object", properties: { city: { type: "string" } }, required: ["city"] }],
    ["a Standard Schema", z.object({ city: z.string() })],
  ])(
    "arguments that do not match %s get an error result with the issues, and the tool does not run",
    async (_, input) => {
      const weather = echo("weather", { input });
      const { isError, output } = await resultOf([weather], { city: 7 });
      expect(weather.inputs).toStrictEqual([]);
      expect(isError).toBe(true);
      expect(output).toMatch(
        /^The arguments do not match the schema of the tool "weather", so it was not run:\n- \/city: ./,
      );
    },
  );

  test.each([
    ["accepts any object without a schema", {}, { a: 1 }, undefined],
    ["rejects a list without a schema", {}, [1], "Expected an object, found a list."],
    ["is checked with `inputSchema` alone", { inputSchema: { required: ["a"] } }, {}, "a"],
    ["is rejected if a schema throws", { input: throwing() }, {}, "The arguments could not be checked: no"],
  ])("%s", async (_, more, input, problem) => {
    const echoTool = echo("t", more);
    const { isError, output } = await resultOf([echoTool], input);
    expect(echoTool.inputs).toStrictEqual(problem === undefined ? [input] : []);
    expect(isError).toBe(problem !== undefined);
    if (problem !== undefined) expect(output).toContain(problem);
  });

  test("B20: blank arguments are an empty object", async () => {
    const echoTool = echo("t");
    expect(await resultOf([echoTool], "")).toMatchObject({ isError: false, output: {} });
    expect(echoTool.inputs).toStrictEqual([{}]);
  });

  test("B32: a free-form tool receives a text", async () => {
    const patch = echo("patch", { format: "text" });
    const freeForm = answer(
      "tool-calls",
      delta("tool_call_start", { toolCallId: "1", toolName: "patch", format: "text" }),
      delta("tool_call_end", { toolCallId: "1", argsTextDelta: "*** no {JSON" }),
    );
    const { agent, requests } = agentOn([freeForm, textAnswer("Ok.")], { tools: [patch] });
    await agent.run("Go.").result();
    expect(patch.inputs).toStrictEqual(["*** no {JSON"]);
    expect(requests[0]?.tools).toStrictEqual([{ type: "function", name: "patch", format: "text" }]);
    expect(results(requests[1]?.messages ?? [])).toMatchObject([{ format: "text", output: "*** no {JSON" }]);
  });
});

/** A Standard Schema whose validation throws. */
function throwing(): AgentTool["input"] {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => {
        throw new Error("no");
      },
      jsonSchema: { input: () => ({}), output: () => ({}) },
    },
  };
}

describe("calls that are not run", () => {
  test("B31: a call that was cut off, or whose arguments do not parse", async () => {
    const echoTool = echo("t");
    const cut = answer(
      "length",
      ...call("1", "t", '{"a":'),
      ...call("2", "t", { a: 1 }),
      delta("tool_call_start", { toolCallId: "3", toolName: "t" }),
    );
    const { agent, requests } = agentOn([cut, textAnswer("Ok.")], { tools: [echoTool] });
    expect(await agent.run("Go.").result()).toMatchObject({ reason: "done" });
    expect(echoTool.inputs).toStrictEqual([{ a: 1 }]);
    expect(short(requests[1]?.messages ?? []).at(-1)).toBe("tool: !1 =2 !3");
    for (const { isError, output } of results(requests[1]?.messages ?? [])) {
      if (isError) expect(output).toMatch(/so the tool was not run\. Repeat the complete call\.$/);
    }
  });

  test("a call of an unknown tool gets a result that lists the tools", async () => {
    const tools = [echo("one"), echo("two")];
    expect((await resultOf(tools, {}, "three")).output).toBe('There is no tool "three". The tools are: one, two.');
    expect((await resultOf([], {}, "three")).output).toBe('There is no tool "three". There are no tools.');
    expect((await resultOf(tools, {}, "__proto__")).output).toContain('There is no tool "__proto__".');
  });

  test("B33: calls that the provider executes itself are not run", async () => {
    const search = echo("search");
    const searched = answer(
      "stop",
      delta("tool_call_start", { toolCallId: "p", toolName: "search", executor: "provider" }),
      delta("tool_call_end", { toolCallId: "p", argsTextDelta: "{}" }),
      delta("part", {
        value: {
          type: "tool-result",
          toolCallId: "p",
          toolName: "search",
          isError: false,
          output: "x",
          executor: "provider",
        },
      }),
      delta("text", { textDelta: "Found." }),
    );
    const { agent, requests } = agentOn([searched], { tools: [search] });
    expect(await agent.run("Go.").result()).toMatchObject({ reason: "done", text: "Found." });
    expect(search.inputs).toStrictEqual([]);
    expect(requests).toHaveLength(1);
  });
});

describe("tool sources", () => {
  const run = (): number => 1;

  test("a source is called before each step, and closed with the agent", async () => {
    let step = 0;
    const closed: string[] = [];
    const source: ToolSource = {
      name: "files",
      tools: async () => (step++ < 1 ? [echo("read")] : [echo("read"), echo("write")]),
      close: async () => void closed.push("files"),
    };
    const { agent, requests } = agentOn([callAnswer(call("1", "read")), textAnswer("Ok.")], {
      tools: [echo("own"), source],
    });
    await agent.run("Go.").result();
    expect(requests.map(({ tools }) => tools?.map(({ name }) => name))).toStrictEqual([
      ["own", "read"],
      ["own", "read", "write"],
    ]);
    await agent.close();
    expect(closed).toStrictEqual(["files"]);
  });

  test("two tools with one name are rejected, at creation or when a source adds the second", async () => {
    expect(() => agentOn([], { tools: [echo("a"), echo("b"), echo("a")] })).toThrow(
      expect.objectContaining({ code: "invalid-tool", path: "/tools/2" }) as Error,
    );
    const source: ToolSource = { name: "files", tools: () => [echo("a")] };
    const { agent, requests } = agentOn([textAnswer("Ok.")], { tools: [echo("a"), source] });
    await expect(agent.run("Go.").result()).rejects.toMatchObject({ code: "invalid-tool", path: "/tools/1/files/a" });
    expect(requests).toStrictEqual([]);
  });

  test("a provider tool is declared unchanged; if the caller runs it, a tool of its name is called", async () => {
    const search: ProviderTool = {
      type: "provider",
      dialect: "anthropic",
      name: "web_search",
      value: { type: "web_search_20250305" },
    };
    const computer: ProviderTool = {
      type: "provider",
      dialect: "anthropic",
      name: "computer",
      value: { type: "computer_20250124" },
    };
    const hands = echo("computer");
    const { agent, requests } = agentOn([callAnswer(call("1", "computer", { action: "click" })), textAnswer("Ok.")], {
      tools: [search, hands, computer],
    });
    await agent.run("Go.").result();
    expect(requests[0]?.tools).toStrictEqual([search, computer]);
    expect(hands.inputs).toStrictEqual([{ action: "click" }]);
  });

  test.each([
    ["no object", null, "/tools/0"],
    ["no name", { run }, "/tools/0/name"],
    ["no function", { name: "t" }, "/tools/0/run"],
    ["an unknown value of retry", { name: "t", retry: "always", run }, "/tools/0/retry"],
    ["an unknown field", { name: "t", run, "time/out": 1 }, "/tools/0/time~1out"],
    ...["parameters", "schema", "execute", "handler"].map((field): [string, object, string] => [
      `a field of another library: ${field}`,
      { name: "t", run, [field]: run },
      `/tools/0/${field}`,
    ]),
    ["a timeout of zero", { name: "t", timeoutMs: 0, run }, "/tools/0/timeoutMs"],
    ["an invalid schema", { name: "t", input: { type: "nothing" }, run }, "/tools/0/input/type"],
    [
      "a Standard Schema without a JSON Schema",
      { name: "t", input: { "~standard": { version: 1, vendor: "v", validate: () => ({ value: 1 }) } }, run },
      "/tools/0/input",
    ],
  ])("an invalid definition is rejected at once: %s", (_, given, path) => {
    expect(() => agentOn([], { tools: [given as never] })).toThrow(
      expect.objectContaining({ name: "AgentError", code: "invalid-tool", path }) as Error,
    );
    if (given !== null) expect(() => agentOn([], { tools: given as never })).toThrow(/must be a list/);
  });

  test("the error for a field name of another library names Koine's field", async () => {
    expect(() => agentOn([], { tools: [{ name: "t", execute: run } as never] })).toThrow(/It is called `run`/);
    expect(() => agentOn([], { tools: [{ name: "t", run, parameters: {} } as never] })).toThrow(/It is called `input`/);
    const listed = [{ ...tool({ name: "t", run }), schema: {} }];
    const { agent } = agentOn([textAnswer("Ok.")], { tools: [{ name: "files", tools: () => listed }] });
    await expect(agent.run("Go.").result()).rejects.toMatchObject({ path: "/tools/0/files/t/schema" });
  });

  test("a tool of a class or of a source may have other fields", async () => {
    class Counter {
      readonly name = "count";
      calls = 0;
      run = (): number => ++this.calls;
    }
    const listed = [{ ...tool({ name: "t", run }), annotations: {} }];
    const tools = [new Counter(), { name: "files", tools: () => listed }];
    const { agent, requests } = agentOn([textAnswer("Ok.")], { tools });
    await agent.run("Go.").result();
    expect(requests[0]?.tools?.map(({ name }) => name)).toStrictEqual(["count", "t"]);
  });
});

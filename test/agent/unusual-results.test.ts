// Unusual return values and exceptions of tools: nothing is dropped silently, and none of them ends a run.
import { describe, expect, test } from "vitest";
import { AgentError, tool, toolOutput } from "../../src/agent/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { parseJson, stringifyJson, type ToolResultPart } from "../../src/model/index.ts";
import { agentOn, call, callAnswer, repairs, results, textAnswer } from "./support/scripted-provider.ts";

/** Returns the result that the model receives; every provider accepts it. */
async function runToolOnce(run: () => unknown): Promise<ToolResultPart> {
  const ledger = await openLedger("memory:");
  const { agent } = agentOn([callAnswer(call("1", "t")), textAnswer("Ok.")], {
    ledger,
    tools: [tool({ name: "t", run })],
  });
  const { threadId, reason } = await agent.run("Go.").result();
  expect(reason).toBe("done");
  expect(await repairs(ledger, threadId)).toStrictEqual([]);
  const [result] = results(await ledger.transcript(threadId));
  if (result === undefined) throw new Error("There is no result.");
  return result;
}

const throws = (thrown: unknown) => (): never => {
  throw thrown;
};
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
const withMessage = (message: unknown): Error => Object.defineProperty(new Error("x"), "message", { value: message });
const unreadable = Object.defineProperty(new Error("x"), "message", {
  get: () => {
    throw new Error("Not even that.");
  },
});

describe("a thrown value", () => {
  test.each<[string, unknown, string]>([
    ["a message that throws", unreadable, "A value that is not an error was thrown."],
    ["a proxy that was revoked", revoked(), "A value that is not an error was thrown."],
    ["no message", withMessage(undefined), "Error"],
    ["a message that is an object", withMessage({ a: 1 }), '{"a":1}'],
    ["a lone surrogate", new Error("\ud800!"), "\ufffd!"],
    ["a lone surrogate as a text", "\udc00", "\ufffd"],
    [
      "a cause with a message",
      new Error("fetch failed", { cause: new Error("connect ECONNREFUSED") }),
      "fetch failed: connect ECONNREFUSED",
    ],
    [
      "a cause with a code only",
      new Error("fetch failed", { cause: Object.assign(new Error(""), { code: "ECONNREFUSED" }) }),
      "fetch failed: ECONNREFUSED",
    ],
    ["a cause that the message already contains", new Error("No: full", { cause: new Error("full") }), "No: full"],
    ["causes in a circle", circle(), "one: two"],
    [
      "an error of Koine, whose cause is not sent to the model",
      new AgentError("mcp-failed", "It ended.", { cause: new Error("its secrets") }),
      "It ended.",
    ],
  ])("%s", async (_, thrown, output) => {
    expect(await runToolOnce(throws(thrown))).toMatchObject({ isError: true, output });
  });
});

function circle(): Error {
  const one = new Error("one");
  const two = new Error("two", { cause: one });
  one.cause = two;
  return one;
}

describe("a returned value", () => {
  class Hidden {
    readonly #value = 1;
    get value(): number {
      return this.#value;
    }
  }

  test.each<[string, unknown, string]>([
    ["an error", new Error("No such file."), "No such file."],
    ["an error in an output", toolOutput({ output: new TypeError("No.") }), "No."],
  ])("%s is an error result", async (_, value, output) => {
    expect(await runToolOnce(() => value)).toMatchObject({ isError: true, output });
  });

  test.each<[string, unknown, string]>([
    ["a map", new Map([[1, 2]]), "class Map"],
    ["a set within", { seen: new Set([1]) }, 'class Set (in "seen")'],
    ["a pending promise", { later: Promise.resolve(1) }, "class Promise"],
    ["an expression", [/a/], "class RegExp"],
    ["a class with private fields only", new Hidden(), "class Hidden"],
    ["an error within", { error: new Error("x") }, 'An error (in "error")'],
    ["NaN", Number.NaN, "NaN has no JSON form"],
    ["infinity within", { ratio: Number.NEGATIVE_INFINITY }, '-Infinity (in "ratio")'],
    ["a function within", { a: 1, f: () => 1 }, 'A function (in "f")'],
    ["a symbol within", { s: Symbol("s") }, 'A symbol (in "s")'],
    ["undefined in a list", [undefined, 1], "Undefined in a list"],
    ["an invalid date", new Date(Number.NaN), "An invalid date"],
    ["an invalid date in a list", { dates: [new Date(Number.NaN)] }, 'An invalid date (in "0")'],
    ["content of an unknown kind", toolOutput({ content: [{ type: "nope" } as never] }), "/content/0"],
    [
      "a tool call as content",
      toolOutput({ content: [{ type: "tool-call", toolCallId: "x", toolName: "y", input: {} }] }),
      "Only text, images, audio, video and files",
    ],
    ["an image without a source", toolOutput({ content: [{ type: "image" }] }), "/content/0"],
    ["content that is no list", toolOutput({ content: "text" as never }), "`content` must be a list"],
  ])("%s cannot be recorded, and the model is informed", async (_, value, why) => {
    const { isError, output } = await runToolOnce(() => value);
    expect(isError).toBe(true);
    expect(output).toMatch(/^The tool ran, but its return value cannot be recorded: /);
    expect(output).toContain(why);
  });

  test.each<[string, unknown, Partial<ToolResultPart>]>([
    ["empty content counts as missing", toolOutput({ content: [] }), { output: "" }],
    ["empty content with an output", toolOutput({ output: 1, content: [] }), { output: 1 }],
    ["a lone surrogate", "a\ud800b", { output: "a\ufffdb" }],
    [
      "a lone surrogate within, also in a name",
      { "\udfff": ["\ud83d\ude00", "\ud800\ud800", "\\ud800"] },
      { output: { "\ufffd": ["\ud83d\ude00", "\ufffd\ufffd", "\\ud800"] } },
    ],
    ["an empty object", {}, { output: {} }],
    ["a field that is undefined", { a: undefined, b: 1 }, { output: { b: 1 } }],
    ["a date", [new Date(0)], { output: ["1970-01-01T00:00:00.000Z"] }],
    ["an object without a prototype", Object.create(null), { output: {} }],
    ["a boxed number", { n: Object(1) as unknown }, { output: { n: 1 } }],
  ])("%s", async (_, value, expected) => {
    const result = await runToolOnce(() => value);
    expect(result).toStrictEqual({
      type: "tool-result",
      toolCallId: "1",
      toolName: "t",
      isError: false,
      ...expected,
    });
  });

  test("a number beyond the precision of a double keeps its digits", async () => {
    const text = '{"big":123456789012345678901234567890}';
    expect(stringifyJson((await runToolOnce(() => parseJson(text))).output)).toBe(text);
  });
});

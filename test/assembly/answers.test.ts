// Answers: fields beside the parts, the partial content of failed answers, runs of several answers, partial responses.
import { describe, expect, test } from "vitest";
import {
  assemble,
  Assembler,
  AssemblyError,
  assembleRun,
  RunAssembler,
  stampDeltas,
} from "../../src/assembly/index.ts";
import type { Delta } from "../../src/model/delta.ts";
import { answer, call, delta, DONE, result, stampAll, START } from "../support/deltas.ts";
import { requireError } from "../support/require-error.ts";

const text = (textDelta: string, part?: string | number): Delta =>
  delta("text", part === undefined ? { textDelta } : { textDelta, partKey: part });

describe("the fields of an answer besides its parts", () => {
  test("start, usage and done become the response", () => {
    const response = assemble([
      delta("start", {
        modelId: "m",
        requestId: "r",
        contractVersion: 1,
        createdAt: "2026-01-01T00:00:00.000Z",
        message: { id: "i", extra: { d: { a: 1 } } },
        extra: { d: { s: 1 } },
      }),
      delta("usage", { inputTokens: 10, cacheReadTokens: 4, extra: { d: { tier: "x" } } }),
      delta("usage", { outputTokens: 5, inputTokens: 11, extra: { d: { more: 1 } } }),
      delta("done", {
        finishReason: "length",
        raw: "max_tokens",
        message: { name: "n", extra: { d: { b: 2 } }, metadata: { k: 1 } },
        extra: { d: { e: 2 } },
      }),
    ]);
    expect(response).toStrictEqual({
      id: "r",
      model: "m",
      message: { role: "assistant", parts: [], id: "i", name: "n", extra: { d: { a: 1, b: 2 } }, metadata: { k: 1 } },
      finishReason: { unified: "length", raw: "max_tokens" },
      usage: {
        inputTokens: 11,
        outputTokens: 5,
        totalTokens: 16,
        cacheReadTokens: 4,
        extra: { d: { tier: "x", more: 1 } },
      },
      createdAt: "2026-01-01T00:00:00.000Z",
      extra: { d: { s: 1, e: 2 } },
    });
  });

  test("B65: cumulative usage is merged, per field the last present value wins", () => {
    const usage = assemble(
      answer(delta("usage", { inputTokens: 3, outputTokens: 1 }), delta("usage", { outputTokens: 7, totalTokens: 10 })),
    ).usage;
    expect(usage).toStrictEqual({ inputTokens: 3, outputTokens: 7, totalTokens: 10 });
  });

  test("B62: an unknown finish reason is `other` and stays readable", () => {
    const done = { kind: "done", payload: { finishReason: "moon_phase" } } as unknown as Delta;
    expect(assemble([START, done]).finishReason).toStrictEqual({ unified: "other", raw: "moon_phase" });
  });

  test("B59: choices stay separate, whatever their order", () => {
    const response = assemble([
      START,
      delta("text", { textDelta: "two", choice: 2 }),
      delta("text", { textDelta: "zero" }),
      delta("text", { textDelta: "!", choice: 2 }),
      delta("done", {
        finishReason: "stop",
        alternatives: [
          { finishReason: "length", raw: "max" },
          { finishReason: "stop", extra: { d: { i: 2 } }, message: { id: "x" } },
        ],
      }),
    ]);
    expect(response.message.parts).toStrictEqual([{ type: "text", text: "zero" }]);
    expect(response.alternatives).toStrictEqual([
      { message: { role: "assistant", parts: [] }, finishReason: { unified: "length", raw: "max" } },
      {
        message: { role: "assistant", parts: [{ type: "text", text: "two!" }], id: "x" },
        finishReason: { unified: "stop" },
        extra: { d: { i: 2 } },
      },
    ]);
  });

  test("providerRaw has no effect", () => {
    const noisy = answer(text("a")).map((each) => ({ ...each, providerRaw: { kind: "error" } }));
    expect(assemble(noisy)).toStrictEqual(assemble(answer(text("a"))));
  });

  test("B79: keys like __proto__ are data", () => {
    const extra = JSON.parse('{"__proto__": {"polluted": 1}, "d": {"__proto__": {"polluted": 2}}}') as Record<
      string,
      Record<string, never>
    >;
    const response = assemble(
      answer(
        delta("text", { textDelta: "a", extra }),
        ...call("__proto__", '{"__proto__":{"polluted":3}}', "__proto__"),
      ),
    );
    const [first, second] = response.message.parts;
    expect(JSON.stringify(first?.extra)).toBe(JSON.stringify(extra));
    expect(second).toMatchObject({ toolCallId: "__proto__" });
    expect(JSON.stringify(second)).toContain('"input":{"__proto__":{"polluted":3}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("calls that cannot be executed", () => {
  test("B22: unreadable arguments keep their text, are flagged, and are noted in the metadata", () => {
    const { message } = assemble(answer(...call("a", '{"x": ')));
    expect(message.parts).toStrictEqual([
      { type: "tool-call", toolCallId: "a", toolName: "tool", input: '{"x": ', inputText: '{"x": ', invalid: true },
    ]);
    expect(message.metadata?.invalidToolCalls).toMatchObject([{ toolCallId: "a" }]);
  });

  test("B21, B31: a call that is still open at done is flagged, even if its text parses", () => {
    const open = call("a", "{}").slice(0, 2);
    const { message } = assemble(answer(...open));
    expect(message.parts).toMatchObject([{ toolCallId: "a", inputText: "{}", invalid: true }]);
    expect(message.metadata?.invalidToolCalls).toMatchObject([{ toolCallId: "a" }]);
  });
});

describe("a failed answer", () => {
  const cut = [START, text("half"), ...call("a", '{"x').slice(0, 2), delta("usage", { inputTokens: 5 })];

  test("B67, B90: an error yields no message, but the marked partial answer and the usage", () => {
    const error = requireError(AssemblyError, () =>
      assemble([...cut, delta("error", { errorCode: "overloaded", message: "busy", retryable: true, status: 529 })]),
    );
    expect(error.code).toBe("error-no-message");
    expect(error.error).toMatchObject({ errorCode: "overloaded", retryable: true });
    expect(error.usage).toMatchObject({ inputTokens: 5 });
    expect(error.partial).toMatchObject({
      parts: [{ text: "half" }, { toolCallId: "a", invalid: true }],
      metadata: { interrupted: true },
    });
    expect(error.response).toMatchObject({
      finishReason: { unified: "error" },
      error: { kind: "overloaded", message: "busy", status: 529 },
    });
  });

  test("an unknown error code is preserved", () => {
    const error = requireError(AssemblyError, () => assemble([START, delta("error", { errorCode: "moon_phase" })]));
    expect(error.response?.error).toStrictEqual({
      kind: "unknown",
      message: "moon_phase",
      raw: { errorCode: "moon_phase" },
    });
  });

  test("B73: an answer without an end is reported as truncated, with its partial answer", () => {
    const error = requireError(AssemblyError, () => assemble(cut));
    expect(error.code).toBe("terminal-missing");
    expect(error.partial).toMatchObject({
      parts: [{ text: "half" }, { invalid: true }],
      metadata: { interrupted: true },
    });
  });

  test("B26: a failed run has its earlier messages", () => {
    const error = requireError(AssemblyError, () =>
      assembleRun([...answer(...call("a", "{}")), result("a"), START, text("half")]),
    );
    expect(error.messages).toMatchObject([{ role: "assistant" }, { role: "tool" }]);
    expect(error.partial).toMatchObject({ parts: [{ text: "half" }] });
  });
});

describe("a run", () => {
  test("contains several answers with tool results between them", () => {
    const deltas = [
      ...answer(...call("a", "{}"), ...call("b", "{}")),
      result("b", "B"),
      result("a", { n: 1 }),
      ...answer(text("done")),
    ];
    const { messages, responses } = assembleRun(stampAll(deltas));
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(messages[1]?.parts).toMatchObject([
      { toolCallId: "b", output: "B" },
      { toolCallId: "a", output: { n: 1 } },
    ]);
    expect(responses).toHaveLength(2);
    expect(responses[1]?.message).toBe(messages[2]);
  });

  test("has snapshots while it grows", () => {
    const run = new RunAssembler();
    for (const each of [...answer(...call("a", "{}")), result("a"), START, text("so ")]) run.push(each);
    expect(run.snapshot()).toMatchObject({
      messages: [{ role: "assistant" }, { role: "tool" }],
      answer: { message: { parts: [{ text: "so " }] }, complete: false },
    });
  });

  test("is stamped with its id, a seq from 0, and the time", () => {
    const times = ["2026-01-01T00:00:00.000Z", new Date(1), 2];
    const inRun = stampDeltas("run-7", () => times.shift() ?? 0);
    expect(answer(text("a")).map((each) => inRun(each))).toMatchObject([
      { runId: "run-7", seq: 0, kind: "start", timestamp: "2026-01-01T00:00:00.000Z" },
      { runId: "run-7", seq: 1, kind: "text", timestamp: "1970-01-01T00:00:00.001Z" },
      { runId: "run-7", seq: 2, kind: "done", timestamp: "1970-01-01T00:00:00.002Z" },
    ]);
  });
});

describe("a growing answer", () => {
  test("B78: the arguments of an open call are readable at every prefix", () => {
    const assembler = new Assembler();
    assembler.push(START);
    assembler.push(delta("tool_call_start", { toolCallId: "a", toolName: "t" }));
    const seen = '{"city":"Córdoba","days":[1,2]}'.split("").map((argsTextDelta) => {
      assembler.push(delta("tool_call_args", { toolCallId: "a", argsTextDelta }));
      const part = assembler.snapshot().message.parts[0];
      return part?.type === "tool-call" ? part.input : undefined;
    });
    expect(seen[0]).toEqual({});
    expect(seen[9]).toEqual({ city: "C" });
    expect(seen.at(-1)).toEqual({ city: "Córdoba", days: [1, 2] });
    expect(seen.every((input) => typeof input === "object")).toBe(true);
  });

  test("B100: settled parts keep their identity, and a snapshot never changes afterwards", () => {
    const assembler = new Assembler();
    for (const each of [
      START,
      text("first", 0),
      delta("annotation", { annotation: { kind: "other" } }),
      text("sec", 1),
    ])
      assembler.push(each);
    const before = assembler.snapshot();
    const copy = structuredClone(before);
    assembler.push(text("ond", 1));
    assembler.push(delta("annotation", { annotation: { kind: "url" }, partKey: 1 }));
    const after = assembler.snapshot();
    expect(after.message.parts[0]).toBe(before.message.parts[0]);
    expect(after.message.parts[1]).not.toBe(before.message.parts[1]);
    expect(before).toStrictEqual(copy);
  });

  test("an invalid delta has no effect", () => {
    const assembler = new Assembler();
    for (const each of [START, text("a", 0)]) assembler.push(each);
    const before = assembler.snapshot();
    for (const bad of [
      START,
      delta("thinking", { textDelta: "x", partKey: 0, choice: 0 }),
      delta("tool_call_end", { toolCallId: "n" }),
      delta("thinking", { textDelta: "x", summary: 3, choice: 1 }),
    ]) {
      expect(() => assembler.push(bad)).toThrow(AssemblyError);
    }
    expect(assembler.snapshot()).toStrictEqual(before);
    assembler.push(DONE);
    expect(assembler.finish().message.parts).toStrictEqual([{ type: "text", text: "a" }]);
  });
});

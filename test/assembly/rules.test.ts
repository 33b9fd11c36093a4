// Every rule of the delta contract, each with the smallest sequence that breaks it.
import { describe, expect, test } from "vitest";
import { assemble, assembleRun, AssemblyError, checkDeltas, RULES } from "../../src/assembly/index.ts";
import type { Rule } from "../../src/assembly/index.ts";
import type { Delta } from "../../src/model/delta.ts";
import type { Part } from "../../src/model/parts.ts";
import { answer, call, delta, DONE, result, stampAll, START } from "../support/deltas.ts";
import { requireError } from "../support/require-error.ts";

type Row = [sentence: string, rule: Rule, seq: number, deltas: unknown[]];

const providerResult: Part = {
  type: "tool-result",
  toolCallId: "p",
  toolName: "search",
  isError: false,
  executor: "provider",
};
const failure = delta("error", { errorCode: "overloaded" });
const reseq = (deltas: Delta[], ...seqs: unknown[]): unknown[] =>
  stampAll(deltas).map((each, i) => ({ ...each, seq: seqs[i] }));

const BROKEN: Row[] = [
  ["an empty sequence has no start", "start-first", 0, []],
  ["a text before the start", "start-first", 0, [delta("text", { textDelta: "a" }), START, DONE]],
  ["a done before the start", "start-first", 0, [DONE]],
  ["a tool result before any answer", "start-first", 0, [result("a")]],
  ["a second start within an answer", "start-once", 1, [START, START, DONE]],
  ["a text after done", "terminal-last", 2, [START, DONE, delta("text", { textDelta: "late" })]],
  ["a second done", "terminal-last", 2, [START, DONE, DONE]],
  ["an error after done", "terminal-last", 2, [START, DONE, failure]],
  ["a done after an error", "terminal-last", 2, [START, failure, DONE]],
  ["a next answer after an error", "terminal-last", 2, [START, failure, START, DONE]],
  ["no end", "terminal-missing", 1, [START, delta("text", { textDelta: "cut" })]],
  ["a repeated seq", "seq-increasing", 0, reseq(answer(), 0, 0)],
  ["seq goes back", "seq-increasing", 3, reseq(answer(), 5, 3)],
  ["seq is no whole number", "seq-increasing", 0.5, reseq(answer(), 0, 0.5)],
  ["seq is a text", "seq-increasing", 1, reseq(answer(), 0, "1")],
  ["another run's delta", "same-run", 1, [...stampAll([START]), { ...stampAll([START, DONE], "run-2")[1] }]],
  [
    "a newer contract",
    "contract-version",
    0,
    [delta("start", { modelId: "m", requestId: "r", contractVersion: 2 }), DONE],
  ],
  [
    "a fractional contract",
    "contract-version",
    0,
    [delta("start", { modelId: "m", requestId: "r", contractVersion: 0.5 }), DONE],
  ],
  ["an unknown kind", "known-kind", 1, [START, { kind: "telepathy", payload: {} }, DONE]],
  ["a kind with a name from Object.prototype", "known-kind", 1, [START, { kind: "constructor", payload: {} }, DONE]],
  ["no object", "known-kind", 1, [START, null, DONE]],
  ["no payload", "payload", 1, [START, { kind: "text" }, DONE]],
  ["a payload without its field", "payload", 1, [START, { kind: "text", payload: {} }, DONE]],
  ["a field of the wrong type", "payload", 1, [START, { kind: "text", payload: { textDelta: 7 } }, DONE]],
  ["a negative choice", "payload", 1, [START, delta("text", { textDelta: "a", choice: -1 }), DONE]],
  ["a wild choice", "payload", 1, [START, delta("text", { textDelta: "a", choice: 1e9 }), DONE]],
  [
    "residue that is no object",
    "payload",
    1,
    [START, { kind: "text", payload: { textDelta: "a", extra: { x: 1 } } }, DONE],
  ],
  [
    "a seal without a value",
    "payload",
    2,
    [START, delta("text", { textDelta: "a" }), { kind: "seal", payload: { seal: { dialect: "x", kind: "id" } } }, DONE],
  ],
  [
    "a complete part without its text",
    "payload",
    1,
    [START, { kind: "part", payload: { value: { type: "text" } } }, DONE],
  ],
  ["a usage that is no number", "payload", 1, [START, { kind: "usage", payload: { inputTokens: "7" } }, DONE]],
  ["two calls with one id", "call-unique", 4, answer(...call("a", "{}"), ...call("a", "{}"))],
  [
    "a complete call with an existing id",
    "call-unique",
    4,
    answer(
      ...call("a", "{}"),
      delta("part", { value: { type: "tool-call", toolCallId: "a", toolName: "t", input: {} } }),
    ),
  ],
  [
    "one id in two choices",
    "call-unique",
    4,
    answer(...call("a", "{}"), delta("tool_call_start", { toolCallId: "a", toolName: "t", choice: 1 })),
  ],
  [
    "one id in two answers of a run",
    "call-unique",
    7,
    [...answer(...call("a", "{}")), result("a"), START, ...call("a", "{}"), DONE],
  ],
  [
    "arguments for a call that was never started",
    "call-started",
    1,
    answer(delta("tool_call_args", { toolCallId: "a", argsTextDelta: "{}" })),
  ],
  ["an end for a call that was never started", "call-started", 1, answer(delta("tool_call_end", { toolCallId: "a" }))],
  [
    "arguments for a call of an earlier answer",
    "call-started",
    7,
    [
      ...answer(...call("a", "{}")),
      result("a"),
      START,
      delta("tool_call_args", { toolCallId: "a", argsTextDelta: "x" }),
      DONE,
    ],
  ],
  [
    "arguments after the end of the call",
    "call-open",
    4,
    answer(...call("a", "{}"), delta("tool_call_args", { toolCallId: "a", argsTextDelta: "x" })),
  ],
  ["two ends of one call", "call-open", 4, answer(...call("a", "{}"), delta("tool_call_end", { toolCallId: "a" }))],
  [
    "two results for one call",
    "result-once",
    6,
    [...answer(...call("a", "{}")), result("a"), result("a"), START, DONE],
  ],
  [
    "two results of the provider for one call",
    "result-once",
    2,
    answer(delta("part", { value: providerResult }), delta("part", { value: providerResult })),
  ],
  ["a result without a call", "result-traced", 2, [...answer(), result("unknown"), START, DONE]],
  [
    "a client's result within an answer, without a call",
    "result-traced",
    1,
    answer(delta("part", { value: { type: "tool-result", toolCallId: "a", toolName: "", isError: false } })),
  ],
  ["a result with a role within an answer", "result-between", 4, [START, ...call("a", "{}"), result("a"), DONE]],
  [
    "a text between answers",
    "result-between",
    2,
    [...answer(), delta("part", { role: "tool", value: { type: "text", text: "a" } }), START, DONE],
  ],
  [
    "one part key for a text and for reasoning (B76)",
    "part-kind",
    2,
    answer(delta("text", { textDelta: "a", partKey: 1 }), delta("thinking", { textDelta: "b", partKey: 1 })),
  ],
  [
    "one part key for a text and for a call",
    "part-kind",
    2,
    answer(
      delta("text", { textDelta: "a", partKey: 1 }),
      delta("tool_call_start", { toolCallId: "a", toolName: "t", partKey: 1 }),
    ),
  ],
  [
    "one part key for a text and for a complete part",
    "part-kind",
    2,
    answer(
      delta("text", { textDelta: "a", partKey: 1 }),
      delta("part", { value: { type: "text", text: "b" }, partKey: 1 }),
    ),
  ],
  [
    "a seal before any part",
    "part-exists",
    1,
    answer(delta("seal", { seal: { dialect: "x", kind: "id", value: "v" } })),
  ],
  [
    "a seal on a missing part",
    "part-exists",
    2,
    answer(
      delta("text", { textDelta: "a" }),
      delta("seal", { seal: { dialect: "x", kind: "id", value: "v" }, partKey: 9 }),
    ),
  ],
  [
    "an annotation on reasoning",
    "part-exists",
    2,
    answer(delta("thinking", { textDelta: "a" }), delta("annotation", { annotation: { kind: "other" } })),
  ],
  [
    "a summary that skips one",
    "summary-dense",
    2,
    answer(delta("thinking", { textDelta: "a", summary: 0 }), delta("thinking", { textDelta: "b", summary: 2 })),
  ],
  ["a fractional summary", "summary-dense", 1, answer(delta("thinking", { textDelta: "a", summary: 0.5 }))],
];

describe("a violated rule is a typed error that names the rule and the seq", () => {
  test.each(BROKEN)("%s violates %s", (_, rule, seq, deltas) => {
    const error = requireError(AssemblyError, () => assembleRun(deltas as Delta[]));
    expect(error).toMatchObject({ name: "AssemblyError", code: rule, rule, seq });
    expect(error.message).toContain(RULES[rule]);
    expect(checkDeltas(deltas as Delta[])[0]).toMatchObject({ rule, seq });
  });

  test("every rule has a row except the one about errors, which is no violation", () => {
    const shown = new Set(BROKEN.map(([, rule]) => rule));
    expect(Object.keys(RULES).filter((rule) => !shown.has(rule as Rule))).toEqual(["error-no-message"]);
  });

  test("`assemble` accepts one answer only", () => {
    expect(requireError(AssemblyError, () => assemble([...answer(), START, DONE])).rule).toBe("terminal-last");
  });

  test("checkDeltas lists every violated rule and checks the rest without the invalid delta", () => {
    const deltas = answer(
      delta("tool_call_args", { toolCallId: "a", argsTextDelta: "{}" }),
      ...call("b", "{}"),
      delta("seal", { seal: { dialect: "x", kind: "id", value: "v" }, partKey: 7 }),
      ...call("b", "{}"),
    );
    expect(checkDeltas(deltas).map(({ rule, seq }) => [rule, seq])).toEqual([
      ["call-started", 1],
      ["part-exists", 5],
      ["call-unique", 6],
      ["call-open", 7],
      ["call-open", 8],
    ]);
  });

  test("deltas before the first start are reported once", () => {
    const texts = Array.from({ length: 5 }, () => delta("text", { textDelta: "a" }));
    expect(checkDeltas([...texts, ...answer()]).map(({ rule }) => rule)).toEqual(["start-first"]);
  });

  test("a sequence that ends with an error is valid", () => {
    expect(checkDeltas([START, delta("text", { textDelta: "a" }), failure])).toEqual([]);
  });
});

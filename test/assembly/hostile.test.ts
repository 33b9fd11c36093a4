// Hostile input for the assembler: odd payloads, exact digits, and streams that are built to be slow.
import { describe, expect, test } from "vitest";
import {
  assemble,
  Assembler,
  AssemblyError,
  checkDeltas,
  disassemble,
  RunAssembler,
} from "../../src/assembly/index.ts";
import { toolCall } from "../../src/model/part-constructors.ts";
import type { Delta } from "../../src/model/delta.ts";
import { parseJson, stringifyJson } from "../../src/model/json/index.ts";
import { answer, call, delta, DONE, result, START } from "../support/deltas.ts";

const odd = (kind: string, payload: object): Delta => ({ kind, payload }) as unknown as Delta;

const ODD_INSIDES: [sentence: string, deltas: Delta[]][] = [
  ["a message without residue", [odd("start", { modelId: "m", requestId: "r", message: { extra: null } }), DONE]],
  ["a message with an odd id", [odd("start", { modelId: "m", requestId: "r", message: { id: 7 } }), DONE]],
  ["metadata that is a text", [START, odd("done", { finishReason: "stop", message: { metadata: "abc" } })]],
  ["invalid alternatives", [START, odd("done", { finishReason: "stop", alternatives: [null] })]],
  [
    "too many alternatives",
    [
      START,
      odd("done", {
        finishReason: "stop",
        alternatives: Array.from({ length: 2000 }, () => ({ finishReason: "stop" })),
      }),
    ],
  ],
  ["invalid log probabilities", [START, odd("text", { textDelta: "a", logprobs: [1, null] }), DONE]],
  [
    "an unknown executor",
    [START, odd("tool_call_start", { toolCallId: "a", toolName: "t", executor: "martian" }), DONE],
  ],
  ["an unknown format", [START, odd("tool_call_start", { toolCallId: "a", toolName: "t", format: "xml" }), DONE]],
  ["an unknown kind of media", [START, odd("media", { type: "smell", dataDelta: "" }), DONE]],
  ["a role that is not allowed", [START, odd("part", { role: "user", value: { type: "text", text: "" } }), DONE]],
];

describe("odd insides of payloads", () => {
  test.each(ODD_INSIDES)("%s are rejected by name, without an effect", (_, deltas) => {
    expect(checkDeltas(deltas)[0]).toMatchObject({ rule: "payload" });
    const assembler = new Assembler();
    let before = assembler.snapshot();
    for (const each of deltas) {
      try {
        assembler.push(each);
        before = assembler.snapshot();
      } catch (error) {
        expect(error).toBeInstanceOf(AssemblyError);
        expect(assembler.snapshot()).toStrictEqual(before);
        break;
      }
    }
  });

  test("an undefined usage field counts as missing, and unknown fields are ignored", () => {
    const usage = assemble(
      answer(delta("usage", { inputTokens: 5 }), odd("usage", { inputTokens: undefined, foo: "x" })),
    ).usage;
    expect(usage).toStrictEqual({ inputTokens: 5, outputTokens: 0, totalTokens: 5 });
  });

  test("an error preserves its retryable flag and its residue", () => {
    const failing = [START, delta("error", { errorCode: "server", retryable: false, extra: { d: { a: 1 } } })];
    let caught: unknown;
    try {
      assemble(failing);
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ response: { error: { kind: "server", retryable: false }, extra: { d: { a: 1 } } } });
  });

  test("messages about huge ids stay short", () => {
    const id = "x".repeat(1_000_000);
    for (const { message } of checkDeltas([
      START,
      delta("tool_call_end", { toolCallId: id }),
      ...call(id, "{}"),
      ...call(id, "{}"),
      DONE,
    ])) {
      expect(message.length).toBeLessThan(500);
    }
  });
});

describe("exact digits (B23)", () => {
  test("survive in residue, in whole parts and in results between answers", () => {
    const big = '{"n":12345678901234567890}';
    const extra = { d: parseJson(big) as never };
    const run = new RunAssembler();
    run.push(
      delta("start", { modelId: "m", requestId: "r", extra, message: { extra, metadata: parseJson(big) as never } }),
    );
    run.push(delta("text", { textDelta: "a", extra }));
    run.push(delta("part", { value: { type: "opaque", dialect: "x", value: parseJson(big) }, extra }));
    for (const each of call("a", "{}")) run.push(each);
    run.push(delta("usage", { inputTokens: 1, extra }));
    run.push(DONE);
    run.push(
      delta("part", {
        role: "tool",
        value: { type: "tool-result", toolCallId: "a", toolName: "t", isError: false, output: parseJson(big) },
        extra,
      }),
    );
    const { messages, responses } = run.finish();
    expect(stringifyJson([messages, responses]).match(/12345678901234567890/g)).toHaveLength(2 * 5 + 2 + 2);
    expect(stringifyJson([messages, responses])).not.toContain("12345678901234567000");
  });
});

describe("streams that are built to be slow (B79)", () => {
  // Were the cost quadratic, each of these would take minutes and run into the time limit.
  const MANY = 60_000;

  test("a new field of residue on every delta", () => {
    const assembler = new Assembler();
    assembler.push(START);
    for (let index = 0; index < MANY; index++)
      assembler.push(delta("text", { textDelta: "a", extra: { d: { [`k${index}`]: index } } }));
    assembler.push(DONE);
    expect(Object.keys(assembler.finish().message.parts[0]?.extra?.["d"] ?? {})).toHaveLength(MANY);
  });

  test("a seal of another kind on every delta", () => {
    const assembler = new Assembler();
    for (const each of [START, delta("text", { textDelta: "a" })]) assembler.push(each);
    for (let index = 0; index < MANY; index++)
      assembler.push(delta("seal", { seal: { dialect: "x", kind: `k${index}`, value: "v" } }));
    assembler.push(DONE);
    expect(assembler.finish().message.parts[0]?.seals).toHaveLength(MANY);
  });

  test("only violations", () => {
    const bad = Array.from({ length: MANY }, () => odd("text", {}));
    const early = Array.from({ length: MANY }, () => delta("text", { textDelta: "" }));
    expect(checkDeltas([...bad, ...early])).toHaveLength(MANY + 1);
  });
});

test("B20: a call without an input is disassembled and assembled with empty arguments", () => {
  const message = { role: "assistant" as const, parts: [toolCall("a", "t", undefined)] };
  const response = { id: "", model: "", message, finishReason: { unified: "stop" as const } };
  expect(assemble(disassemble(response)).message.parts).toStrictEqual([toolCall("a", "t", {})]);
});

describe("returned values do not change later", () => {
  test("B100: a snapshot of a run does not change when more results arrive", () => {
    const run = new RunAssembler();
    for (const each of [...answer(...call("a", "{}"), ...call("b", "{}")), result("a")]) run.push(each);
    const { messages } = run.snapshot();
    run.push(result("b"));
    expect(messages[1]?.parts).toHaveLength(1);
    expect(run.snapshot().messages[1]?.parts).toHaveLength(2);
    expect(run.snapshot().messages[0]).toBe(messages[0]);
  });

  test("a partial response that was read early does not change", () => {
    const assembler = new Assembler();
    for (const each of [START, delta("text", { textDelta: "so " })]) assembler.push(each);
    let partial: unknown;
    try {
      assembler.finish();
    } catch (error) {
      ({ partial } = error as AssemblyError);
    }
    assembler.push(delta("text", { textDelta: "far" }));
    expect(partial).toMatchObject({ parts: [{ text: "so " }] });
  });

  test("reading the response early ends no call", () => {
    const assembler = new Assembler();
    for (const each of [START, ...call("a", '{"x":1}').slice(0, 2)]) assembler.push(each);
    expect(() => assembler.finish()).toThrow(AssemblyError);
    for (const each of [...call("a", "").slice(2), DONE]) assembler.push(each);
    expect(assembler.finish().message).toStrictEqual({
      role: "assistant",
      parts: [{ type: "tool-call", toolCallId: "a", toolName: "tool", input: { x: 1 } }],
    });
  });
});

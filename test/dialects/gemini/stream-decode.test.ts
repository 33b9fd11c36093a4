// Decoding of Gemini streams: the deltas of each event, and their order.
import { describe, expect, test } from "vitest";
import { assembleRun, checkDeltas } from "../../../src/assembly/assemble.ts";
import type { Delta } from "../../../src/model/delta.ts";
import { parseJson } from "../../../src/model/json/index.ts";
import { call, chunk, last, signed, streams, text, thought } from "./stream-samples.ts";
import { assembleAnswer, decodeAll, encodeAll, dialect, withoutFormSpecificKeys } from "./stream-helpers.ts";

const issuer = { dialect: "gemini", kind: "signature" };
const NO_ID = { gemini: { $form: { id: null } } };
const THOUGHT = { extra: { gemini: { $form: { thought: true } } } };

/** Returns the deltas without the first and the last, each as kind and payload. */
function innerDeltas(events: readonly unknown[]): unknown[] {
  return decodeAll(events)
    .slice(1, -1)
    .filter(({ kind }) => kind !== "usage")
    .map(({ kind, payload }) => [kind, payload]);
}

describe("B80: a streamed answer is the same as the whole one", () => {
  test.each(streams)("$name", ({ events, whole }) => {
    const deltas = decodeAll(events);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(withoutFormSpecificKeys(assembleAnswer(deltas))).toStrictEqual(
      withoutFormSpecificKeys(dialect.decodeResponse(whole)),
    );
  });
});

describe("deltas of events", () => {
  const rows: [sentence: string, events: object[], deltas: unknown[]][] = [
    [
      "B80: adjacent texts are one part, and an empty one adds nothing",
      [chunk(text("")), chunk(text("a")), chunk(text("")), last([text("b")])],
      [
        ["text", { textDelta: "a", partKey: 0 }],
        ["text", { textDelta: "b", partKey: 0 }],
      ],
    ],
    [
      "B9: a signature seals the text before it",
      [chunk(text("a")), last([text("", signed)])],
      [
        ["text", { textDelta: "a", partKey: 0 }],
        ["seal", { seal: { ...issuer, value: "c2ln" }, partKey: 0 }],
      ],
    ],
    [
      "B9: a signed empty text is a part",
      [chunk(call("f", {})), last([text("", signed)])],
      [
        ["tool_call_start", { toolCallId: "call_resp-1_1", toolName: "f", objectArgs: true, extra: NO_ID, partKey: 0 }],
        ["tool_call_args", { toolCallId: "call_resp-1_1", argsTextDelta: "{}" }],
        ["tool_call_end", { toolCallId: "call_resp-1_1" }],
        ["text", { textDelta: "", partKey: 1 }],
        ["seal", { seal: { ...issuer, value: "c2ln" }, partKey: 1 }],
      ],
    ],
    [
      "B15: thoughts become reasoning; the form of an unsigned one is emitted at its end",
      [chunk(thought("a")), last([thought("b"), text("c")])],
      [
        ["thinking", { textDelta: "a", partKey: 0 }],
        ["thinking", { textDelta: "b", partKey: 0 }],
        ["thinking", { textDelta: "", ...THOUGHT, partKey: 0 }],
        ["text", { textDelta: "c", partKey: 1 }],
      ],
    ],
    [
      "B31: a call that the finish reason cuts off is invalid",
      [chunk(call("f", { a: 1 }, { id: "x" })), last([], { finishReason: "MAX_TOKENS" })],
      [
        ["tool_call_start", { toolCallId: "x", toolName: "f", objectArgs: true, partKey: 0 }],
        ["tool_call_args", { toolCallId: "x", argsTextDelta: '{"a":1}' }],
        ["tool_call_end", { toolCallId: "x", invalid: true }],
      ],
    ],
    [
      "B78: streamed arguments are emitted as they arrive",
      [
        chunk(call("f", undefined, { id: "x", willContinue: true })),
        chunk({
          functionCall: {
            partialArgs: [{ jsonPath: "$.a", stringValue: "b", willContinue: true }],
            willContinue: true,
          },
        }),
        chunk({ functionCall: { partialArgs: [{ jsonPath: "$.a", stringValue: "c" }], willContinue: true } }),
        last([{ functionCall: {} }]),
      ],
      [
        ["tool_call_start", { toolCallId: "x", toolName: "f", objectArgs: true, partKey: 0 }],
        ["tool_call_args", { toolCallId: "x", argsTextDelta: '{"a":"b' }],
        ["tool_call_args", { toolCallId: "x", argsTextDelta: 'c"' }],
        ["tool_call_end", { toolCallId: "x", argsTextDelta: "}" }],
      ],
    ],
    [
      "B59: each candidate has its own parts",
      [
        { candidates: [{ content: { parts: [text("b")] }, index: 1 }] },
        { candidates: [{ content: { parts: [text("a")] }, finishReason: "STOP" }] },
      ],
      [
        ["text", { textDelta: "b", partKey: 0, choice: 1 }],
        ["text", { textDelta: "a", partKey: 0 }],
      ],
    ],
    [
      "B43: an unknown part becomes an opaque part",
      [chunk({ unheard: 1 }), last([])],
      [["part", { value: { type: "opaque", dialect: "gemini", value: { unheard: 1 } }, partKey: 0 }]],
    ],
  ];
  test.each(rows)("%s", (_, events, deltas) => expect(innerDeltas(events)).toStrictEqual(deltas));
});

describe("how a stream ends", () => {
  const finish = (events: readonly unknown[]): unknown => {
    const delta = decodeAll(events).at(-1);
    return delta?.kind === "done" ? [delta.payload.finishReason, delta.payload.raw] : delta?.payload;
  };
  const rows: [sentence: string, events: unknown[], end: unknown][] = [
    ["at its end", [chunk(text("a")), last([text("b")])], ["stop", "STOP"]],
    ["B61: STOP with calls becomes tool-calls", [last([call("f", {})])], ["tool-calls", "STOP"]],
    [
      "B61: a cut-off call does not change the finish reason",
      [last([call("f")], { finishReason: "SAFETY" })],
      ["content-filter", "SAFETY"],
    ],
    [
      "counts after the finish reason",
      [last([text("a")]), { usageMetadata: { totalTokenCount: 3 } }],
      ["stop", "STOP"],
    ],
    ["a blocked prompt", [{ promptFeedback: { blockReason: "OTHER" } }], ["content-filter", "OTHER"]],
    ["B70: the [DONE] mark of other dialects", [last([text("a")]), "[DONE]"], ["stop", "STOP"]],
    ["B73: a stream without a finish reason is truncated", [chunk(text("a"))], { errorCode: "truncated" }],
    ["B73: an empty reply", [], { errorCode: "truncated" }],
    [
      "B71: events without candidates do not end the answer",
      [{ candidates: [] }, { candidates: null }, {}],
      { errorCode: "truncated" },
    ],
    [
      "B72: an error event with HTTP status 200",
      [chunk(text("a")), { error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } }],
      { errorCode: "overloaded", message: "Busy.", status: 503, retryable: true },
    ],
    [
      "B72: a list with one error and no other event",
      [[{ error: { code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED" } }]],
      { errorCode: "rate-limit", message: "Slow down.", status: 429 },
    ],
  ];
  test.each(rows)("%s", (_, events, end) => {
    const deltas = decodeAll(events);
    expect(deltas[0]?.kind).toBe("start");
    expect(checkDeltas(deltas)).toStrictEqual([]);
    if (Array.isArray(end)) expect(finish(events)).toStrictEqual(end);
    else expect(finish(events)).toMatchObject(end as object);
  });

  test("an event with another response id after the end begins the next answer, whose call ids differ", () => {
    const next = (id: string): object[] =>
      [chunk(call("f", {}, { id: "fc" })), last([call("g")])].map((event) => ({ ...event, responseId: id }));
    const deltas = decodeAll([...next("one"), ...next("two"), { usageMetadata: {} }]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    const { responses } = assembleRun(deltas);
    expect(responses.map(({ id }) => id)).toStrictEqual(["one", "two"]);
    const ids = responses.flatMap(({ message }) =>
      message.parts.map((part) => "toolCallId" in part && part.toolCallId),
    );
    expect(ids).toStrictEqual(["fc", "call_one_2", "call_two_1", "call_two_2"]);
  });

  test("B17: without a response id, call ids derive from the first call, in streams and whole responses alike", () => {
    const nameless = (event: object): object => ({ ...event, responseId: "" });
    const [one, two] = [chunk({ ...call("f", { a: 1 }), ...signed }), last([call("f", {})])].map(nameless);
    const whole = nameless(last([{ ...call("f", { a: 1 }), ...signed }, call("f", {})]));
    expect(assembleAnswer(decodeAll([one, two]))).toStrictEqual(dialect.decodeResponse(whole));
  });

  test("an error after the finish reason is emitted with both", () => {
    const error = { code: 500, message: "Gone.", status: "INTERNAL" };
    const deltas = decodeAll([{ ...last([text("a")]), error }]);
    expect(assembleAnswer(deltas)).toMatchObject({
      finishReason: { unified: "error", raw: "STOP" },
      error: { kind: "server", message: "Gone." },
      message: { parts: [{ type: "text", text: "a" }] },
    });
  });
});

describe("usage", () => {
  const counts = (events: object[]): unknown[] =>
    decodeAll(events).flatMap(({ kind, payload }) => (kind === "usage" ? [payload] : []));

  test("B65, B67: counts are emitted as they arrive, and those of the last event count", () => {
    const event = (usageMetadata: object): object => ({ ...chunk(text("a")), usageMetadata });
    const all = counts([
      event({ trafficType: "ON_DEMAND" }),
      event({ promptTokenCount: 5, totalTokenCount: 5 }),
      event({ promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 3, totalTokenCount: 10 }),
    ]);
    expect(all).toMatchObject([
      { inputTokens: 5, outputTokens: 0, totalTokens: 5 },
      { inputTokens: 5, outputTokens: 5, totalTokens: 10, reasoningTokens: 3 },
      {
        inputTokens: 5,
        outputTokens: 5,
        totalTokens: 10,
        extra: { gemini: { trafficType: "ON_DEMAND" } },
        raw: { trafficType: "ON_DEMAND", promptTokenCount: 5 },
      },
    ]);
  });
});

describe("renamed tools", () => {
  test("B16, B30, B32: tool names and text inputs are restored", () => {
    const names = { toolNames: { wire_name: "my tool" }, textTools: ["my tool"] };
    const deltas = decodeAll([last([call("wire_name", { value: "free text" }, { id: "x" })])], names);
    expect(assembleAnswer(deltas).message.parts).toStrictEqual([
      { type: "tool-call", toolCallId: "x", toolName: "my tool", input: "free text", format: "text" },
    ]);
  });
});

test("B23: exact digits are preserved in calls, streamed arguments and residue", () => {
  const big = "12345678901234567890";
  const events = [
    `{"candidates":[{"content":{"parts":[{"functionCall":{"id":"a","name":"f","args":{"n":${big}}}}]}}],"seed":${big}}`,
    `{"candidates":[{"content":{"parts":[{"functionCall":{"id":"b","name":"f","willContinue":true}}]}}]}`,
    `{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.n","numberValue":${big}}]}}]},"finishReason":"STOP"}]}`,
  ];
  const response = assembleAnswer(decodeAll(events.map((event) => parseJson(event))));
  expect(response.message.parts).toMatchObject([{ inputText: `{"n":${big}}` }, { inputText: `{"n":${big}}` }]);
});

test("B43: unreadable events are stored and encoded again", () => {
  const odd = [
    { candidates: 7 },
    { candidates: [8] },
    { candidates: [{ index: 0, content: { parts: 9 } }] },
    { candidates: [{ index: 0, content: { parts: [10] } }] },
  ];
  const deltas: Delta[] = decodeAll([chunk(text("a")), ...odd, last([text("b")])]);
  expect(assembleAnswer(deltas)).toMatchObject({
    message: { parts: [{ type: "text", text: "ab" }] },
    extra: { gemini: { $events: odd } },
  });
});

test("an event that is not an object is rejected with its path", () => {
  expect(() => decodeAll([7])).toThrow(expect.objectContaining({ name: "DialectError", code: "wrong-type" }));
});

test("B43: unknown fields of a streamed call are stored, and its arguments stay intact", () => {
  const piece = (functionCall: object): object => chunk({ functionCall });
  const place = { jsonPath: "$.at", stringValue: "Delos" };
  const events = [
    piece({ name: "look", willContinue: true }),
    piece({ partialArgs: [{ ...place, mood: "calm" }], tone: "warm", willContinue: true }),
    piece({}),
    last([]),
  ];
  const deltas = decodeAll(events);
  const call = {
    type: "tool-call",
    input: { at: "Delos" },
    extra: { gemini: { functionCall: { tone: "warm", partialArgs: [{ jsonPath: "$.at", mood: "calm" }] } } },
  };
  expect(assembleAnswer(deltas).message.parts).toMatchObject([call]);
  expect(assembleAnswer(decodeAll(encodeAll(deltas).events)).message.parts).toMatchObject([call]);
  expect(assembleAnswer(decodeAll(events.slice(0, 2))).message.parts).toMatchObject([
    { extra: call.extra, invalid: true },
  ]);
});

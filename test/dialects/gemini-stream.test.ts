// Gemini's streams, from the wire: what the events become, and when.
import { describe, expect, test } from "vitest";
import { assembleRun, checkDeltas } from "../../src/assembly/assemble.ts";
import type { Delta } from "../../src/model/delta.ts";
import { parseJson } from "../../src/model/json.ts";
import { call, chunk, last, signed, streams, text, thought } from "./gemini-stream-samples.ts";
import { answerOf, decodeAll, encodeAll, dialect, unnoted } from "./gemini-streaming.ts";

const issued = { dialect: "gemini", kind: "signature" };
const NO_ID = { gemini: { $form: { id: null } } };
const THOUGHT = { extra: { gemini: { $form: { thought: true } } } };

/** The deltas without the first and the last, each as its kind and payload. */
function between(events: readonly unknown[]): unknown[] {
  return decodeAll(events)
    .slice(1, -1)
    .filter(({ kind }) => kind !== "usage")
    .map(({ kind, payload }) => [kind, payload]);
}

describe("B80: a streamed answer is the same as the whole one", () => {
  test.each(streams)("$name", ({ events, whole }) => {
    const deltas = decodeAll(events);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(unnoted(answerOf(deltas))).toStrictEqual(unnoted(dialect.decodeResponse(whole)));
  });
});

describe("what events become", () => {
  const rows: [sentence: string, events: object[], deltas: unknown[]][] = [
    [
      "B80: pieces of text are one part, and an empty one is framing",
      [chunk(text("")), chunk(text("a")), chunk(text("")), last([text("b")])],
      [
        ["text", { textDelta: "a", part: 0 }],
        ["text", { textDelta: "b", part: 0 }],
      ],
    ],
    [
      "B9: a signature seals the text before it",
      [chunk(text("a")), last([text("", signed)])],
      [
        ["text", { textDelta: "a", part: 0 }],
        ["seal", { seal: { ...issued, value: "c2ln" }, part: 0 }],
      ],
    ],
    [
      "B9: an empty text that is signed is a part",
      [chunk(call("f", {})), last([text("", signed)])],
      [
        ["tool_call_start", { toolCallId: "call_resp-1_1", toolName: "f", objectArgs: true, extra: NO_ID, part: 0 }],
        ["tool_call_args", { toolCallId: "call_resp-1_1", argsTextDelta: "{}" }],
        ["tool_call_end", { toolCallId: "call_resp-1_1" }],
        ["text", { textDelta: "", part: 1 }],
        ["seal", { seal: { ...issued, value: "c2ln" }, part: 1 }],
      ],
    ],
    [
      "B15: thoughts are no text; that an unsigned one is Gemini's own is told when it is over",
      [chunk(thought("a")), last([thought("b"), text("c")])],
      [
        ["thinking", { textDelta: "a", part: 0 }],
        ["thinking", { textDelta: "b", part: 0 }],
        ["thinking", { textDelta: "", ...THOUGHT, part: 0 }],
        ["text", { textDelta: "c", part: 1 }],
      ],
    ],
    [
      "B31: a call that the end cuts off is not to be executed",
      [chunk(call("f", { a: 1 }, { id: "x" })), last([], { finishReason: "MAX_TOKENS" })],
      [
        ["tool_call_start", { toolCallId: "x", toolName: "f", objectArgs: true, part: 0 }],
        ["tool_call_args", { toolCallId: "x", argsTextDelta: '{"a":1}' }],
        ["tool_call_end", { toolCallId: "x", invalid: true }],
      ],
    ],
    [
      "B78: arguments in pieces are said as they come",
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
        ["tool_call_start", { toolCallId: "x", toolName: "f", objectArgs: true, part: 0 }],
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
        ["text", { textDelta: "b", part: 0, choice: 1 }],
        ["text", { textDelta: "a", part: 0 }],
      ],
    ],
    [
      "B43: what is no part at all is kept",
      [chunk({ unheard: 1 }), last([])],
      [["part", { value: { type: "opaque", dialect: "gemini", value: { unheard: 1 } }, part: 0 }]],
    ],
  ];
  test.each(rows)("%s", (_, events, deltas) => expect(between(events)).toStrictEqual(deltas));
});

describe("how a stream ends", () => {
  const finish = (events: readonly unknown[]): unknown => {
    const delta = decodeAll(events).at(-1);
    return delta?.kind === "done" ? [delta.payload.finishReason, delta.payload.raw] : delta?.payload;
  };
  const rows: [sentence: string, events: unknown[], end: unknown][] = [
    ["at its end", [chunk(text("a")), last([text("b")])], ["stop", "STOP"]],
    ["B61: with calls it waits for them", [last([call("f", {})])], ["tool-calls", "STOP"]],
    [
      "B61: a call that is cut off does not change why",
      [last([call("f")], { finishReason: "SAFETY" })],
      ["content-filter", "SAFETY"],
    ],
    [
      "what follows the end may still tell counts",
      [last([text("a")]), { usageMetadata: { totalTokenCount: 3 } }],
      ["stop", "STOP"],
    ],
    ["a blocked question", [{ promptFeedback: { blockReason: "OTHER" } }], ["content-filter", "OTHER"]],
    ["B70: a mark that others send", [last([text("a")]), "[DONE]"], ["stop", "STOP"]],
    ["B73: without an end it broke off", [chunk(text("a"))], { errorCode: "truncated" }],
    ["B73: an empty reply", [], { errorCode: "truncated" }],
    ["B71: no candidates are no end", [{ candidates: [] }, { candidates: null }, {}], { errorCode: "truncated" }],
    [
      "B72: an error under 200",
      [chunk(text("a")), { error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } }],
      { errorCode: "overloaded", message: "Busy.", status: 503, retryable: true },
    ],
    [
      "B72: an error in a list, and nothing else",
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

  test("an answer with another id after the end is the next one, and its calls have ids of their own", () => {
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

  test("B17: without an id, the first call tells answers apart, alike in both forms", () => {
    const nameless = (event: object): object => ({ ...event, responseId: "" });
    const [one, two] = [chunk({ ...call("f", { a: 1 }), ...signed }), last([call("f", {})])].map(nameless);
    const whole = nameless(last([{ ...call("f", { a: 1 }), ...signed }, call("f", {})]));
    expect(answerOf(decodeAll([one, two]))).toStrictEqual(dialect.decodeResponse(whole));
  });

  test("what failed after its end says both", () => {
    const error = { code: 500, message: "Gone.", status: "INTERNAL" };
    const deltas = decodeAll([{ ...last([text("a")]), error }]);
    expect(answerOf(deltas)).toMatchObject({
      finishReason: { unified: "error", raw: "STOP" },
      error: { kind: "server", message: "Gone." },
      message: { parts: [{ type: "text", text: "a" }] },
    });
  });
});

describe("usage", () => {
  const counts = (events: object[]): unknown[] =>
    decodeAll(events).flatMap(({ kind, payload }) => (kind === "usage" ? [payload] : []));

  test("B65, B67: counts are told as they come, and are those of the last event", () => {
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

describe("what was renamed for the request", () => {
  test("B16, B30, B32: names and texts come back", () => {
    const names = { toolNames: { wire_name: "my tool" }, textTools: ["my tool"] };
    const deltas = decodeAll([last([call("wire_name", { value: "free text" }, { id: "x" })])], names);
    expect(answerOf(deltas).message.parts).toStrictEqual([
      { type: "tool-call", toolCallId: "x", toolName: "my tool", input: "free text", format: "text" },
    ]);
  });
});

test("B23: digits arrive, in calls, in pieces of arguments and beside them", () => {
  const big = "12345678901234567890";
  const events = [
    `{"candidates":[{"content":{"parts":[{"functionCall":{"id":"a","name":"f","args":{"n":${big}}}}]}}],"seed":${big}}`,
    `{"candidates":[{"content":{"parts":[{"functionCall":{"id":"b","name":"f","willContinue":true}}]}}]}`,
    `{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.n","numberValue":${big}}]}}]},"finishReason":"STOP"}]}`,
  ];
  const response = answerOf(decodeAll(events.map((event) => parseJson(event))));
  expect(response.message.parts).toMatchObject([{ inputText: `{"n":${big}}` }, { inputText: `{"n":${big}}` }]);
});

test("B43: what cannot be read is kept, and goes out again", () => {
  const odd = [
    { candidates: 7 },
    { candidates: [8] },
    { candidates: [{ index: 0, content: { parts: 9 } }] },
    { candidates: [{ index: 0, content: { parts: [10] } }] },
  ];
  const deltas: Delta[] = decodeAll([chunk(text("a")), ...odd, last([text("b")])]);
  expect(answerOf(deltas)).toMatchObject({
    message: { parts: [{ type: "text", text: "ab" }] },
    extra: { gemini: { $events: odd } },
  });
});

test("what is no object is refused, with its place", () => {
  expect(() => decodeAll([7])).toThrow(expect.objectContaining({ name: "DialectError", code: "wrong-type" }));
});

test("B43: what a piece of a call says that nobody knows is kept, and does not cost its arguments", () => {
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
  expect(answerOf(deltas).message.parts).toMatchObject([call]);
  expect(answerOf(decodeAll(encodeAll(deltas).events)).message.parts).toMatchObject([call]);
  expect(answerOf(decodeAll(events.slice(0, 2))).message.parts).toMatchObject([{ extra: call.extra, invalid: true }]);
});

// Encoding of Anthropic streams: the events of each delta.
import { describe, expect, test } from "vitest";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import type { Delta, DeltaKind, DeltaPayloads } from "../../../src/model/delta.ts";
import { assembleAnswer, decode, encode } from "./stream-helpers.ts";
import {
  blockDelta,
  blockStart,
  blockStop,
  inputDeltaEvent,
  textDeltaEvent,
  signatureDeltaEvent,
  thinkingDeltaEvent,
} from "./stream-samples.ts";

function delta<Kind extends DeltaKind>(kind: Kind, payload: DeltaPayloads[Kind]): Delta {
  return { kind, payload } as Delta;
}
const START = delta("start", { modelId: "m", requestId: "r", contractVersion: 1 });
const DONE = delta("done", { finishReason: "stop" });
const textDelta = (textDelta: string, fields: object = {}): Delta => delta("text", { textDelta, ...fields });
const thinkingDelta = (textDelta: string, fields: object = {}): Delta => delta("thinking", { textDelta, ...fields });
const callStart = (toolCallId: string, fields: object = {}): Delta =>
  delta("tool_call_start", { toolCallId, toolName: "look", ...fields });
const callArguments = (toolCallId: string, argsTextDelta: string): Delta =>
  delta("tool_call_args", { toolCallId, argsTextDelta });
const callEnd = (toolCallId: string): Delta => delta("tool_call_end", { toolCallId });
const sealDelta = (value: string): Delta => delta("seal", { seal: { dialect: "anthropic", kind: "signature", value } });

const encodeData = (deltas: readonly Delta[]): object[] =>
  encode(deltas).events.map((event) => Object(event.data) as object);
/** Encodes deltas between start and end, and returns the events of the blocks. */
const encodeBlocks = (...between: Delta[]): object[] =>
  encodeData([START, ...between, DONE]).filter(
    (event) => "type" in event && String(event.type).startsWith("content_block"),
  );
const formatLosses = (deltas: readonly Delta[]): string[] =>
  encode(deltas).losses.map(({ code, path }) => `${code} ${path}`);

const EMPTY_TEXT = { type: "text", text: "" };
const EMPTY_THINKING = { type: "thinking", thinking: "", signature: "" };
const blockEvents = (index: number, start: object, ...deltas: object[]): object[] => [
  blockStart(index, start),
  ...deltas,
  blockStop(index),
];
const toolUse = (id: string): object => ({ type: "tool_use", id, name: "look", input: {} });

describe("deltas become events", () => {
  test("B81: one message_start first, every block opened and closed, message_delta, message_stop, no [DONE]", () => {
    const { events } = encode([START, textDelta("Hel"), textDelta("lo"), DONE]);
    expect(events).toStrictEqual([
      {
        event: "message_start",
        data: {
          type: "message_start",
          message: {
            id: "r",
            model: "m",
            type: "message",
            role: "assistant",
            stop_sequence: null,
            content: [],
            stop_reason: null,
            usage: { input_tokens: 0, output_tokens: 0 },
          },
        },
      },
      { event: "content_block_start", data: blockStart(0, EMPTY_TEXT) },
      { event: "content_block_delta", data: textDeltaEvent(0, "Hel") },
      { event: "content_block_delta", data: textDeltaEvent(0, "lo") },
      { event: "content_block_stop", data: blockStop(0) },
      {
        event: "message_delta",
        data: {
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: {
            input_tokens: 0,
            output_tokens: 0,
            cache_read_input_tokens: 0,
            cache_creation_input_tokens: 0,
          },
        },
      },
      { event: "message_stop", data: { type: "message_stop" } },
    ]);
  });

  test("B82: message_start has the token counts known so far, message_delta all of them", () => {
    const first = delta("usage", { inputTokens: 9, cacheReadTokens: 4 });
    const last = delta("usage", { inputTokens: 9, outputTokens: 7, totalTokens: 16 });
    const [start, , , , end] = encodeData([START, first, textDelta("x"), last, DONE]);
    expect(start).toMatchObject({ message: { usage: { input_tokens: 5, cache_read_input_tokens: 4 } } });
    expect(end).toMatchObject({ usage: { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 4 } });
  });

  test("message_start is written with the first delta after the start", () => {
    const encoder = anthropic().streamEncoder();
    const types = (sent: Delta): unknown[] => encoder.push(sent).map(({ event }) => event);
    expect(types(START)).toStrictEqual([]);
    expect(types(delta("usage", { inputTokens: 9 }))).toStrictEqual(["message_start"]);
    expect(types(textDelta("a"))).toStrictEqual(["content_block_start", "content_block_delta"]);
  });

  test("message_start does not have the fields of the end", () => {
    const residue = { stop_sequence: "END", stop_details: { type: "refusal" } };
    const [start] = encodeData([delta("start", { ...START.payload, extra: { anthropic: residue } } as never), DONE]);
    expect(start).toMatchObject({ message: { stop_reason: null, stop_sequence: null, stop_details: null } });
  });

  test("a form that is known too late is reported", () => {
    const unsigned = [
      { type: "message_start", message: { content: [] } },
      ...blockEvents(0, { type: "thinking", thinking: "a" }),
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ];
    const again = encode(decode(unsigned));
    expect(again.losses.map(({ code, path }) => `${code} ${path}`)).toStrictEqual([
      "form-stale /message/parts/0/extra/anthropic/$form/signature",
      "usage-synthesized /usage",
      "form-stale /extra/anthropic/$form/stop_sequence",
    ]);
    expect(again.events[0]?.data).toMatchObject({ message: expect.not.objectContaining({ id: "", type: "message" }) });
  });

  const rows: readonly [sentence: string, deltas: Delta[], events: object[]][] = [
    [
      "B2: parts keep their order, with consecutive indexes",
      [textDelta("a", { partKey: 0 }), thinkingDelta("b", { partKey: 1 }), textDelta("c", { partKey: 2 })],
      [
        ...blockEvents(0, EMPTY_TEXT, textDeltaEvent(0, "a")),
        ...blockEvents(1, EMPTY_THINKING, thinkingDeltaEvent(1, "b")),
        ...blockEvents(2, EMPTY_TEXT, textDeltaEvent(2, "c")),
      ],
    ],
    [
      "B1: the signature is the last delta",
      [thinkingDelta("a"), sealDelta("c2ln"), thinkingDelta("b")],
      [
        blockStart(0, EMPTY_THINKING),
        thinkingDeltaEvent(0, "a"),
        thinkingDeltaEvent(0, "b"),
        signatureDeltaEvent(0, "c2ln"),
        blockStop(0),
      ],
    ],
    [
      "B3: signed thinking without text",
      [thinkingDelta(""), sealDelta("c2ln")],
      [blockStart(0, EMPTY_THINKING), signatureDeltaEvent(0, "c2ln"), blockStop(0)],
    ],
    [
      "redacted thinking is a separate block",
      [thinkingDelta(""), delta("seal", { seal: { dialect: "anthropic", kind: "redacted", value: "cg==" } })],
      [blockStart(0, { type: "redacted_thinking", data: "cg==" }), blockStop(0)],
    ],
    ["B5: reasoning sealed by another provider has no block", [thinkingDelta("")], []],
    [
      "summaries are written if there is no text",
      [thinkingDelta("One", { summary: 0 }), thinkingDelta(".", { summary: 0 }), thinkingDelta("Two", { summary: 1 })],
      [
        blockStart(0, EMPTY_THINKING),
        thinkingDeltaEvent(0, "One"),
        thinkingDeltaEvent(0, "."),
        thinkingDeltaEvent(0, "\n\nTwo"),
        blockStop(0),
      ],
    ],
    [
      "B1: a signature stands with the signed text, not with a summary",
      [thinkingDelta("One", { summary: 0 }), sealDelta("sig")],
      [
        ...blockEvents(0, EMPTY_THINKING, thinkingDeltaEvent(0, "One")),
        ...blockEvents(1, EMPTY_THINKING, signatureDeltaEvent(1, "sig")),
      ],
    ],
    [
      "arguments are written as they arrive",
      [callStart("a"), callArguments("a", '{"x"'), callArguments("a", ": 1}"), callEnd("a")],
      [blockStart(0, toolUse("a")), inputDeltaEvent(0, '{"x"'), inputDeltaEvent(0, ": 1}"), blockStop(0)],
    ],
    [
      "B20: a call without arguments has no delta",
      [callStart("a"), callArguments("a", ""), callEnd("a")],
      [blockStart(0, toolUse("a")), blockStop(0)],
    ],
    [
      "B22: arguments that are not an object are wrapped in one",
      [callStart("a"), callArguments("a", " [1,"), callArguments("a", "2]"), callEnd("a")],
      [blockStart(0, toolUse("a")), inputDeltaEvent(0, '{"value":[1,2]}'), blockStop(0)],
    ],
    [
      "B22: arguments that are not JSON are wrapped in an object",
      [callStart("a"), callArguments("a", "x y"), callEnd("a")],
      [blockStart(0, toolUse("a")), inputDeltaEvent(0, '{"value":"x y"}'), blockStop(0)],
    ],
    [
      "B32: free text is wrapped in an object as it arrives",
      [
        callStart("a", { format: "text" }),
        callArguments("a", 'say "'),
        callArguments("a", 'hey"\n\uD83C'),
        callArguments("a", "\uDFDB"),
        callEnd("a"),
      ],
      [
        blockStart(0, toolUse("a")),
        inputDeltaEvent(0, '{"value":"say \\"'),
        inputDeltaEvent(0, 'hey\\"\\n'),
        inputDeltaEvent(0, "🏛"),
        inputDeltaEvent(0, '"}'),
        blockStop(0),
      ],
    ],
    [
      "B32: free text that waited and starts with a lone surrogate",
      [
        callStart("a"),
        callStart("b", { format: "text" }),
        callArguments("b", "\uD83C"),
        callArguments("b", "\uDFDB!"),
        callEnd("b"),
        callArguments("a", "{}"),
        callEnd("a"),
      ],
      [
        ...blockEvents(0, toolUse("a"), inputDeltaEvent(0, "{}")),
        ...blockEvents(1, toolUse("b"), inputDeltaEvent(1, '{"value":"🏛!'), inputDeltaEvent(1, '"}')),
      ],
    ],
    [
      "B32: empty free text is wrapped, too",
      [callStart("a", { format: "text" }), callEnd("a")],
      [blockStart(0, toolUse("a")), inputDeltaEvent(0, '{"value":""}'), blockStop(0)],
    ],
    [
      "B18: interleaved calls are written one after the other",
      [
        callStart("a"),
        callStart("b"),
        callArguments("b", "{}"),
        callArguments("a", '{"x"'),
        callEnd("b"),
        callArguments("a", ":1}"),
        callEnd("a"),
      ],
      [
        ...blockEvents(0, toolUse("a"), inputDeltaEvent(0, '{"x"'), inputDeltaEvent(0, ":1}")),
        ...blockEvents(1, toolUse("b"), inputDeltaEvent(1, "{}")),
      ],
    ],
    [
      "B50: a surrogate pair that is split between two deltas is written whole",
      [textDelta("a\uD83C"), textDelta("\uDFDB"), thinkingDelta("\uD83C"), thinkingDelta("\uDFDB")],
      [
        ...blockEvents(0, EMPTY_TEXT, textDeltaEvent(0, "a"), textDeltaEvent(0, "🏛")),
        ...blockEvents(1, EMPTY_THINKING, thinkingDeltaEvent(1, "🏛")),
      ],
    ],
    [
      "B49: a refusal is written as text",
      [delta("refusal", { textDelta: "No." })],
      [blockStart(0, EMPTY_TEXT), textDeltaEvent(0, "No."), blockStop(0)],
    ],
    [
      "B33: a call that another provider ran is dropped",
      [
        callStart("a", { executor: "provider", tool: "web_search_call" }),
        callArguments("a", "{}"),
        callEnd("a"),
        textDelta("x"),
      ],
      [blockStart(0, EMPTY_TEXT), textDeltaEvent(0, "x"), blockStop(0)],
    ],
    [
      "B59: only the first choice is written",
      [textDelta("a", { choice: 1 }), textDelta("b")],
      [blockStart(0, EMPTY_TEXT), textDeltaEvent(0, "b"), blockStop(0)],
    ],
    [
      "whole parts are split as the API does",
      [
        delta("part", { value: { type: "text", text: "a", cache: {} } }),
        delta("part", {
          value: { type: "tool-call", toolCallId: "a", toolName: "look", input: { x: 1 }, invalid: true },
        }),
        delta("part", {
          value: {
            type: "opaque",
            dialect: "anthropic",
            value: { type: "fresco" },
            extra: { anthropic: { $events: [{ ...blockDelta(7, { type: "d" }), fields: 1 }] } },
          },
        }),
      ],
      [
        ...blockEvents(0, { ...EMPTY_TEXT, cache_control: { type: "ephemeral" } }, textDeltaEvent(0, "a")),
        ...blockEvents(1, toolUse("a"), inputDeltaEvent(1, '{"x":1}')),
        ...blockEvents(2, { type: "fresco" }, { ...blockDelta(2, { type: "d" }), fields: 1 }),
      ],
    ],
    [
      "residue is written in the start event, or with the delta that brought it",
      [
        textDelta("a", { extra: { anthropic: { tone: "warm" } } }),
        textDelta("b", { extra: { anthropic: { weight: 3 } } }),
      ],
      [
        blockStart(0, { ...EMPTY_TEXT, tone: "warm" }),
        textDeltaEvent(0, "a"),
        textDeltaEvent(0, "b"),
        blockDelta(0, { type: "text_delta", text: "", weight: 3 }),
        blockStop(0),
      ],
    ],
  ];
  test.each(rows)("%s", (_sentence, deltas, events) => {
    expect(encodeBlocks(...deltas)).toStrictEqual(events);
  });
});

describe("late deltas", () => {
  const [one, two] = [{ partKey: 1 }, { partKey: 2 }];

  test("text for a closed part is written in an additional block", () => {
    const deltas = [
      START,
      textDelta("a", one),
      textDelta("b", two),
      textDelta("c", one),
      textDelta("d", one),
      textDelta("e", two),
      DONE,
    ];
    expect(formatLosses(deltas).filter((code) => code.startsWith("part-split"))).toStrictEqual([
      "part-split /message/parts/0",
    ]);
    const parts = assembleAnswer(decode(encode(deltas).events))?.message.parts;
    expect(parts).toMatchObject([{ text: "a" }, { text: "be" }, { text: "cd" }]);
  });

  test("an additional block does not repeat residue", () => {
    const extra = { anthropic: { tone: "warm" } };
    const deltas = [
      START,
      textDelta("a", { ...one, extra }),
      textDelta("b", two),
      textDelta("c", { ...one, extra }),
      DONE,
    ];
    expect(formatLosses(deltas)).toContain("late-dropped /message/parts/0/extra/anthropic");
    expect(assembleAnswer(decode(encode(deltas).events))?.message.parts).toStrictEqual([
      { type: "text", text: "a", extra },
      { type: "text", text: "b" },
      { type: "text", text: "c" },
    ]);
  });

  test("reasoning for a closed part is written in an additional unsigned block", () => {
    const deltas = [START, thinkingDelta("a", one), textDelta("b", two), thinkingDelta("c", one), DONE];
    expect(assembleAnswer(decode(encode(deltas).events))?.message.parts).toMatchObject([
      { type: "reasoning", text: "a" },
      { text: "b" },
      { type: "reasoning", text: "c" },
    ]);
  });

  test("seals, citations and residue for a closed part are reported if they are supported", () => {
    const own = { dialect: "anthropic", kind: "signature", value: "cw==" };
    const annotation = { kind: "document" as const, extra: { anthropic: { type: "char_location" } } };
    const foreign = { dialect: "gemini", kind: "signature", value: "cw==" };
    const deltas = [
      START,
      thinkingDelta("a", { partKey: 0 }),
      textDelta("a", one),
      textDelta("b", two),
      delta("seal", { seal: own, partKey: 0 }),
      delta("seal", { seal: foreign, partKey: 0 }),
      delta("annotation", { annotation, ...one }),
      delta("annotation", { annotation: { kind: "url", url: "u" }, ...one }),
      textDelta("", { ...one, extra: { anthropic: { tone: "warm" } } }),
      DONE,
    ];
    expect(formatLosses(deltas).filter((code) => code.startsWith("late"))).toStrictEqual([
      "late-dropped /message/parts/0/seals",
      "late-dropped /message/parts/1/annotations",
      "late-dropped /message/parts/1/extra/anthropic",
    ]);
  });
});

describe("failures", () => {
  const failed = delta("error", { errorCode: "overloaded", message: "Busy.", retryable: true });

  test("B86: a stream that fails ends with an error event; its block stays open", () => {
    const { events } = encode([START, textDelta("Half"), failed]);
    expect(events.map(({ event }) => event)).toStrictEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "error",
    ]);
    expect(events.at(-1)?.data).toStrictEqual({ type: "error", error: { type: "overloaded_error", message: "Busy." } });
  });

  test("B86: a failure without content is only an error event", () => {
    expect(encodeData([START, failed])).toStrictEqual([
      { type: "error", error: { type: "overloaded_error", message: "Busy." } },
    ]);
  });

  test("a decoded error event is written unchanged", () => {
    const wire = { type: "error", error: { type: "api_error", message: "No.", hint: 7 }, request_id: "req_1" };
    expect(encodeData(decode([wire]))).toStrictEqual([wire]);
  });

  test("B58: losses before a failure are reported, the failure itself is not", () => {
    const logprobs = [{ token: "H", logprob: -1 }];
    expect(
      formatLosses([START, textDelta("Half", { logprobs }), callStart("a"), callArguments("a", '{"x'), failed]),
    ).toStrictEqual(["field-unsupported /message/parts/0/logprobs"]);
    const odd = delta("error", { errorCode: "timeout", message: "Late.", retryAfterMs: 7 });
    expect(formatLosses([START, odd])).toStrictEqual(["field-unsupported /error/retryAfterMs"]);
  });

  test("an unfinished stream ends with an error", () => {
    const encoder = anthropic().streamEncoder();
    encoder.push(START);
    expect(encoder.end()).toMatchObject([{ event: "error", data: { error: { type: "api_error" } } }]);
    expect(encoder.end()).toStrictEqual([]);
    expect(anthropic().streamEncoder().end()).toStrictEqual([]);
  });

  test("a second answer is written, and a result between both is reported", () => {
    const value = { type: "tool-result", toolCallId: "a", toolName: "look", isError: false, output: "ok" } as const;
    const between = delta("part", { role: "tool", value });
    const deltas = [
      START,
      callStart("a"),
      callArguments("a", "{}"),
      callEnd("a"),
      DONE,
      between,
      START,
      textDelta("x"),
      DONE,
    ];
    expect(formatLosses(deltas)).toContain("stream-result-dropped ");
    const starts = encodeData(deltas).filter((event) => "index" in event && "content_block" in event);
    expect(starts).toStrictEqual([blockStart(0, toolUse("a")), blockStart(0, EMPTY_TEXT)]);
  });
});

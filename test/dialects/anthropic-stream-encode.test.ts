// Anthropic's streams as they are written: which deltas become which events.
import { describe, expect, test } from "vitest";
import { anthropic } from "../../src/dialects/anthropic/index.ts";
import type { Delta, DeltaKind, DeltaPayloads } from "../../src/model/delta.ts";
import { answerOf, decode, encode } from "./anthropic-stream-reading.ts";
import { blockDelta, blockStart, blockStop, json, said, signed, thought } from "./anthropic-stream-samples.ts";

function delta<Kind extends DeltaKind>(kind: Kind, payload: DeltaPayloads[Kind]): Delta {
  return { kind, payload } as Delta;
}
const START = delta("start", { modelId: "m", requestId: "r", contractVersion: 1 });
const DONE = delta("done", { finishReason: "stop" });
const textOf = (textDelta: string, beside: object = {}): Delta => delta("text", { textDelta, ...beside });
const thinking = (textDelta: string, beside: object = {}): Delta => delta("thinking", { textDelta, ...beside });
const started = (toolCallId: string, beside: object = {}): Delta =>
  delta("tool_call_start", { toolCallId, toolName: "look", ...beside });
const args = (toolCallId: string, argsTextDelta: string): Delta =>
  delta("tool_call_args", { toolCallId, argsTextDelta });
const ended = (toolCallId: string): Delta => delta("tool_call_end", { toolCallId });
const seal = (value: string): Delta => delta("seal", { seal: { dialect: "anthropic", kind: "signature", value } });

const data = (deltas: readonly Delta[]): object[] => encode(deltas).events.map((event) => Object(event.data) as object);
/** The events of the blocks alone. */
const blocks = (...between: Delta[]): object[] =>
  data([START, ...between, DONE]).filter((event) => "type" in event && String(event.type).startsWith("content_block"));
const codes = (deltas: readonly Delta[]): string[] => encode(deltas).losses.map(({ code, path }) => `${code} ${path}`);

const EMPTY = { type: "text", text: "" };
const OPENED = { type: "thinking", thinking: "", signature: "" };
const block = (index: number, start: object, ...deltas: object[]): object[] => [
  blockStart(index, start),
  ...deltas,
  blockStop(index),
];
const toolUse = (id: string): object => ({ type: "tool_use", id, name: "look", input: {} });

describe("deltas become events", () => {
  test("B81: one message_start first, every block opened and closed, message_delta, message_stop, no [DONE]", () => {
    const { events } = encode([START, textOf("Hel"), textOf("lo"), DONE]);
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
      { event: "content_block_start", data: blockStart(0, EMPTY) },
      { event: "content_block_delta", data: said(0, "Hel") },
      { event: "content_block_delta", data: said(0, "lo") },
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

  test("B82: counts that are known before the first word stand in message_start, all of them at the end", () => {
    const first = delta("usage", { inputTokens: 9, cacheReadTokens: 4 });
    const last = delta("usage", { inputTokens: 9, outputTokens: 7, totalTokens: 16 });
    const [start, , , , end] = data([START, first, textOf("x"), last, DONE]);
    expect(start).toMatchObject({ message: { usage: { input_tokens: 5, cache_read_input_tokens: 4 } } });
    expect(end).toMatchObject({ usage: { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 4 } });
  });

  test("a message begins as soon as something is known of it", () => {
    const encoder = anthropic().streamEncoder();
    const types = (sent: Delta): unknown[] => encoder.push(sent).map(({ event }) => event);
    expect(types(START)).toStrictEqual([]);
    expect(types(delta("usage", { inputTokens: 9 }))).toStrictEqual(["message_start"]);
    expect(types(textOf("a"))).toStrictEqual(["content_block_start", "content_block_delta"]);
  });

  test("what only the end says does not stand in the beginning", () => {
    const residue = { stop_sequence: "END", stop_details: { type: "refusal" } };
    const [start] = data([delta("start", { ...START.payload, extra: { anthropic: residue } } as never), DONE]);
    expect(start).toMatchObject({ message: { stop_reason: null, stop_sequence: null, stop_details: null } });
  });

  test("how something was spelled may be known too late; that is told", () => {
    const unsigned = [
      { type: "message_start", message: { content: [] } },
      ...block(0, { type: "thinking", thinking: "a" }),
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ];
    const again = encode(decode(unsigned));
    expect(again.losses.map(({ code, path }) => `${code} ${path}`)).toStrictEqual([
      "form-stale /message/parts/0/extra/anthropic/$form/signature",
      "usage-made /usage",
      "form-stale /extra/anthropic/$form/stop_sequence",
    ]);
    expect(again.events[0]?.data).toMatchObject({ message: expect.not.objectContaining({ id: "", type: "message" }) });
  });

  const rows: readonly [sentence: string, deltas: Delta[], events: object[]][] = [
    [
      "B2: parts in their order, each with an index",
      [textOf("a", { part: 0 }), thinking("b", { part: 1 }), textOf("c", { part: 2 })],
      [...block(0, EMPTY, said(0, "a")), ...block(1, OPENED, thought(1, "b")), ...block(2, EMPTY, said(2, "c"))],
    ],
    [
      "B1: a signature comes last",
      [thinking("a"), seal("c2ln"), thinking("b")],
      [blockStart(0, OPENED), thought(0, "a"), thought(0, "b"), signed(0, "c2ln"), blockStop(0)],
    ],
    [
      "B3: signed thinking without words",
      [thinking(""), seal("c2ln")],
      [blockStart(0, OPENED), signed(0, "c2ln"), blockStop(0)],
    ],
    [
      "redacted thinking is a block of its own",
      [thinking(""), delta("seal", { seal: { dialect: "anthropic", kind: "redacted", value: "cg==" } })],
      [blockStart(0, { type: "redacted_thinking", data: "cg==" }), blockStop(0)],
    ],
    ["B5: reasoning that only another can read leaves no block", [thinking("")], []],
    [
      "summaries stand for the text that there is not",
      [thinking("One", { summary: 0 }), thinking(".", { summary: 0 }), thinking("Two", { summary: 1 })],
      [blockStart(0, OPENED), thought(0, "One"), thought(0, "."), thought(0, "\n\nTwo"), blockStop(0)],
    ],
    [
      "B1: a signature stands beside the text that it signs, not beside a summary",
      [thinking("One", { summary: 0 }), seal("sig")],
      [...block(0, OPENED, thought(0, "One")), ...block(1, OPENED, signed(1, "sig"))],
    ],
    [
      "arguments go out as they come",
      [started("a"), args("a", '{"x"'), args("a", ": 1}"), ended("a")],
      [blockStart(0, toolUse("a")), json(0, '{"x"'), json(0, ": 1}"), blockStop(0)],
    ],
    [
      "B20: no arguments, no delta",
      [started("a"), args("a", ""), ended("a")],
      [blockStart(0, toolUse("a")), blockStop(0)],
    ],
    [
      "B22: what is no object is put into one",
      [started("a"), args("a", " [1,"), args("a", "2]"), ended("a")],
      [blockStart(0, toolUse("a")), json(0, '{"value":[1,2]}'), blockStop(0)],
    ],
    [
      "B22: what is no JSON is put into one",
      [started("a"), args("a", "x y"), ended("a")],
      [blockStart(0, toolUse("a")), json(0, '{"value":"x y"}'), blockStop(0)],
    ],
    [
      "B32: free text is put into an object as it comes",
      [
        started("a", { format: "text" }),
        args("a", 'say "'),
        args("a", 'hey"\n\uD83C'),
        args("a", "\uDFDB"),
        ended("a"),
      ],
      [
        blockStart(0, toolUse("a")),
        json(0, '{"value":"say \\"'),
        json(0, 'hey\\"\\n'),
        json(0, "🏛"),
        json(0, '"}'),
        blockStop(0),
      ],
    ],
    [
      "B32: free text that had to wait, and begins with half a character",
      [
        started("a"),
        started("b", { format: "text" }),
        args("b", "\uD83C"),
        args("b", "\uDFDB!"),
        ended("b"),
        args("a", "{}"),
        ended("a"),
      ],
      [...block(0, toolUse("a"), json(0, "{}")), ...block(1, toolUse("b"), json(1, '{"value":"🏛!'), json(1, '"}'))],
    ],
    [
      "B32: no text is one, too",
      [started("a", { format: "text" }), ended("a")],
      [blockStart(0, toolUse("a")), json(0, '{"value":""}'), blockStop(0)],
    ],
    [
      "B18: calls that come interleaved go out one after the other",
      [started("a"), started("b"), args("b", "{}"), args("a", '{"x"'), ended("b"), args("a", ":1}"), ended("a")],
      [...block(0, toolUse("a"), json(0, '{"x"'), json(0, ":1}")), ...block(1, toolUse("b"), json(1, "{}"))],
    ],
    [
      "B50: a character that two deltas share goes out with the second",
      [textOf("a\uD83C"), textOf("\uDFDB"), thinking("\uD83C"), thinking("\uDFDB")],
      [...block(0, EMPTY, said(0, "a"), said(0, "🏛")), ...block(1, OPENED, thought(1, "🏛"))],
    ],
    [
      "B49: a refusal is a text",
      [delta("refusal", { textDelta: "No." })],
      [blockStart(0, EMPTY), said(0, "No."), blockStop(0)],
    ],
    [
      "B33: what another provider ran is left out",
      [started("a", { executor: "provider", tool: "web_search_call" }), args("a", "{}"), ended("a"), textOf("x")],
      [blockStart(0, EMPTY), said(0, "x"), blockStop(0)],
    ],
    [
      "B59: only the first choice is written",
      [textOf("a", { choice: 1 }), textOf("b")],
      [blockStart(0, EMPTY), said(0, "b"), blockStop(0)],
    ],
    [
      "whole parts are taken apart as the API does",
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
            extra: { anthropic: { $events: [{ ...blockDelta(7, { type: "d" }), beside: 1 }] } },
          },
        }),
      ],
      [
        ...block(0, { ...EMPTY, cache_control: { type: "ephemeral" } }, said(0, "a")),
        ...block(1, toolUse("a"), json(1, '{"x":1}')),
        ...block(2, { type: "fresco" }, { ...blockDelta(2, { type: "d" }), beside: 1 }),
      ],
    ],
    [
      "residue stands in the block, or beside the piece that it came with",
      [textOf("a", { extra: { anthropic: { tone: "warm" } } }), textOf("b", { extra: { anthropic: { weight: 3 } } })],
      [
        blockStart(0, { ...EMPTY, tone: "warm" }),
        said(0, "a"),
        said(0, "b"),
        blockDelta(0, { type: "text_delta", text: "", weight: 3 }),
        blockStop(0),
      ],
    ],
  ];
  test.each(rows)("%s", (_sentence, deltas, events) => {
    expect(blocks(...deltas)).toStrictEqual(events);
  });
});

describe("what comes too late", () => {
  const [one, two] = [{ part: 1 }, { part: 2 }];

  test("more of a text that was closed is a further block", () => {
    const deltas = [
      START,
      textOf("a", one),
      textOf("b", two),
      textOf("c", one),
      textOf("d", one),
      textOf("e", two),
      DONE,
    ];
    expect(codes(deltas).filter((code) => code.startsWith("part-split"))).toStrictEqual([
      "part-split /message/parts/0",
    ]);
    const parts = answerOf(decode(encode(deltas).events))?.message.parts;
    expect(parts).toMatchObject([{ text: "a" }, { text: "be" }, { text: "cd" }]);
  });

  test("a further block does not say again what the first has said", () => {
    const extra = { anthropic: { tone: "warm" } };
    const deltas = [START, textOf("a", { ...one, extra }), textOf("b", two), textOf("c", { ...one, extra }), DONE];
    expect(codes(deltas)).toContain("late-unsaid /message/parts/0/extra/anthropic");
    expect(answerOf(decode(encode(deltas).events))?.message.parts).toStrictEqual([
      { type: "text", text: "a", extra },
      { type: "text", text: "b" },
      { type: "text", text: "c" },
    ]);
  });

  test("more of a thought that was closed is a further block, unsigned", () => {
    const deltas = [START, thinking("a", one), textOf("b", two), thinking("c", one), DONE];
    expect(answerOf(decode(encode(deltas).events))?.message.parts).toMatchObject([
      { type: "reasoning", text: "a" },
      { text: "b" },
      { type: "reasoning", text: "c" },
    ]);
  });

  test("seals, citations and residue of a closed block are reported, where they would have been said", () => {
    const own = { dialect: "anthropic", kind: "signature", value: "cw==" };
    const annotation = { kind: "document" as const, extra: { anthropic: { type: "char_location" } } };
    const foreign = { dialect: "gemini", kind: "signature", value: "cw==" };
    const deltas = [
      START,
      thinking("a", { part: 0 }),
      textOf("a", one),
      textOf("b", two),
      delta("seal", { seal: own, part: 0 }),
      delta("seal", { seal: foreign, part: 0 }),
      delta("annotation", { annotation, ...one }),
      delta("annotation", { annotation: { kind: "url", url: "u" }, ...one }),
      textOf("", { ...one, extra: { anthropic: { tone: "warm" } } }),
      DONE,
    ];
    expect(codes(deltas).filter((code) => code.startsWith("late"))).toStrictEqual([
      "late-unsaid /message/parts/0/seals",
      "late-unsaid /message/parts/1/annotations",
      "late-unsaid /message/parts/1/extra/anthropic",
    ]);
  });
});

describe("failures", () => {
  const failed = delta("error", { errorCode: "overloaded", message: "Busy.", retryable: true });

  test("B86: a stream that fails ends with an error event; its block stays open", () => {
    const { events } = encode([START, textOf("Half"), failed]);
    expect(events.map(({ event }) => event)).toStrictEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "error",
    ]);
    expect(events.at(-1)?.data).toStrictEqual({ type: "error", error: { type: "overloaded_error", message: "Busy." } });
  });

  test("B86: where nothing was said, the error is all there is", () => {
    expect(data([START, failed])).toStrictEqual([
      { type: "error", error: { type: "overloaded_error", message: "Busy." } },
    ]);
  });

  test("an error event goes back as it came", () => {
    const wire = { type: "error", error: { type: "api_error", message: "No.", hint: 7 }, request_id: "req_1" };
    expect(data(decode([wire]))).toStrictEqual([wire]);
  });

  test("B58: what was lost before a failure is reported, and that it failed is not", () => {
    const logprobs = [{ token: "H", logprob: -1 }];
    expect(codes([START, textOf("Half", { logprobs }), started("a"), args("a", '{"x'), failed])).toStrictEqual([
      "field-unsaid /message/parts/0/logprobs",
    ]);
    const odd = delta("error", { errorCode: "timeout", message: "Late.", retryAfterMs: 7 });
    expect(codes([START, odd])).toStrictEqual(["field-unsaid /error/retryAfterMs"]);
  });

  test("a stream that its reader gives up is truncated", () => {
    const encoder = anthropic().streamEncoder();
    encoder.push(START);
    expect(encoder.end()).toMatchObject([{ event: "error", data: { error: { type: "api_error" } } }]);
    expect(encoder.end()).toStrictEqual([]);
    expect(anthropic().streamEncoder().end()).toStrictEqual([]);
  });

  test("another answer may follow, and a result between them is reported", () => {
    const value = { type: "tool-result", toolCallId: "a", toolName: "look", isError: false, output: "ok" } as const;
    const between = delta("part", { role: "tool", value });
    const deltas = [START, started("a"), args("a", "{}"), ended("a"), DONE, between, START, textOf("x"), DONE];
    expect(codes(deltas)).toContain("result-between ");
    const starts = data(deltas).filter((event) => "index" in event && "content_block" in event);
    expect(starts).toStrictEqual([blockStart(0, toolUse("a")), blockStart(0, EMPTY)]);
  });
});

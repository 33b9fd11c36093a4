// Encoding of Anthropic streams: the events of each delta.
import { describe, expect, test } from "vitest";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import type { Delta } from "../../../src/model/delta.ts";
import {
  blockEvents,
  callArguments,
  callEnd,
  callStart,
  delta,
  DONE,
  EMPTY_TEXT,
  encodeBlocks,
  encodeData,
  encodedRows,
  formatLosses,
  START,
  textDelta,
  thinkingDelta,
  toolUse,
} from "./stream-encode.rows.ts";
import { assembleAnswer, decode, encode } from "./stream-helpers.ts";
import { blockStart, blockStop, textDeltaEvent } from "./stream-samples.ts";

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

  test.each(encodedRows)("%s", (_sentence, deltas, events) => {
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

// Starts, ends and failures of Anthropic streams.
import { describe, expect, test } from "vitest";
import { checkDeltas } from "../../../src/assembly/index.ts";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import { assembleAnswer, decode, splitAnswers } from "./stream-helpers.ts";
import { callBlock, messageDelta, messageStart, PING, STOP, stream, textBlock } from "./stream-samples.ts";

describe("starts and ends", () => {
  const kinds = (events: readonly unknown[]): string[] => decode(events).map(({ kind }) => kind);

  test("B73: a stream that stops at any event is truncated", () => {
    const events = stream([...textBlock(0, "a"), ...callBlock(1, "a", ['{"x":1}'])], messageDelta("tool_use"));
    for (let length = 0; length < events.length; length++) {
      const deltas = decode(events.slice(0, length));
      expect(checkDeltas(deltas)).toStrictEqual([]);
      expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "truncated", retryable: true } });
    }
    expect(kinds([])).toStrictEqual(["start", "error"]);
    expect(kinds([PING])).toStrictEqual(["start", "error"]);
  });

  test("a truncated answer has its stop reason", () => {
    expect(decode(stream([]).slice(0, -1)).at(-1)).toMatchObject({
      payload: { errorCode: "truncated", finish: { unified: "stop", raw: "end_turn" } },
    });
  });

  test("B72: an error event ends the answer and keeps its content", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" };
    const deltas = decode([messageStart(), ...textBlock(0, "Half").slice(0, 2), error, PING]);
    expect(deltas.at(-1)).toMatchObject({
      kind: "error",
      payload: { errorCode: "overloaded", message: "Overloaded", retryable: true, raw: error },
    });
    expect(assembleAnswer(deltas)).toMatchObject({
      message: { parts: [{ text: "Half" }] },
      usage: { inputTokens: 12 },
    });
    const alone = decode([error]);
    expect(alone.map(({ kind }) => kind)).toStrictEqual(["start", "error"]);
    expect(assembleAnswer(alone)).toMatchObject({
      error: { kind: "overloaded" },
      extra: { anthropic: { request_id: "req_1" } },
    });
    // Some vendors omit the type of an error event.
    expect(kinds([messageStart(), { error: { message: "No." } }])).toStrictEqual(["start", "usage", "error"]);
    const named = anthropic()
      .streamDecoder()
      .push({ event: "error", data: { detail: "No." } });
    expect(named.map(({ kind }) => kind)).toStrictEqual(["start", "error"]);
  });

  test("B74: a whole response instead of a stream", () => {
    const body = {
      ...(messageStart()["message"] as object),
      content: [
        { type: "text", text: "Hey" },
        { type: "tool_use", id: "a", name: "look", input: { x: 1 } },
      ],
      stop_reason: "tool_use",
    };
    const dialect = anthropic();
    expect(assembleAnswer(decode([body]))).toStrictEqual(dialect.decodeResponse(body));
    expect(assembleAnswer(decode([JSON.stringify(body)]))).toStrictEqual(dialect.decodeResponse(body));
  });

  test("B70: the SSE event name and pings are ignored", () => {
    const events = stream(textBlock(0, "a"));
    const named = events.map((data) => ({ event: "message", data }));
    expect(decode([PING, ...named, PING])).toStrictEqual(decode(events));
  });

  test("a missing message_start is tolerated", () => {
    const deltas = decode([...textBlock(0, "a"), messageDelta(), STOP]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(assembleAnswer(deltas)).toMatchObject({
      id: "",
      message: { parts: [{ text: "a" }] },
      usage: { outputTokens: 20 },
    });
  });

  test("a repeated message_start is ignored; that of another message truncates the first", () => {
    const twice = [messageStart(), ...stream(textBlock(0, "a"))];
    expect(assembleAnswer(decode(twice))).toStrictEqual(assembleAnswer(decode(stream(textBlock(0, "a")))));
    const spliced = [
      messageStart(),
      ...callBlock(0, "a", ['{"x']),
      ...stream(textBlock(0, "b"), messageDelta(), messageStart({ id: "2" })),
    ];
    const [first, second, ...more] = splitAnswers(decode(spliced));
    expect(first?.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "truncated" } });
    expect(assembleAnswer(second ?? [])).toMatchObject({ id: "2", message: { parts: [{ text: "b" }] } });
    expect(more).toStrictEqual([]);
  });

  test("a stream with several answers; events between them are ignored", () => {
    const one = stream(callBlock(0, "a", ["{}"]), messageDelta("tool_use"));
    const deltas = decode([...one, STOP, messageDelta(), "[DONE]", PING, ...one]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(splitAnswers(deltas).map((each) => assembleAnswer(each)?.message.parts)).toMatchObject([
      [{ toolCallId: "a" }],
      [{ toolCallId: "a_2", extra: { anthropic: { $form: { id: "a" } } } }],
    ]);
  });

  test("[DONE] ends an answer only after its stop reason", () => {
    const events = stream(textBlock(0, "a")).slice(0, -1);
    expect(kinds([...events, "[DONE]"]).at(-1)).toBe("done");
    expect(kinds([...events.slice(0, -1), "[DONE]"]).at(-1)).toBe("error");
  });

  test("data that is not an object is rejected", () => {
    for (const event of [5, null, ["x"]]) expect(() => decode([event])).toThrow("Expected an object");
  });
});

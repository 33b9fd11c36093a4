// How Anthropic's streams begin and end, and how they fail.
import { describe, expect, test } from "vitest";
import { checkDeltas } from "../../src/assembly/index.ts";
import { anthropic } from "../../src/dialects/anthropic/index.ts";
import { answerOf, decode, split } from "./anthropic-stream-reading.ts";
import { call, messageDelta, messageStart, PING, STOP, stream, text } from "./anthropic-stream-samples.ts";

describe("beginnings and endings", () => {
  const kinds = (events: readonly unknown[]): string[] => decode(events).map(({ kind }) => kind);

  test("B73: a stream that breaks off is truncated, at every event", () => {
    const events = stream([...text(0, "a"), ...call(1, "a", ['{"x":1}'])], messageDelta("tool_use"));
    for (let length = 0; length < events.length; length++) {
      const deltas = decode(events.slice(0, length));
      expect(checkDeltas(deltas)).toStrictEqual([]);
      expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "truncated", retryable: true } });
    }
    expect(kinds([])).toStrictEqual(["start", "error"]);
    expect(kinds([PING])).toStrictEqual(["start", "error"]);
  });

  test("how the answer said that it ended is known also where its stream breaks off", () => {
    expect(decode(stream([]).slice(0, -1)).at(-1)).toMatchObject({
      payload: { errorCode: "truncated", finish: { unified: "stop", raw: "end_turn" } },
    });
  });

  test("B72: an error event ends the answer, and what came stays", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" };
    const deltas = decode([messageStart(), ...text(0, "Half").slice(0, 2), error, PING]);
    expect(deltas.at(-1)).toMatchObject({
      kind: "error",
      payload: { errorCode: "overloaded", message: "Overloaded", retryable: true, raw: error },
    });
    expect(answerOf(deltas)).toMatchObject({ message: { parts: [{ text: "Half" }] }, usage: { inputTokens: 12 } });
    const alone = decode([error]);
    expect(alone.map(({ kind }) => kind)).toStrictEqual(["start", "error"]);
    expect(answerOf(alone)).toMatchObject({
      error: { kind: "overloaded" },
      extra: { anthropic: { request_id: "req_1" } },
    });
    // Not every vendor says that it is one.
    expect(kinds([messageStart(), { error: { message: "No." } }])).toStrictEqual(["start", "usage", "error"]);
    const named = anthropic()
      .streamDecoder()
      .push({ event: "error", data: { detail: "No." } });
    expect(named.map(({ kind }) => kind)).toStrictEqual(["start", "error"]);
  });

  test("B74: a whole answer in place of a stream", () => {
    const body = {
      ...(messageStart()["message"] as object),
      content: [
        { type: "text", text: "Hey" },
        { type: "tool_use", id: "a", name: "look", input: { x: 1 } },
      ],
      stop_reason: "tool_use",
    };
    const dialect = anthropic();
    expect(answerOf(decode([body]))).toStrictEqual(dialect.decodeResponse(body));
    expect(answerOf(decode([JSON.stringify(body)]))).toStrictEqual(dialect.decodeResponse(body));
  });

  test("B70: the name beside an event does not matter, and pings say nothing", () => {
    const events = stream(text(0, "a"));
    const named = events.map((data) => ({ event: "message", data }));
    expect(decode([PING, ...named, PING])).toStrictEqual(decode(events));
  });

  test("an answer may lack its start", () => {
    const deltas = decode([...text(0, "a"), messageDelta(), STOP]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(answerOf(deltas)).toMatchObject({
      id: "",
      message: { parts: [{ text: "a" }] },
      usage: { outputTokens: 20 },
    });
  });

  test("the same start once more is no news; another message means that the first broke off", () => {
    const twice = [messageStart(), ...stream(text(0, "a"))];
    expect(answerOf(decode(twice))).toStrictEqual(answerOf(decode(stream(text(0, "a")))));
    const spliced = [
      messageStart(),
      ...call(0, "a", ['{"x']),
      ...stream(text(0, "b"), messageDelta(), messageStart({ id: "2" })),
    ];
    const [first, second, ...more] = split(decode(spliced));
    expect(first?.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "truncated" } });
    expect(answerOf(second ?? [])).toMatchObject({ id: "2", message: { parts: [{ text: "b" }] } });
    expect(more).toStrictEqual([]);
  });

  test("a stream may hold several answers; what trails them belongs to none", () => {
    const one = stream(call(0, "a", ["{}"]), messageDelta("tool_use"));
    const deltas = decode([...one, STOP, messageDelta(), "[DONE]", PING, ...one]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(split(deltas).map((each) => answerOf(each)?.message.parts)).toMatchObject([
      [{ toolCallId: "a" }],
      [{ toolCallId: "a_2", extra: { anthropic: { $form: { id: "a" } } } }],
    ]);
  });

  test("a vendor's [DONE] ends an answer that has said why it stopped, and no other", () => {
    const events = stream(text(0, "a")).slice(0, -1);
    expect(kinds([...events, "[DONE]"]).at(-1)).toBe("done");
    expect(kinds([...events.slice(0, -1), "[DONE]"]).at(-1)).toBe("error");
  });

  test("what is no object is refused", () => {
    for (const event of [5, null, ["x"]]) expect(() => decode([event])).toThrow("Expected an object");
  });
});

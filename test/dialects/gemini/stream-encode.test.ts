// Encoding of Gemini streams: the events of the deltas, and the fields of the last event.
import { describe, expect, test } from "vitest";
import { disassemble } from "../../../src/assembly/disassemble.ts";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import type { Delta } from "../../../src/model/delta.ts";
import { assistant } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import { delta, DONE, result } from "../../support/deltas.ts";
import { text } from "./stream-samples.ts";
import { encodeAll } from "./stream-helpers.ts";

const head = { modelVersion: "m", responseId: "r" };
const start = delta("start", { modelId: "m", requestId: "r", contractVersion: 1 });
const event = (...parts: object[]): object => ({
  candidates: [{ content: { role: "model", parts }, index: 0 }],
  ...head,
});
const end = (parts: object[] = [text("")], more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0, ...more }],
  ...head,
});
const signature = (value: string) => ({ dialect: "gemini", kind: "signature", value });
const textDelta = (textDelta: string, part = 0): Delta => delta("text", { textDelta, partKey: part });
const sealDelta = (value: string, part = 0): Delta => delta("seal", { seal: signature(value), partKey: part });
const callStart = (toolCallId: string, part: number): Delta =>
  delta("tool_call_start", { toolCallId, toolName: "f", partKey: part });
const callArgs = (toolCallId: string, argsTextDelta: string): Delta =>
  delta("tool_call_args", { toolCallId, argsTextDelta });
const callEnd = (toolCallId: string): Delta => delta("tool_call_end", { toolCallId });
const wireCall = (id: string, input: object, more: object = {}): object => ({
  functionCall: { id, name: "f", args: input },
  ...more,
});

describe("events of deltas", () => {
  const rows: [sentence: string, deltas: Delta[], events: object[], losses?: string[]][] = [
    [
      "B85: one event per piece of text, each with a candidate",
      [textDelta("a"), textDelta("b")],
      [event(text("a")), event(text("b")), end()],
    ],
    ["an empty answer", [], [end()]],
    [
      "B15: thoughts have the thought flag, and a summary becomes a thought",
      [
        delta("thinking", { textDelta: "", partKey: 0 }),
        delta("thinking", { textDelta: "a", summary: 0, partKey: 0 }),
        delta("thinking", { textDelta: "b", summary: 1, partKey: 0 }),
        textDelta("c", 1),
      ],
      [event({ text: "a", thought: true }), event({ text: "\n\nb", thought: true }), event(text("c")), end()],
      ["summary-as-thought /message/parts/0/summary"],
    ],
    [
      "B9: the signature of a text follows it",
      [textDelta("a"), sealDelta("x"), textDelta("b"), textDelta("c", 1), sealDelta("y", 1)],
      [
        event(text("a")),
        event(text("b")),
        event(text("", { thoughtSignature: "x" })),
        end([text("c", { thoughtSignature: "y" })]),
      ],
    ],
    [
      "B9: a call is written with its signature, when it is complete",
      [callStart("x", 0), callArgs("x", '{"a"'), callArgs("x", ":1}"), callEnd("x"), sealDelta("s"), textDelta("b", 1)],
      [event(wireCall("x", { a: 1 }, { thoughtSignature: "s" })), event(text("b")), end()],
    ],
    [
      "B18, B19: interleaved parallel calls are written one after the other",
      [
        callStart("x", 0),
        callStart("y", 1),
        callArgs("y", '{"b":2}'),
        callArgs("x", '{"a":1}'),
        callEnd("y"),
        callEnd("x"),
      ],
      [event(wireCall("x", { a: 1 })), end([wireCall("y", { b: 2 })])],
    ],
    [
      "B50: a surrogate pair split over two deltas is written whole",
      [textDelta("a\ud83c"), textDelta("\udfdb")],
      [event(text("a")), event(text("\ud83c\udfdb")), end()],
    ],
    [
      "B59: events of a further candidate list candidate 0 first",
      [textDelta("a"), delta("text", { textDelta: "b", choice: 1 })],
      [
        event(text("a")),
        {
          candidates: [
            { content: { role: "model", parts: [text("")] }, index: 0 },
            { content: { role: "model", parts: [text("b")] }, index: 1 },
          ],
          ...head,
        },
        {
          candidates: [
            { content: { role: "model", parts: [text("")] }, finishReason: "STOP", index: 0 },
            { content: { role: "model", parts: [text("")] }, finishReason: "OTHER", index: 1 },
          ],
          ...head,
        },
      ],
    ],
    [
      "every event has the counts known so far",
      [delta("usage", { inputTokens: 5 }), textDelta("a"), delta("usage", { outputTokens: 3, totalTokens: 8 })],
      [
        { ...event(text("a")), usageMetadata: { promptTokenCount: 5 } },
        { ...end(), usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 } },
      ],
    ],
    [
      "adjacent texts are joined",
      [textDelta("a"), textDelta("b", 1)],
      [event(text("a")), event(text("b")), end()],
      ["texts-joined /message/parts/1"],
    ],
    [
      "late text becomes a separate part",
      [textDelta("a"), delta("thinking", { textDelta: "b", partKey: 1 }), textDelta("c"), sealDelta("x")],
      [event(text("a")), event({ text: "b", thought: true }), event(text("c")), end()],
      ["part-split /message/parts/0", "late-dropped /message/parts/0/seals"],
    ],
  ];
  test.each(rows)("%s", (_, deltas, events, losses = []) => {
    const encoded = encodeAll([start, ...deltas, DONE]);
    expect(encoded).toStrictEqual({ events, losses });
  });

  test("B31: a call without an end is written as in a whole response", () => {
    const { events, losses } = encodeAll([
      start,
      callStart("x", 0),
      callArgs("x", '{"a'),
      delta("done", { finishReason: "length" }),
    ]);
    expect(events).toMatchObject([
      { candidates: [{ content: { parts: [wireCall("x", { value: '{"a' })] }, finishReason: "MAX_TOKENS" }] },
    ]);
    expect(losses).toContain("arguments-wrapped /message/parts/0/input");
  });

  test("results of client tools between answers are dropped", () => {
    const { events, losses } = encodeAll([
      start,
      callStart("x", 0),
      callEnd("x"),
      DONE,
      result("x"),
      start,
      textDelta("b"),
      DONE,
    ]);
    expect(events).toHaveLength(3);
    expect(losses).toStrictEqual(["stream-result-dropped "]);
  });

  test("adjacent signed texts stay separate parts", () => {
    const parts: Part[] = ["a", "b"].map((value) => ({ type: "text", text: value, seals: [signature(value)] }));
    const message = assistant(parts);
    const { events } = encodeAll(disassemble({ id: "r", model: "m", message, finishReason: { unified: "stop" } }));
    expect(events).toStrictEqual([
      event(text("a")),
      event(text("", { thoughtSignature: "a" })),
      end([text("b", { thoughtSignature: "b" })]),
    ]);
  });
});

describe("failed streams", () => {
  const busy = delta("error", { errorCode: "overloaded", message: "Busy.", status: 503 });
  const failure = { error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } };

  test("B86: the error event follows the parts, without a finish reason", () => {
    const { events } = encodeAll([start, textDelta("a"), sealDelta("x"), busy]);
    expect(events).toStrictEqual([event(text("a")), event(text("", { thoughtSignature: "x" })), failure]);
  });

  test("B86: an error without any part before it", () => {
    expect(encodeAll([start, busy]).events).toStrictEqual([failure]);
  });

  test("B31: a call in which the stream broke off is not written, because clients would execute it", () => {
    const { events, losses } = encodeAll([start, textDelta("a"), callStart("x", 1), busy]);
    expect(events).toStrictEqual([event(text("a")), event(text("")), failure]);
    expect(losses).toContainEqual(expect.stringContaining("part-unsupported"));
  });

  test("an error of another dialect gets a google.rpc status", () => {
    const raw = { error: { code: 502, message: "Busy." } };
    const { events } = encodeAll([
      start,
      textDelta("a"),
      delta("error", { errorCode: "server", message: "Busy.", status: 502, raw }),
    ]);
    expect(events.at(-1)).toStrictEqual({ error: { code: 502, message: "Busy.", status: "INTERNAL" } });
  });

  test("B73: a stream without a final delta is truncated", () => {
    const { events } = encodeAll([start, textDelta("a")]);
    expect(events.at(-1)).toMatchObject({ error: { status: "UNAVAILABLE" } });
    expect(JSON.stringify(events)).not.toContain("finishReason");
  });
});

describe("forms of a whole response that a stream cannot restore", () => {
  const own = (residue: object): object => ({ extra: { gemini: residue } });
  const rows: [sentence: string, response: object, losses: string[]][] = [
    ["no reason to end", own({ $form: { finishReason: null } }), ["finish-reason-approximated /finishReason"]],
    [
      "no role",
      { message: { ...assistant("a"), ...own({ $form: { role: null } }) } },
      ["form-stale /message/extra/gemini/$form/role"],
    ],
    [
      "an index other than the position",
      own({ candidates: { index: 7 } }),
      ["residue-conflict /extra/gemini/candidates/index"],
    ],
    [
      "the pieces of a text",
      { message: assistant([{ type: "text", text: "ab", ...own({ $form: { chunks: { sizes: [1, 1] } } }) }]) },
      ["texts-joined /message/parts/0"],
    ],
    [
      "empty texts at the end",
      { message: { ...assistant("a"), ...own({ $form: { after: [{ text: "" }] } }) } },
      ["texts-joined /message/extra/gemini/$form"],
    ],
    ["an empty text", { message: assistant([{ type: "text", text: "" }]) }, ["texts-joined /message/parts/0"]],
  ];
  test.each(rows)("%s", (_, more, losses) => {
    const response = {
      id: "r",
      model: "m",
      message: assistant("a"),
      finishReason: { unified: "other" as const },
      ...more,
    };
    expect(encodeAll(disassemble(response)).losses).toStrictEqual(losses);
  });
});

test("events are framed as server-sent events", () => {
  expect(gemini().formatEvent({ data: event(text("a")) })).toBe(`data: ${JSON.stringify(event(text("a")))}\n\n`);
});

// Gemini's streams, to the wire: which events the deltas become, and what the last one says.
import { describe, expect, test } from "vitest";
import { disassemble } from "../../src/assembly/disassemble.ts";
import { gemini } from "../../src/dialects/gemini/index.ts";
import type { Delta } from "../../src/model/delta.ts";
import { assistant } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import { delta, DONE, result } from "../support/deltas.ts";
import { text } from "./gemini-stream-samples.ts";
import { encodeAll } from "./gemini-streaming.ts";

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
const says = (textDelta: string, part = 0): Delta => delta("text", { textDelta, part });
const seals = (value: string, part = 0): Delta => delta("seal", { seal: signature(value), part });
const begins = (toolCallId: string, part: number): Delta =>
  delta("tool_call_start", { toolCallId, toolName: "f", part });
const args = (toolCallId: string, argsTextDelta: string): Delta =>
  delta("tool_call_args", { toolCallId, argsTextDelta });
const ends = (toolCallId: string): Delta => delta("tool_call_end", { toolCallId });
const called = (id: string, input: object, more: object = {}): object => ({
  functionCall: { id, name: "f", args: input },
  ...more,
});

describe("which events deltas become", () => {
  const rows: [sentence: string, deltas: Delta[], events: object[], losses?: string[]][] = [
    [
      "B85: an event for each piece, each with a candidate",
      [says("a"), says("b")],
      [event(text("a")), event(text("b")), end()],
    ],
    ["nothing but an end", [], [end()]],
    [
      "B15: thoughts are told apart, and a summary is one",
      [
        delta("thinking", { textDelta: "", part: 0 }),
        delta("thinking", { textDelta: "a", summary: 0, part: 0 }),
        delta("thinking", { textDelta: "b", summary: 1, part: 0 }),
        says("c", 1),
      ],
      [event({ text: "a", thought: true }), event({ text: "\n\nb", thought: true }), event(text("c")), end()],
      ["summary-as-thought /message/parts/0/summary"],
    ],
    [
      "B9: the signature of a text follows it",
      [says("a"), seals("x"), says("b"), says("c", 1), seals("y", 1)],
      [
        event(text("a")),
        event(text("b")),
        event(text("", { thoughtSignature: "x" })),
        end([text("c", { thoughtSignature: "y" })]),
      ],
    ],
    [
      "B9: the signature of a call stands on it, so that it waits for that",
      [begins("x", 0), args("x", '{"a"'), args("x", ":1}"), ends("x"), seals("s"), says("b", 1)],
      [event(called("x", { a: 1 }, { thoughtSignature: "s" })), event(text("b")), end()],
    ],
    [
      "B18, B19: parallel calls that interleave go out one after the other",
      [begins("x", 0), begins("y", 1), args("y", '{"b":2}'), args("x", '{"a":1}'), ends("y"), ends("x")],
      [event(called("x", { a: 1 })), end([called("y", { b: 2 })])],
    ],
    [
      "B50: a character that two deltas share goes out whole",
      [says("a\ud83c"), says("\udfdb")],
      [event(text("a")), event(text("\ud83c\udfdb")), end()],
    ],
    [
      "B59: a further candidate does not stand first",
      [says("a"), delta("text", { textDelta: "b", choice: 1 })],
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
      "counts stand on every event from when they are known",
      [delta("usage", { inputTokens: 5 }), says("a"), delta("usage", { outputTokens: 3, totalTokens: 8 })],
      [
        { ...event(text("a")), usageMetadata: { promptTokenCount: 5 } },
        { ...end(), usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 } },
      ],
    ],
    [
      "two texts side by side are one to a reader",
      [says("a"), says("b", 1)],
      [event(text("a")), event(text("b")), end()],
      ["texts-joined /message/parts/1"],
    ],
    [
      "what comes after its part is a part of its own",
      [says("a"), delta("thinking", { textDelta: "b", part: 1 }), says("c"), seals("x")],
      [event(text("a")), event({ text: "b", thought: true }), event(text("c")), end()],
      ["part-split /message/parts/0", "late-unsaid /message/parts/0/seals"],
    ],
  ];
  test.each(rows)("%s", (_, deltas, events, losses = []) => {
    const said = encodeAll([start, ...deltas, DONE]);
    expect(said).toStrictEqual({ events, losses });
  });

  test("B31: a call that did not end goes out as a whole answer says it", () => {
    const { events, losses } = encodeAll([
      start,
      begins("x", 0),
      args("x", '{"a'),
      delta("done", { finishReason: "length" }),
    ]);
    expect(events).toMatchObject([
      { candidates: [{ content: { parts: [called("x", { value: '{"a' })] }, finishReason: "MAX_TOKENS" }] },
    ]);
    expect(losses).toContain("arguments-wrapped /message/parts/0/input");
  });

  test("results between answers are the client's", () => {
    const { events, losses } = encodeAll([start, begins("x", 0), ends("x"), DONE, result("x"), start, says("b"), DONE]);
    expect(events).toHaveLength(3);
    expect(losses).toStrictEqual(["result-between "]);
  });

  test("signatures side by side part their texts", () => {
    const parts: Part[] = ["a", "b"].map((word) => ({ type: "text", text: word, seals: [signature(word)] }));
    const message = assistant(parts);
    const { events } = encodeAll(disassemble({ id: "r", model: "m", message, finishReason: { unified: "stop" } }));
    expect(events).toStrictEqual([
      event(text("a")),
      event(text("", { thoughtSignature: "a" })),
      end([text("b", { thoughtSignature: "b" })]),
    ]);
  });
});

describe("how a stream fails", () => {
  const busy = delta("error", { errorCode: "overloaded", message: "Busy.", status: 503 });
  const failure = { error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } };

  test("B86: after what was said, with the dialect's own event and no end", () => {
    const { events } = encodeAll([start, says("a"), seals("x"), busy]);
    expect(events).toStrictEqual([event(text("a")), event(text("", { thoughtSignature: "x" })), failure]);
  });

  test("B86: with nothing before it", () => {
    expect(encodeAll([start, busy]).events).toStrictEqual([failure]);
  });

  test("B31: a call that it broke off in stays out, because it would be taken for complete", () => {
    const { events, losses } = encodeAll([start, says("a"), begins("x", 1), busy]);
    expect(events).toStrictEqual([event(text("a")), event(text("")), failure]);
    expect(losses).toContainEqual(expect.stringContaining("part-unsayable"));
  });

  test("an error of another dialect gets the status that clients look for", () => {
    const raw = { error: { code: 502, message: "Busy." } };
    const { events } = encodeAll([
      start,
      says("a"),
      delta("error", { errorCode: "server", message: "Busy.", status: 502, raw }),
    ]);
    expect(events.at(-1)).toStrictEqual({ error: { code: 502, message: "Busy.", status: "INTERNAL" } });
  });

  test("B73: an answer that nobody ended broke off", () => {
    const { events } = encodeAll([start, says("a")]);
    expect(events.at(-1)).toMatchObject({ error: { status: "UNAVAILABLE" } });
    expect(JSON.stringify(events)).not.toContain("finishReason");
  });
});

describe("what a stream has another place for than a whole answer", () => {
  const own = (residue: object): object => ({ extra: { gemini: residue } });
  const rows: [sentence: string, response: object, losses: string[]][] = [
    ["no reason to end", own({ $form: { finishReason: null } }), ["finish-approximated /finishReason"]],
    [
      "no role",
      { message: { ...assistant("a"), ...own({ $form: { role: null } }) } },
      ["form-stale /message/extra/gemini/$form/role"],
    ],
    [
      "an index that is not its place",
      own({ candidates: { index: 7 } }),
      ["residue-clash /extra/gemini/candidates/index"],
    ],
    [
      "how a text was cut",
      { message: assistant([{ type: "text", text: "ab", ...own({ $form: { chunks: { sizes: [1, 1] } } }) }]) },
      ["texts-joined /message/parts/0"],
    ],
    [
      "what stood at the end and said nothing",
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

test("events go out as server-sent events", () => {
  expect(gemini().formatEvent({ data: event(text("a")) })).toBe(`data: ${JSON.stringify(event(text("a")))}\n\n`);
});

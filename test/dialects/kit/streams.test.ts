// The shared stream modules: bytes to events, the assembled answer of an encoder, the sequence of parts, whole
// characters, and transcoding.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AssemblyError } from "../../../src/assembly/rules.ts";
import type { EventDecoder } from "../../../src/dialects/dialect.ts";
import { DialectError } from "../../../src/dialects/errors.ts";
import { ByteStreamDecoder } from "../../../src/dialects/frames.ts";
import { JsonObjectSplitter } from "../../../src/dialects/json-values.ts";
import type { PartDraft } from "../../../src/dialects/kit/streams/answer-follower.ts";
import { AnswerFollower, toDraftPath } from "../../../src/dialects/kit/streams/answer-follower.ts";
import { PartSequence } from "../../../src/dialects/kit/streams/part-sequence.ts";
import type { PendingSurrogate } from "../../../src/dialects/kit/streams/text-chunks.ts";
import { createStartDelta, createTruncatedDelta } from "../../../src/dialects/kit/streams/stream-deltas.ts";
import { takeWholeCharacters } from "../../../src/dialects/kit/streams/text-chunks.ts";
import { transcode } from "../../../src/dialects/transcode.ts";
import { assemble, disassemble, formatSse, sameJson } from "../../../src/index.ts";
import type { Delta } from "../../../src/index.ts";
import { json, legalAnswer, response } from "../../support/arbitrary.ts";
import { answer, call, delta, DONE, result, START } from "../../support/deltas.ts";
import { requireError } from "../../support/require-error.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { codePoint } from "../../support/code-points.ts";

type Chunk = Uint8Array | string;

/** A decoder that emits each event, and the end of the input, as a text "name:data". */
function createProbeDecoder(): EventDecoder {
  const textDeltas = (textDelta: string): Delta[] => [delta("text", { textDelta })];
  return {
    push(data, event) {
      if (data === 7) throw new DialectError("probe", "", "wrong-type", "Seven is no event.");
      return textDeltas(`${event ?? ""}:${JSON.stringify(data)}`);
    },
    end: (reason) => textDeltas(reason?.kind === "error" ? `broken: ${reason.payload.message}` : "end"),
  };
}

function formatDeltas(deltas: readonly Delta[]): string[] {
  return deltas.map((each) => (each.kind === "text" ? each.payload.textDelta : each.kind));
}

function feed(chunks: readonly Chunk[]): string[] {
  const bytes = new ByteStreamDecoder(createProbeDecoder());
  return formatDeltas([...chunks.flatMap((chunk) => bytes.push(chunk)), ...bytes.end()]);
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Any list of cut positions. */
const cuts = fc.array(fc.nat(400), { maxLength: 12 });
function cutBytes(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const offsets = [0, ...at.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return offsets.slice(1).map((to, index) => bytes.subarray(offsets[index], to));
}

describe("bytes to events", () => {
  const broken = (data: string): string => `broken: The stream contains an event that cannot be read: ${data}`;
  test.each<[string, string, string[]]>([
    ["server-sent events", 'data: {"a":1}\n\nevent: x\ndata: {"b":2}\n\n', [':{"a":1}', 'x:{"b":2}']],
    ["with CRLF", 'event: x\r\ndata: {"a":1}\r\n\r\n', ['x:{"a":1}']],
    ["with a byte order mark", '\uFEFFdata: {"a":1}\n\n', [':{"a":1}']],
    ["with the end marker of some vendors", "data: [DONE]\n\n", [':"[DONE]"']],
    ["after comments and empty lines", '\n\n: ping\n\ndata: {"a":1}\n\n', [':{"a":1}']],
    ["B68: without an end", 'data: {"a":1}', [':{"a":1}']],
    ["truncated within an event, which is dropped", 'data: {"a":1}\n\ndata: {"a', [':{"a":1}']],
    ["a line with a leading space is not a field, in any chunks", ' data: {"a":1}\n\n', []],
    ["B74: one JSON body", '{"a":{"b":["}"]}}', [':{"a":{"b":["}"]}}']],
    ["B74: a JSON body over several lines", '{\n  "a": 1\n}\n', [':{"a":1}']],
    ["B74: a JSON body after a byte order mark", '\uFEFF{"a":1}', [':{"a":1}']],
    ["B74: a JSON body after more spaces than detection reads", `${"\n ".repeat(90)}{"a":"é"}`, [':{"a":"é"}']],
    ["B74: a list of values", '[{"a":1},\r\n{"b":[2]}\n]', [':{"a":1}', ':{"b":[2]}']],
    ["B74: a value per line", '{"a":1}\n{"b":2}\n', [':{"a":1}', ':{"b":2}']],
    ["a JSON body that is cut off", '{"a":{"b":1}', []],
    ["a page of HTML has no events", "<!doctype html>\n<html><body>Bad gateway: {}</body></html>", []],
    ["only spaces", " \r\n\t", []],
    ["no bytes", "", []],
    [
      "an event that is not JSON, and all later ones",
      'data: {"a":1}\n\ndata: {oops\n\ndata: {"b":2}\n\n',
      [':{"a":1}', broken("{oops")],
    ],
    ["an invalid JSON body", '{"a":1}{oops}{"b":2}', [':{"a":1}', broken("{oops}")]],
    ["an event that the dialect rejects", 'data: {"a":1}\n\ndata: 7\n\ndata: {"b":2}\n\n', [':{"a":1}', broken("7")]],
  ])("%s", (_, text, expected) => {
    const bytes = encode(text);
    expect(feed([bytes])).toStrictEqual(expected);
    expect(feed([text])).toStrictEqual(expected);
    expect(feed([...bytes].map((byte) => new Uint8Array([byte])))).toStrictEqual(expected);
    fc.assert(
      fc.property(cuts, (at) => {
        expect(feed(cutBytes(bytes, at))).toStrictEqual(expected);
      }),
    );
  });

  test("other errors of a decoder are thrown", () => {
    const decoder: EventDecoder = {
      push: () => {
        throw new TypeError("a bug");
      },
      end: () => [],
    };
    expect(() => new ByteStreamDecoder(decoder).push("data: 1\n\n")).toThrow("a bug");
  });

  test("a dialect can have its own frame format", () => {
    const frames = { push: (chunk: Chunk) => [{ event: "odd", data: chunk.length }], end: () => [{ data: "[DONE]" }] };
    const bytes = new ByteStreamDecoder(createProbeDecoder(), frames);
    expect(formatDeltas([...bytes.push("abc"), ...bytes.end()])).toStrictEqual(["odd:3", ':"[DONE]"']);
  });
});

describe("JSON values in chunks", () => {
  const object = fc.dictionary(fc.string({ maxLength: 3 }), fc.oneof(json, fc.string({ unit: codePoint })), {
    maxKeys: 3,
    noNullPrototype: true,
  });

  test("values in any of the three spellings, cut anywhere, are parsed completely", () => {
    fc.assert(
      fc.property(
        fc.array(object, { maxLength: 4 }),
        fc.constantFrom(0, 1),
        fc.boolean(),
        cuts,
        (all, gap, list, at) => {
          const texts = all.map((each) => JSON.stringify(each, null, gap));
          const text = list ? `[${texts.join(",\n")}]` : texts.join("\n");
          const offsets = [0, ...at.map((each) => each % (text.length + 1)).sort((a, b) => a - b), text.length];
          const values = new JsonObjectSplitter();
          const found = offsets.slice(1).flatMap((to, index) => values.push(text.slice(offsets[index], to)));
          expect(found).toStrictEqual(texts);
        },
      ),
    );
  });
});

describe("the answer that a stream encoder assembles", () => {
  function follow(deltas: readonly Delta[]): { follower: AnswerFollower; drafts: (PartDraft | undefined)[] } {
    const follower = new AnswerFollower();
    return { follower, drafts: deltas.map((each) => follower.push(each)) };
  }

  test("each delta returns its part and the part's path", () => {
    const { drafts } = follow([
      START,
      delta("text", { textDelta: "a" }),
      delta("text", { textDelta: "b" }),
      ...call("c", "{}"),
      delta("text", { textDelta: "other", choice: 2 }),
      delta("usage", { inputTokens: 1 }),
      DONE,
    ]);
    const offsets = drafts.map((draft) => draft && [draft.part.type, ...toDraftPath(draft)].join("/"));
    const [text, tool] = ["text/message/parts/0", "tool-call/message/parts/1"];
    const other = "text/alternatives/1/message/parts/0";
    expect(offsets).toStrictEqual([undefined, text, text, tool, tool, tool, other, undefined, undefined]);
  });

  test("at the end it is the whole answer, equal to the assembler's", () => {
    fc.assert(
      fc.property(fc.oneof(legalAnswer, response.map(disassemble)), (deltas) => {
        const { follower } = follow(deltas);
        expect(follower.isOpen).toBe(false);
        expect(sameJson(follower.response(), assemble(deltas))).toBe(true);
      }),
      { numRuns: scaleRunCount(60) },
    );
  });

  test("before the end, and after an error, it is the partial answer", () => {
    const { follower } = follow([START, delta("text", { textDelta: "Hal" })]);
    expect(follower.isOpen).toBe(true);
    expect(follower.response()).toMatchObject({
      message: { parts: [{ text: "Hal" }], metadata: { interrupted: true } },
      finishReason: { unified: "error" },
    });
    follower.push(delta("error", { errorCode: "overloaded" }));
    expect(follower.isOpen).toBe(false);
    expect(follower.response()).toMatchObject({ message: { parts: [{ text: "Hal" }] }, error: { kind: "overloaded" } });
    expect(new AnswerFollower().response()).toBeUndefined();
  });

  test("several answers and the results between them are accepted, and ids are unique in the run", () => {
    const { follower, drafts } = follow([...answer(...call("c", "{}")), result("c")]);
    expect(drafts.at(-1)).toBeUndefined();
    expect(follower.isOpen).toBe(false);
    follower.push(START);
    expect(requireError(AssemblyError, () => follower.push(call("c", "{}")[0] as Delta)).rule).toBe("call-unique");
    follower.push(delta("text", { textDelta: "next" }));
    follower.push(DONE);
    expect(follower.response()?.message.parts).toStrictEqual([{ type: "text", text: "next" }]);
  });

  test.each<[string, Delta[], string]>([
    ["a delta before the start", [DONE], "start-first"],
    ["a delta after the end", [START, DONE, delta("text", { textDelta: "" })], "terminal-last"],
    ["a result without a call", [START, DONE, result("c")], "result-traced"],
    ["a second result", [...answer(...call("c", "{}")), result("c"), result("c")], "result-once"],
    ["an invalid result", [START, DONE, { kind: "part", payload: { role: "tool" } } as unknown as Delta], "payload"],
  ])("%s is rejected with its rule", (_, deltas, rule) => {
    expect(requireError(AssemblyError, () => follow(deltas)).rule).toBe(rule);
  });
});

describe("one part at a time", () => {
  /** The events of a block protocol: [ opens, ] closes, ! is late. */
  function sequence(deltas: readonly Delta[]): string {
    const follower = new AnswerFollower();
    const out: string[] = [];
    const sequence = new PartSequence({
      open: ({ index }) => out.push(`[${index}`),
      add: (_, { payload }) => out.push(Object(payload).textDelta ?? Object(payload).argsTextDelta ?? ""),
      close: () => out.push("]"),
      late: ({ index }, { payload }) => out.push(`!${index}${Object(payload).textDelta ?? ""}`),
    });
    for (const each of deltas) {
      const draft = follower.push(each);
      if (draft !== undefined) sequence.push(draft, each);
    }
    sequence.end();
    return out.join("");
  }
  const open = (toolCallId: string): Delta => delta("tool_call_start", { toolCallId, toolName: "t" });
  const args = (toolCallId: string, argsTextDelta: string): Delta =>
    delta("tool_call_args", { toolCallId, argsTextDelta });
  const end = (toolCallId: string): Delta => delta("tool_call_end", { toolCallId });
  const text = (textDelta: string, part?: number): Delta =>
    delta("text", part === undefined ? { textDelta } : { textDelta, partKey: part });

  test.each<[string, Delta[], string]>([
    ["no deltas", [], ""],
    ["texts and calls in order", [text("a"), text("b"), ...call("c", "1"), text("d")], "[0ab][11][2d]"],
    ["an empty text opens a part", [text("", 1), text("", 2)], "[0][1]"],
    [
      "interleaved calls, one after the other",
      [open("a"), open("b"), args("b", "2"), args("a", "1"), end("b"), end("a")],
      "[01][12]",
    ],
    [
      "deltas after the second call wait",
      [open("a"), open("b"), args("b", "2"), text("t"), args("a", "1"), end("a"), args("b", "3"), end("b"), text("u")],
      "[01][123][2tu]",
    ],
    [
      "three calls that end in another order",
      [open("a"), open("b"), open("c"), args("c", "3"), end("c"), args("b", "2"), end("b"), args("a", "1"), end("a")],
      "[01][12][23]",
    ],
    ["calls that never end", [open("a"), open("b"), args("b", "2"), text("t"), args("a", "1")], "[01][12][2t]"],
    ["a text that continues after another part is late", [text("a", 1), text("b", 2), text("c", 1)], "[0a][1b!0c]"],
    [
      "the end of a call adds its fields",
      [open("a"), delta("tool_call_end", { toolCallId: "a", argsTextDelta: "1" })],
      "[01]",
    ],
  ])("%s", (_, deltas, expected) => {
    expect(sequence(answer(...deltas))).toBe(expected);
  });

  test("interleaved calls are emitted call by call, each complete", () => {
    fc.assert(
      fc.property(legalAnswer, (deltas) => {
        const keyed = deltas.filter(({ kind }) => ["start", "done"].includes(kind) || kind.startsWith("tool_call"));
        const formatDeltas = new Map<string, string>();
        for (const each of keyed) {
          if (each.kind === "tool_call_start") formatDeltas.set(each.payload.toolCallId, "");
          if (each.kind !== "tool_call_args") continue;
          const { toolCallId, argsTextDelta } = each.payload;
          formatDeltas.set(toolCallId, formatDeltas.get(toolCallId) + argsTextDelta);
        }
        expect(sequence(keyed)).toBe([...formatDeltas.values()].map((each, index) => `[${index}${each}]`).join(""));
      }),
    );
  });
});

describe("whole characters", () => {
  function pieced(texts: readonly string[]): { out: string[]; pending: PendingSurrogate } {
    const pending: PendingSurrogate = {};
    return { out: texts.map((text) => takeWholeCharacters(pending, text)), pending };
  }
  const [high, low] = ["\uD83D", "\uDE00"];

  test.each<[string, string[], string[], string | undefined]>([
    ["whole texts pass", ["a", "", "😀", "b"], ["a", "", "😀", "b"], undefined],
    [
      "B50: a character that is split between two deltas is emitted with the second",
      [`a${high}`, `${low}b`],
      ["a", "😀b"],
      undefined,
    ],
    ["an empty delta between the halves has no effect", [high, "", low], ["", "", "😀"], undefined],
    ["two characters with split halves", [high, low + high, low], ["", "😀", "😀"], undefined],
    ["a high surrogate at the end is pending", [`a${high}`], ["a"], high],
    ["a high surrogate after another one is emitted", [high, high], ["", high], high],
    ["a low surrogate alone is emitted", [low], [low], undefined],
  ])("%s", (_, texts, out, left) => {
    const found = pieced(texts);
    expect(found.out).toStrictEqual(out);
    expect(found.pending.pendingSurrogate).toBe(left);
  });

  test("B50: for any cut of a text, no character is lost, and no chunk ends within a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), cuts, (text, at) => {
        const offsets = [0, ...at.map((each) => each % (text.length + 1)).sort((a, b) => a - b), text.length];
        const { out, pending } = pieced(offsets.slice(1).map((to, index) => text.slice(offsets[index], to)));
        expect([out.join(""), pending.pendingSurrogate]).toStrictEqual([text, undefined]);
        expect(out.every((piece) => piece.isWellFormed())).toBe(true);
      }),
    );
  });
});

describe("transcoding a stream", () => {
  const deltas = answer(delta("text", { textDelta: "Hi" }), ...call("c", '{"a":1}'));
  const wire = deltas
    .map((each, seq) => ({ ...each, runId: "r", seq, timestamp: "2026-01-02T03:04:05.000Z" }))
    .map((data) => formatSse({ data }));

  test("bytes become text, one chunk per chunk", () => {
    const transcoder = transcode("run", "run");
    expect(wire.map((text) => transcoder.push(encode(text)))).toStrictEqual(wire);
    expect(transcoder.push(": ping\n\n")).toBe("");
    expect(transcoder.end()).toBe("");
    expect(transcoder.losses).toStrictEqual([]);
  });

  test("a truncated input ends in an error event", () => {
    const transcoder = transcode("run", "run");
    const text = wire.slice(0, -1).map((each) => transcoder.push(each));
    const [last] = String(transcoder.end()).split("\n");
    expect(text).toStrictEqual(wire.slice(0, -1));
    expect(JSON.parse(String(last).slice("data: ".length))).toMatchObject({
      kind: "error",
      payload: { errorCode: "truncated" },
    });
  });

  test("a start delta has the given fields, and a truncated answer is retryable", () => {
    const start = createStartDelta({ modelId: "m", requestId: "r" });
    const failed = requireError(AssemblyError, () =>
      assemble([start, delta("text", { textDelta: "Hal" }), createTruncatedDelta()]),
    );
    expect(failed.error).toMatchObject({ errorCode: "truncated", retryable: true });
    expect(failed.response).toMatchObject({ id: "r", model: "m", error: { kind: "truncated" } });
    expect(failed.partial?.parts).toStrictEqual([{ type: "text", text: "Hal" }]);
  });
});

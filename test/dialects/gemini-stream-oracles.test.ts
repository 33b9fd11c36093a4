// Gemini's streams against whole answers, against themselves, and against nonsense.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeltas } from "../../src/assembly/assemble.ts";
import { disassemble } from "../../src/assembly/disassemble.ts";
import { dialect as speak, transcode } from "../../src/dialects/index.ts";
import { parseJson, stringifyJson } from "../../src/model/json.ts";
import type { Message } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { cut, responseGallery, seededRandom } from "../../src/testkit/index.ts";
import { expectSame } from "../support/same.ts";
import { responses as replies } from "./gemini-reply-samples.ts";
import { streams } from "./gemini-stream-samples.ts";
import { answerOf, decodeAll, dialect, encodeAll, unnoted } from "./gemini-streaming.ts";
import { RARE } from "./rare-samples.ts";
import { tries } from "../support/tries.ts";

/** What only the protocol of a stream loses. */
const STREAM_ONLY = /^(?:texts-joined|part-split|late-unsaid|result-between) /;

/** B80: through a stream or in one piece, a reader gets the same answer, and the same report. */
function expectSquare(response: ModelResponse): void {
  const whole = dialect.encodeResponse(response);
  const { events, losses } = encodeAll(disassemble(response));
  const deltas = decodeAll(parseJson(stringifyJson(events)) as object[]);
  expect(checkDeltas(deltas)).toStrictEqual([]);
  const [streamed, read] = [answerOf(deltas), dialect.decodeResponse(parseJson(stringifyJson(whole.wire)))];
  for (const each of [streamed, read]) {
    if (response.error === undefined) continue;
    // An answer that failed does not say in a stream that it ended.
    delete each.finishReason.raw;
    delete each.extra;
  }
  expectSame(unnoted(streamed), unnoted(read));
  const reported = whole.losses.map(({ code, path }) => `${code} ${path}`);
  // That an error may be tried again goes without saying in deltas, where its kind says the same.
  const said = reported.filter((loss) => !loss.endsWith("/error/retryable"));
  expect(losses.filter((loss) => !STREAM_ONLY.test(loss)).toSorted()).toStrictEqual(said.toSorted());
}

/** A stream must end with a reason, says every role, and knows candidates by their index. */
const UNSAYABLE = /^(?:no role and no index|several candidates|nothing at all|no candidates|.*counts.*)$/;

describe("B80: a stream says what a whole answer says", () => {
  const own = replies.filter(({ name }) => !UNSAYABLE.test(name) || name === "every count");
  test.each(own)("$name", ({ wire }) => expectSquare(dialect.decodeResponse(wire)));
  test.each(responseGallery())("of the gallery: $name", ({ value }) => expectSquare(value));

  const rare = Object.entries(RARE).flatMap(([id, { responses }]) =>
    responses.map(({ name, wire }) => ({ name: `${id}: ${name}`, response: speak(id).decodeResponse(wire) })),
  );
  test.each(rare)("what is rare, of $name", ({ response }) => expectSquare(response));
});

const words = fc.constantFrom("", "a", "b ", "é🏛️");
const seal = fc.constantFrom(undefined, undefined, "x", "y");
const residue = fc.constantFrom(
  undefined,
  undefined,
  { new: 1 },
  { new: 2 },
  { $form: { snake: { thought_signature: true } } },
);
const spoken = fc
  .record({ type: fc.constantFrom("text", "text", "reasoning", "refusal"), text: words, seal, residue })
  .map(({ seal: value, residue: kept, ...part }) => ({
    ...part,
    ...(value !== undefined && { seals: [{ dialect: "gemini", kind: "signature", value }] }),
    ...(kept !== undefined && { extra: { gemini: structuredClone(kept) } }),
  }));
const called = seal.map((value) => ({
  type: "tool-call",
  toolCallId: "",
  toolName: "f",
  input: { a: [1, "b"] },
  ...(value !== undefined && { seals: [{ dialect: "gemini", kind: "signature", value }] }),
}));
/** Texts and thoughts side by side in every way, with calls between them. */
const message: fc.Arbitrary<Message> = fc
  .array(fc.oneof({ weight: 4, arbitrary: spoken }, called), { maxLength: 7 })
  .map((parts) => ({ role: "assistant", parts: parts as Part[] }));
const response: fc.Arbitrary<ModelResponse> = fc
  .record({ message, other: message })
  .map(({ message: first, other }) => {
    for (const [at, part] of [...first.parts, ...other.parts].entries()) {
      if (part.type === "tool-call") part.toolCallId = `call_${at}`;
    }
    const alternatives = [{ message: other, finishReason: { unified: "stop" as const } }];
    const plain: ModelResponse = { id: "r", model: "m", message: first, finishReason: { unified: "length" } };
    return other.parts.length === 0 ? plain : { ...plain, alternatives };
  });

test("B80: texts, thoughts and signatures in any order", () => {
  fc.assert(fc.property(response, expectSquare), { numRuns: tries(250) });
});

/** Whether some candidates have said why they ended, and none has said anything without it. */
function hasEnded(events: readonly object[]): boolean {
  const said = events.flatMap((event) => ("candidates" in event ? (event.candidates as Wire[]) : []));
  const places = (list: readonly Wire[]): Set<unknown> => new Set(list.map(({ index = 0 }) => index));
  const ended = places(said.filter((each) => JSON.stringify(each).includes("finish")));
  return ended.size > 0 && ended.size === places(said).size;
}
type Wire = Record<string, unknown>;

describe("own streams", () => {
  test.each(streams)("written again, it says the same: $name", ({ events }) => {
    const deltas = decodeAll(events);
    const { events: again, losses } = encodeAll(deltas);
    expect(losses).toStrictEqual([]);
    expect(answerOf(decodeAll(again))).toStrictEqual(answerOf(deltas));
  });

  test.each(streams)("B73: cut off anywhere, it is truncated, and no end is made up: $name", ({ events }) => {
    for (let length = 0; length < events.length; length++) {
      const deltas = decodeAll(events.slice(0, length));
      expect(checkDeltas(deltas)).toStrictEqual([]);
      const isOver = hasEnded(events.slice(0, length));
      const last = deltas.at(-1);
      expect(last?.kind === "error" ? last.payload.errorCode : last?.kind).toBe(isOver ? "done" : "truncated");
    }
  });

  test("B68, B74: bytes, cut anywhere, as events or as a list", () => {
    const random = seededRandom(7);
    for (const { events } of streams) {
      const whole = answerOf(decodeAll(events));
      for (const bytes of [events.map((data) => dialect.formatEvent({ data })).join(""), JSON.stringify(events)]) {
        const pieces = cut(new TextEncoder().encode(bytes), random);
        expect(answerOf(decodeAll(pieces))).toStrictEqual(whole);
      }
    }
  });

  test("bytes to bytes, the same answer", () => {
    for (const { events } of streams) {
      const coder = transcode("gemini", "gemini");
      const said = String(coder.push(JSON.stringify(events))) + String(coder.end());
      expect(answerOf(decodeAll([said]))).toStrictEqual(answerOf(decodeAll(events)));
    }
  });
});

describe("arguments in pieces", () => {
  const key = fc.oneof(fc.constantFrom("a", "b", "__proto__", "it's", 'say "so"', "[0]", ""), fc.string());
  const leaf = fc.oneof(
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const { args } = fc.letrec<{ value: unknown; args: Record<string, unknown> }>((tie) => ({
    value: fc.oneof({ depthSize: "small" }, leaf, tie("args"), fc.array(tie("value"), { minLength: 1, maxLength: 3 })),
    args: fc.dictionary(key, tie("value"), { minKeys: 1, maxKeys: 4 }),
  }));
  const step = (name: string | number): string =>
    typeof name === "number" ? `[${name}]` : `['${name.replaceAll(/['\\]/g, "\\$&")}']`;

  /** Every value with its path, texts in two pieces. */
  function pieces(value: unknown, path: string): object[] {
    if (typeof value === "object" && value !== null) {
      const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
      return entries.flatMap(([name, inner]: [string | number, unknown]) => pieces(inner, path + step(name)));
    }
    if (value === null) return [{ jsonPath: path, nullValue: "NULL_VALUE" }];
    if (typeof value !== "string")
      return [{ jsonPath: path, [`${typeof value === "number" ? "number" : "bool"}Value`]: value }];
    const half = value.length >> 1;
    return [
      { jsonPath: path, stringValue: value.slice(0, half), willContinue: true },
      { jsonPath: path, stringValue: value.slice(half) },
    ];
  }
  const streamed = (partial: readonly object[]): unknown => {
    const one = (functionCall: object, more = {}): object => ({
      candidates: [{ content: { role: "model", parts: [{ functionCall }] }, ...more }],
    });
    const events = partial.map((each) => one({ partialArgs: [each], willContinue: true }));
    const deltas = decodeAll([one({ name: "f", willContinue: true }), ...events, one({}, { finishReason: "STOP" })]);
    const [part] = answerOf(deltas).message.parts;
    return part?.type === "tool-call" ? part.input : part;
  };

  test("B80: they are the arguments that they were", () => {
    fc.assert(
      fc.property(args, (value) => {
        expectSame(streamed(pieces(value, "$")), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: tries(150) },
    );
  });

  test("B80: also where they come in another order", () => {
    fc.assert(
      fc.property(args, fc.nat(), (value, turn) => {
        const fields = Object.entries(value).map(([name, inner]) => pieces(inner, `$${step(name)}`));
        // Whole fields turned round, and what is in one of them from its end.
        const turned = fields.map((_, at) => fields[(at + turn) % fields.length] ?? []);
        const backwards = turned.map((field) => (field.length === 2 ? field : field.toReversed()));
        const whole = turned.every((field) => field.every((each) => !("stringValue" in each)));
        expectSame(streamed((whole ? backwards : turned).flat()), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: tries(150) },
    );
  });

  test("B43: what cannot be read is kept", () => {
    const odd = [{ jsonPath: "a", stringValue: "x" }, { jsonPath: "$.a" }, { jsonPath: "$.a.b", boolValue: true }, 7];
    const events = [
      {
        functionCall: {
          id: "x",
          name: "f",
          partialArgs: [{ jsonPath: "$.a", numberValue: 1 }, ...odd],
          willContinue: true,
        },
      },
      { functionCall: {} },
    ].map((part, at) => ({ candidates: [{ content: { parts: [part] }, ...(at > 0 && { finishReason: "STOP" }) }] }));
    expect(answerOf(decodeAll(events)).message.parts).toStrictEqual([
      {
        type: "tool-call",
        toolCallId: "x",
        toolName: "f",
        input: { a: 1 },
        extra: { gemini: { functionCall: { partialArgs: odd } } },
      },
    ]);
  });
});

describe("nonsense", () => {
  const junk = fc.constantFrom<unknown>(null, 7, "x", [], {}, true, [null], { text: 1 });
  /** A value with one of its inner values replaced or left out. */
  function broken(value: unknown, at: number, by: unknown): unknown {
    let left = at;
    const walk = (node: unknown): unknown => {
      if (left-- === 0) return by;
      if (Array.isArray(node)) return node.map(walk);
      if (typeof node !== "object" || node === null) return node;
      return Object.fromEntries(Object.entries(node).map(([key, field]) => [key, walk(field)]));
    };
    return walk(value);
  }

  test("B43, B79: events in any order, twice, missing or broken are still a legal stream", () => {
    const all = streams.flatMap(({ events }) => events);
    const index = fc.nat(all.length - 1);
    const event = fc
      .tuple(index, fc.option(fc.tuple(fc.integer({ min: 1, max: 40 }), junk)))
      .map(([which, damage]) => (damage === null ? all[which] : broken(all[which], ...damage)));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), (events) => {
        const deltas = decodeAll(events);
        expect(checkDeltas(deltas)).toStrictEqual([]);
        const encoder = dialect.streamEncoder();
        for (const delta of deltas) encoder.push(delta);
        expect(encoder.end()).toStrictEqual([]);
      }),
      { numRuns: tries(800) },
    );
  });
});

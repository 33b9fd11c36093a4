// Compares Gemini streams with whole responses and with themselves, and checks malformed streams.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeltas } from "../../../src/assembly/assemble.ts";
import { disassemble } from "../../../src/assembly/disassemble.ts";
import { dialect as createDialect, transcode } from "../../../src/dialects/index.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { cutRandomly, canonicalResponses, seededRandom } from "../../../src/testkit/index.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { responses as replies } from "./response-samples.ts";
import { streams } from "./stream-samples.ts";
import { assembleAnswer, decodeAll, dialect, encodeAll, withoutFormSpecificKeys } from "./stream-helpers.ts";
import { RARE } from "../all/rare-samples.rows.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

/** Losses that only streams can report. */
const STREAM_ONLY = /^(?:texts-joined|part-split|late-dropped|stream-result-dropped) /;

/** B80: streamed and whole, a client decodes the same answer, and the losses are the same. */
function expectSameAsWhole(response: ModelResponse): void {
  const whole = dialect.encodeResponse(response);
  const { events, losses } = encodeAll(disassemble(response));
  const deltas = decodeAll(parseJson(stringifyJson(events)) as object[]);
  expect(checkDeltas(deltas)).toStrictEqual([]);
  const [streamed, read] = [assembleAnswer(deltas), dialect.decodeResponse(parseJson(stringifyJson(whole.wire)))];
  for (const each of [streamed, read]) {
    if (response.error === undefined) continue;
    // A failed answer has no finish reason in a stream.
    delete each.finishReason.raw;
    delete each.extra;
  }
  expectSameJson(withoutFormSpecificKeys(streamed), withoutFormSpecificKeys(read));
  const reported = whole.losses.map(({ code, path }) => `${code} ${path}`);
  // Deltas have no field for `retryable` if the kind of the error implies it.
  const reportedLosses = reported.filter((loss) => !loss.endsWith("/error/retryable"));
  expect(losses.filter((loss) => !STREAM_ONLY.test(loss)).toSorted()).toStrictEqual(reportedLosses.toSorted());
}

/** Samples that a stream cannot represent: it always has a finish reason, roles and indexes. */
const WHOLE_RESPONSE_ONLY = /^(?:no role and no index|several candidates|an empty body|no candidates|.*counts.*)$/;

describe("B80: a stream decodes to the same answer as the whole response", () => {
  const own = replies.filter(({ name }) => !WHOLE_RESPONSE_ONLY.test(name) || name === "every count");
  test.each(own)("$name", ({ wire }) => expectSameAsWhole(dialect.decodeResponse(wire)));
  test.each(canonicalResponses())("of the gallery: $name", ({ value }) => expectSameAsWhole(value));

  const rare = Object.entries(RARE).flatMap(([id, { responses }]) =>
    responses.map(({ name, wire }) => ({ name: `${id}: ${name}`, response: createDialect(id).decodeResponse(wire) })),
  );
  test.each(rare)("rare fields of $name", ({ response }) => expectSameAsWhole(response));
});

const text = fc.constantFrom("", "a", "b ", "é🏛️");
const seal = fc.constantFrom(undefined, undefined, "x", "y");
const residue = fc.constantFrom(
  undefined,
  undefined,
  { new: 1 },
  { new: 2 },
  { $form: { snake: { thought_signature: true } } },
);
const textPart = fc
  .record({ type: fc.constantFrom("text", "text", "reasoning", "refusal"), text, seal, residue })
  .map(({ seal: value, residue: partResidue, ...part }) => ({
    ...part,
    ...(value !== undefined && { seals: [{ dialect: "gemini", kind: "signature", value }] }),
    ...(partResidue !== undefined && { extra: { gemini: structuredClone(partResidue) } }),
  }));
const callPart = seal.map((value) => ({
  type: "tool-call",
  toolCallId: "",
  toolName: "f",
  input: { a: [1, "b"] },
  ...(value !== undefined && { seals: [{ dialect: "gemini", kind: "signature", value }] }),
}));
/** Generates texts and thoughts in any order, with calls between them. */
const message: fc.Arbitrary<Message> = fc
  .array(fc.oneof({ weight: 4, arbitrary: textPart }, callPart), { maxLength: 7 })
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
  fc.assert(fc.property(response, expectSameAsWhole), { numRuns: scaleRunCount(250) });
});

/** True if a candidate has a finish reason, and every candidate with content has one. */
function hasEnded(events: readonly object[]): boolean {
  const candidates = events.flatMap((event) => ("candidates" in event ? (event.candidates as Wire[]) : []));
  const toIndexes = (list: readonly Wire[]): Set<unknown> => new Set(list.map(({ index = 0 }) => index));
  const ended = toIndexes(candidates.filter((each) => JSON.stringify(each).includes("finish")));
  return ended.size > 0 && ended.size === toIndexes(candidates).size;
}
type Wire = Record<string, unknown>;

describe("Gemini's own streams", () => {
  test.each(streams)("decoded and encoded again, it decodes to the same answer: $name", ({ events }) => {
    const deltas = decodeAll(events);
    const { events: again, losses } = encodeAll(deltas);
    expect(losses).toStrictEqual([]);
    expect(assembleAnswer(decodeAll(again))).toStrictEqual(assembleAnswer(deltas));
  });

  test.each(streams)("B73: cut off anywhere, it is truncated without a finish reason: $name", ({ events }) => {
    for (let length = 0; length < events.length; length++) {
      const deltas = decodeAll(events.slice(0, length));
      expect(checkDeltas(deltas)).toStrictEqual([]);
      const isOver = hasEnded(events.slice(0, length));
      const last = deltas.at(-1);
      expect(last?.kind === "error" ? last.payload.errorCode : last?.kind).toBe(isOver ? "done" : "truncated");
    }
  });

  test("B68, B74: bytes cut anywhere, as server-sent events or as a JSON list", () => {
    const random = seededRandom(7);
    for (const { events } of streams) {
      const whole = assembleAnswer(decodeAll(events));
      for (const bytes of [events.map((data) => dialect.formatEvent({ data })).join(""), JSON.stringify(events)]) {
        const pieces = cutRandomly(new TextEncoder().encode(bytes), random);
        expect(assembleAnswer(decodeAll(pieces))).toStrictEqual(whole);
      }
    }
  });

  test("transcoding bytes gives the same answer", () => {
    for (const { events } of streams) {
      const coder = transcode("gemini", "gemini");
      const output = String(coder.push(JSON.stringify(events))) + String(coder.end());
      expect(assembleAnswer(decodeAll([output]))).toStrictEqual(assembleAnswer(decodeAll(events)));
    }
  });
});

describe("streamed arguments", () => {
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

  /** Returns every value as an argument with its path; texts in two pieces. */
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
    const [part] = assembleAnswer(deltas).message.parts;
    return part?.type === "tool-call" ? part.input : part;
  };

  test("B80: they assemble to the original arguments", () => {
    fc.assert(
      fc.property(args, (value) => {
        expectSameJson(streamed(pieces(value, "$")), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: scaleRunCount(150) },
    );
  });

  test("B80: they assemble in any order", () => {
    fc.assert(
      fc.property(args, fc.nat(), (value, turn) => {
        const fields = Object.entries(value).map(([name, inner]) => pieces(inner, `$${step(name)}`));
        // Rotates the top-level fields, and reverses the values inside one of them.
        const turned = fields.map((_, at) => fields[(at + turn) % fields.length] ?? []);
        const backwards = turned.map((field) => (field.length === 2 ? field : field.toReversed()));
        const whole = turned.every((field) => field.every((each) => !("stringValue" in each)));
        expectSameJson(streamed((whole ? backwards : turned).flat()), JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: scaleRunCount(150) },
    );
  });

  test("B43: unreadable arguments are stored", () => {
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
    expect(assembleAnswer(decodeAll(events)).message.parts).toStrictEqual([
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

describe("malformed streams", () => {
  const junk = fc.constantFrom<unknown>(null, 7, "x", [], {}, true, [null], { text: 1 });
  /** Returns a value with one of its inner values replaced or removed. */
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

  test("B43, B79: events that are shuffled, repeated, missing or broken still give valid deltas", () => {
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
      { numRuns: scaleRunCount(800) },
    );
  });
});

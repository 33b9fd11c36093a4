// Properties of Anthropic streams: any answer in any pieces, any truncation, any damage.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeltas, disassemble } from "../../../src/assembly/index.ts";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import { transcode } from "../../../src/dialects/transcode.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { legalAnswer, response } from "../../support/arbitrary.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { assembleAnswer, toComparable, decode, encode, splitAnswers } from "./stream-helpers.ts";
import { callBlock, messageDelta, textDeltaEvent, stream, streamSamples } from "./stream-samples.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = anthropic();
const sample = fc.constantFrom(...streamSamples.map(({ events }) => events));
/** Positions of cuts, as fractions of the text. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

function cutText(text: string, at: readonly number[]): string[] {
  const places = [0, ...at.map((part) => Math.floor(part * text.length)).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}

/** Cuts the text of deltas into smaller deltas. */
function cutDeltas(deltas: readonly Delta[], at: readonly number[]): Delta[] {
  return deltas.flatMap((delta): Delta[] => {
    const { extra: _, ...rest } = delta.payload;
    const of = (text: string, again: (piece: string) => object): Delta[] =>
      cutText(text, at).map(
        (piece, index) =>
          ({ ...delta, payload: { ...(index === 0 ? delta.payload : rest), ...again(piece) } }) as Delta,
      ); // the same kind, with less text
    if (delta.kind === "text" && delta.payload.logprobs === undefined) {
      return of(delta.payload.textDelta, (textDelta) => ({ textDelta }));
    }
    if (delta.kind === "thinking") return of(delta.payload.textDelta, (textDelta) => ({ textDelta }));
    if (delta.kind === "tool_call_args") return of(delta.payload.argsTextDelta, (argsTextDelta) => ({ argsTextDelta }));
    return [delta];
  });
}

describe("any answer", () => {
  test("B80: a stream cut into any pieces decodes as the whole response, with the same losses", () => {
    fc.assert(
      fc.property(response, cuts, (value, at) => {
        fc.pre(value.error === undefined && checkDeltas(disassemble(value)).length === 0 && !hasSealedSummary(value));
        const whole = dialect.encodeResponse(value);
        const { events, losses } = encode(cutDeltas(disassemble(value), at));
        const isCounted = Object.hasOwn(Object(whole.wire), "usage");
        expect(losses.filter(({ code }) => isCounted || code !== "usage-synthesized")).toStrictEqual(whole.losses);
        const [streamed, read] = [assembleAnswer(decode(events)), dialect.decodeResponse(whole.wire)];
        if (isCounted) expectSameJson(toComparable(streamed), toComparable(read));
        else expectSameJson(streamed?.message.parts.length, read.message.parts.length);
      }),
      { numRuns: scaleRunCount(200) },
    );
  });

  test("B81: any valid deltas become a stream in which every block is opened once and closed", () => {
    fc.assert(
      fc.property(legalAnswer, (deltas) => {
        const { events } = encode(deltas);
        expect(checkDeltas(decode(events))).toStrictEqual([]);
        const names = events.map(({ event }) => event);
        expect([names[0], ...names.slice(-2)]).toStrictEqual(["message_start", "message_delta", "message_stop"]);
        const indexes = (name: string): unknown[] =>
          events.flatMap(({ event, data }) =>
            event === name && "index" in Object(data) ? [Object(data).index as unknown] : [],
          );
        const opened = indexes("content_block_start");
        expect(opened).toStrictEqual(opened.map((_, index) => index));
        expect(indexes("content_block_stop")).toStrictEqual(opened);
      }),
      { numRuns: scaleRunCount(200) },
    );
  });

  test("B18: parallel calls may interleave in any order", () => {
    const turns = fc.array(fc.nat(2), { maxLength: 24 });
    fc.assert(
      fc.property(turns, (order) => {
        const rows = ["a", "b", "c"].map((id): Delta[] => [
          { kind: "tool_call_start", payload: { toolCallId: id, toolName: "look" } },
          ...[`{"${id}"`, ":", "1", "}"].map((argsTextDelta): Delta => ({
            kind: "tool_call_args",
            payload: { toolCallId: id, argsTextDelta },
          })),
          { kind: "tool_call_end", payload: { toolCallId: id } },
        ]);
        const mixed = [...order, ...rows.flatMap((row, at) => row.map(() => at))].flatMap(
          (at) => rows[at]?.shift() ?? [],
        );
        const [first] = disassemble({
          id: "",
          model: "",
          message: { role: "assistant", parts: [] },
          finishReason: { unified: "tool-calls" },
        });
        const deltas: Delta[] = [
          ...(first === undefined ? [] : [first]),
          ...mixed,
          { kind: "done", payload: { finishReason: "tool-calls" } },
        ];
        const parts = assembleAnswer(decode(encode(deltas).events))?.message.parts;
        expect(parts).toHaveLength(3);
        expect(parts).toStrictEqual(assembleAnswer(deltas)?.message.parts);
      }),
    );
  });
});

/** True if a part has a summary and a seal: a stream writes the summary before the seal arrives; no dialect has both. */
function hasSealedSummary({ message }: ModelResponse): boolean {
  return message.parts.some(
    (part) =>
      part.type === "reasoning" &&
      part.summary !== undefined &&
      part.seals?.some((seal) => seal.dialect === dialect.id),
  );
}

describe("any cut", () => {
  test("B73: a stream that stops early is truncated, with its content so far", () => {
    fc.assert(
      fc.property(sample, fc.nat(60), (events, length) => {
        fc.pre(length < events.length);
        const deltas = decode(events.slice(0, length));
        expect(checkDeltas(deltas)).toStrictEqual([]);
        expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "truncated" } });
        expect(deltas.some(({ kind }) => kind === "done")).toBe(false);
        const before = events.slice(0, length).filter((event) => JSON.stringify(event).includes("text_delta")).length;
        const texts = deltas.filter((delta) => delta.kind === "text" && delta.payload.textDelta !== "").length;
        expect(texts).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  test("B68: bytes may be cut anywhere", () => {
    fc.assert(
      fc.property(sample, cuts, (events, at) => {
        const text = events.map((data) => dialect.formatEvent({ event: String(data["type"]), data })).join("");
        const bytes = new TextEncoder().encode(text);
        const coder = transcode(dialect, dialect);
        const places = [
          0,
          ...at.map((part) => Math.floor(part * bytes.length)).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const out = places.slice(1).map((end, index) => String(coder.push(bytes.subarray(places[index], end))));
        const reader = dialect.streamDecoder();
        const deltas = [...reader.push(out.join("") + String(coder.end())), ...reader.end()];
        expectSameJson(assembleAnswer(deltas), assembleAnswer(decode(events)));
        expect(coder.losses).toStrictEqual([]);
      }),
    );
  });
});

const nonsense = fc.constantFrom<unknown>(null, 0, -1, "", "x", true, [], {}, [5], { type: "text" }, { type: "x" });

/** Replaces one value within an event. */
function damageEvent(event: unknown, path: readonly number[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof event !== "object" || event === null) return value;
  const entries = Object.entries(event);
  const [key, inner] = entries[step % Math.max(1, entries.length)] ?? ["new", undefined];
  const changed = damageEvent(inner, rest, value);
  if (Array.isArray(event)) return event.map((each: unknown, index) => (String(index) === key ? changed : each));
  return { ...event, [key]: changed };
}

describe("any damage", () => {
  const damage = fc.array(
    fc.record({
      what: fc.constantFrom("drop", "repeat", "swap", "spoil"),
      at: fc.nat(80),
      to: fc.nat(80),
      path: fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
      value: nonsense,
    }),
    { minLength: 1, maxLength: 6 },
  );

  test("B43: reordered, missing, repeated or damaged events are decoded to valid deltas without an exception", () => {
    fc.assert(
      fc.property(sample, sample, damage, (one, two, changes) => {
        const events: unknown[] = [...one, ...two];
        for (const { what, at, to, path, value } of changes) {
          const [from, other] = [at % events.length, to % events.length];
          if (what === "drop" && events.length > 1) events.splice(from, 1);
          else if (what === "repeat") events.splice(other, 0, events[from]);
          else if (what === "swap") [events[from], events[other]] = [events[other], events[from]];
          else events[from] = damageEvent(events[from], path, value);
        }
        const answers = splitAnswers(decode(events));
        expect(answers.length).toBeGreaterThan(0);
        for (const deltas of answers) {
          expect(checkDeltas(deltas)).toStrictEqual([]);
          expect(assembleAnswer(deltas)).toBeDefined();
          const again = splitAnswers(decode(encode(deltas).events));
          for (const each of again) expect(checkDeltas(each)).toStrictEqual([]);
        }
      }),
      { numRuns: scaleRunCount(600) },
    );
  });

  test("B79: the cost per event does not grow with the stream", () => {
    const long = stream(
      Array.from({ length: 3000 }, (_, index) => callBlock(index, `toolu_${index}`, ["{}"])).flat(),
      messageDelta("tool_use"),
    );
    // No block is closed, and each delta opens a new one.
    const open = stream(Array.from({ length: 3000 }, (_, index) => textDeltaEvent(index, "x")));
    expect(assembleAnswer(decode(encode(decode(long)).events))?.message.parts).toHaveLength(3000);
    expect(assembleAnswer(decode(encode(decode(open)).events))?.message.parts).toHaveLength(3000);
  });
});

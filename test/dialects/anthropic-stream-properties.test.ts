// Anthropic's streams under all circumstances: any answer in any pieces, any cut, any mess.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeltas, disassemble } from "../../src/assembly/index.ts";
import { anthropic } from "../../src/dialects/anthropic/index.ts";
import { transcode } from "../../src/dialects/transcode.ts";
import type { Delta } from "../../src/model/delta.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { legalAnswer, response } from "../support/arbitrary.ts";
import { expectSame } from "../support/same.ts";
import { answerOf, comparable, decode, encode, split } from "./anthropic-stream-reading.ts";
import { call, messageDelta, said, stream, streamSamples } from "./anthropic-stream-samples.ts";
import { tries } from "../support/tries.ts";

const dialect = anthropic();
const sample = fc.constantFrom(...streamSamples.map(({ events }) => events));
/** Where to cut, as parts of the whole. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

function pieces(text: string, at: readonly number[]): string[] {
  const places = [0, ...at.map((part) => Math.floor(part * text.length)).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}

/** The same answer in smaller pieces. */
function chopped(deltas: readonly Delta[], at: readonly number[]): Delta[] {
  return deltas.flatMap((delta): Delta[] => {
    const { extra: _, ...rest } = delta.payload;
    const of = (text: string, again: (piece: string) => object): Delta[] =>
      pieces(text, at).map(
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
  test("B80: in any pieces it reads as the whole, with the same losses", () => {
    fc.assert(
      fc.property(response, cuts, (value, at) => {
        fc.pre(value.error === undefined && checkDeltas(disassemble(value)).length === 0 && !hasSealedSummary(value));
        const whole = dialect.encodeResponse(value);
        const { events, losses } = encode(chopped(disassemble(value), at));
        const isCounted = Object.hasOwn(Object(whole.wire), "usage");
        expect(losses.filter(({ code }) => isCounted || code !== "usage-made")).toStrictEqual(whole.losses);
        const [streamed, read] = [answerOf(decode(events)), dialect.decodeResponse(whole.wire)];
        if (isCounted) expectSame(comparable(streamed), comparable(read));
        else expectSame(streamed?.message.parts.length, read.message.parts.length);
      }),
      { numRuns: tries(200) },
    );
  });

  test("B81: any legal deltas make a stream in which every block is opened once and closed", () => {
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
      { numRuns: tries(200) },
    );
  });

  test("B18: parallel calls may interleave in any way", () => {
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
        const parts = answerOf(decode(encode(deltas).events))?.message.parts;
        expect(parts).toHaveLength(3);
        expect(parts).toStrictEqual(answerOf(deltas)?.message.parts);
      }),
    );
  });
});

/** A summary goes out before the seal comes that would have taken its place; no dialect has both. */
function hasSealedSummary({ message }: ModelResponse): boolean {
  return message.parts.some(
    (part) =>
      part.type === "reasoning" &&
      part.summary !== undefined &&
      part.seals?.some((seal) => seal.dialect === dialect.id),
  );
}

describe("any cut", () => {
  test("B73: a stream that breaks off is truncated and never finished; what it said before is there", () => {
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
        expectSame(answerOf(deltas), answerOf(decode(events)));
        expect(coder.losses).toStrictEqual([]);
      }),
    );
  });
});

const nonsense = fc.constantFrom<unknown>(null, 0, -1, "", "x", true, [], {}, [5], { type: "text" }, { type: "x" });

/** An event with something else in one of its places. */
function spoiled(event: unknown, path: readonly number[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof event !== "object" || event === null) return value;
  const entries = Object.entries(event);
  const [key, inner] = entries[step % Math.max(1, entries.length)] ?? ["new", undefined];
  const changed = spoiled(inner, rest, value);
  if (Array.isArray(event)) return event.map((each: unknown, index) => (String(index) === key ? changed : each));
  return { ...event, [key]: changed };
}

describe("any mess", () => {
  const mess = fc.array(
    fc.record({
      what: fc.constantFrom("drop", "repeat", "swap", "spoil"),
      at: fc.nat(80),
      to: fc.nat(80),
      path: fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
      value: nonsense,
    }),
    { minLength: 1, maxLength: 6 },
  );

  test("B43: events in any order, missing, twice or spoiled are read without a throw, and legally", () => {
    fc.assert(
      fc.property(sample, sample, mess, (one, two, changes) => {
        const events: unknown[] = [...one, ...two];
        for (const { what, at, to, path, value } of changes) {
          const [from, other] = [at % events.length, to % events.length];
          if (what === "drop" && events.length > 1) events.splice(from, 1);
          else if (what === "repeat") events.splice(other, 0, events[from]);
          else if (what === "swap") [events[from], events[other]] = [events[other], events[from]];
          else events[from] = spoiled(events[from], path, value);
        }
        const answers = split(decode(events));
        expect(answers.length).toBeGreaterThan(0);
        for (const deltas of answers) {
          expect(checkDeltas(deltas)).toStrictEqual([]);
          expect(answerOf(deltas)).toBeDefined();
          const again = split(decode(encode(deltas).events));
          for (const each of again) expect(checkDeltas(each)).toStrictEqual([]);
        }
      }),
      { numRuns: tries(600) },
    );
  });

  test("B79: a long stream costs as much per event as a short one", () => {
    const long = stream(
      Array.from({ length: 3000 }, (_, index) => call(index, `toolu_${index}`, ["{}"])).flat(),
      messageDelta("tool_use"),
    );
    // No index is ever closed, and each text begins a block.
    const open = stream(Array.from({ length: 3000 }, (_, index) => said(index, "x")));
    expect(answerOf(decode(encode(decode(long)).events))?.message.parts).toHaveLength(3000);
    expect(answerOf(decode(encode(decode(open)).events))?.message.parts).toHaveLength(3000);
  });
});

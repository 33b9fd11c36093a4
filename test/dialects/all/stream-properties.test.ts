// Properties of streams of generated answers in every dialect: any cut of the bytes, any interleaving of parts, any
// truncation.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WireChunk, Delta, Dialect, ModelResponse } from "../../../src/index.ts";
import { assemble, dialect, dialects, disassemble, transcode } from "../../../src/index.ts";
import { cutRandomly, seededRandom } from "../../../src/testkit/index.ts";
import {
  assembleAnswers,
  formatStream,
  decodeEvents,
  encodeDeltas,
  findViolations,
  splitAnswers,
} from "../../../src/testkit/checks/stream-helpers.ts";
import { response } from "../../support/arbitrary.ts";
import { expectStreamedEqualsWhole, roundTripWhole } from "../../support/streamed-equals-whole.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const STREAMING = dialects.map((id) => dialect(id)).filter(({ supports }) => supports.has("streams"));
const PAIRS = STREAMING.flatMap((from) => STREAMING.map((to) => [from.id, to.id, from, to] as const));
const EACH = STREAMING.map((each) => [each.id, each] as const);

test("there are dialects to test", () => {
  expect(STREAMING.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["openai-chat", "openai-responses", "anthropic", "gemini", "run"]),
  );
});

function encodeAnswer(of: Dialect, answer: ModelResponse): Uint8Array {
  return formatStream(of, encodeDeltas(of, disassemble(answer)).events);
}

function joinChunks(chunks: readonly WireChunk[]): string {
  return chunks.map((chunk) => (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("latin1"))).join("");
}

describe.each(PAIRS)("%s to %s", (_, __, from, to) => {
  test("B68: any cut of the bytes gives the same stream", () => {
    fc.assert(
      fc.property(response, fc.nat(), fc.integer({ min: 1, max: 200 }), (answer, seed, longest) => {
        const bytes = encodeAnswer(from, answer);
        const splitDelta = cutRandomly(bytes, seededRandom(seed), longest);
        const [whole, pieced] = [[bytes], splitDelta].map((chunks) => {
          // The run shape would read the clock.
          const transcoder = transcode(from, to, { clock: () => 0 });
          return joinChunks([...chunks.map((chunk) => transcoder.push(chunk)), transcoder.end()]);
        });
        expect(pieced).toBe(whole);
      }),
      { numRuns: 10 },
    );
  });
});

/** Patterns that cut a text into code units, which can split a character, or into whole characters. */
const UNITS = (longest: number): RegExp => new RegExp(`[^]{1,${longest}}`, "g");
const CHARACTERS = (longest: number): RegExp => new RegExp(`[^]{1,${longest}}`, "gu");

/** Groups deltas by part, with texts cut into chunks, and returns the deltas before and after all parts. */
function groupByPart(deltas: readonly Delta[], pattern: RegExp): { first: Delta[]; parts: Delta[][]; last: Delta[] } {
  const [first, last] = [deltas.slice(0, 1), deltas.filter(({ kind }) => kind === "usage" || kind === "done")];
  const keys = new Map<string, string>();
  const keyOf = ({ payload }: Delta): string => {
    const { part, choice = 0, toolCallId } = payload as { part?: number; choice?: number; toolCallId?: string };
    const key = part === undefined ? keys.get(String(toolCallId)) : `${choice} ${part}`;
    if (toolCallId !== undefined && key !== undefined) keys.set(toolCallId, key);
    return String(key);
  };
  const between = deltas.slice(1).filter((delta) => !last.includes(delta));
  const groups = Map.groupBy(
    between.flatMap((delta) => splitDelta(delta, pattern)),
    keyOf,
  );
  return { first, parts: [...groups.values()], last };
}

/** Cuts a delta into smaller ones; residue and logprobs stay with the first. */
function splitDelta(delta: Delta, pattern: RegExp): Delta[] {
  const { payload } = delta;
  const field = "textDelta" in payload ? "textDelta" : "argsTextDelta" in payload ? "argsTextDelta" : undefined;
  if (field === undefined) return [delta];
  const text = String((payload as unknown as Record<string, unknown>)[field]);
  const { extra: _, logprobs: __, ...place } = payload as { extra?: unknown; logprobs?: unknown };
  const texts = text.match(pattern) ?? [""];
  return texts.map(
    (piece, at) => ({ ...delta, payload: { ...(at === 0 ? payload : place), [field]: piece } }) as Delta,
  );
}

/** Interleaves lists of deltas at random, each list in its order. */
function interleave(lists: readonly (readonly Delta[])[], random: () => number): Delta[] {
  const left = lists.map((list) => [...list]);
  const mixed: Delta[] = [];
  for (
    let open = left.filter((list) => list.length > 0);
    open.length > 0;
    open = open.filter((list) => list.length > 0)
  ) {
    const next = open[Math.floor(random() * open.length)]?.shift();
    if (next !== undefined) mixed.push(next);
  }
  return mixed;
}

/** Groups the parts; consecutive calls are one group. */
function groupCalls(parts: readonly Delta[][]): Delta[][][] {
  const isCall = (part: readonly Delta[] | undefined): boolean => part?.[0]?.kind === "tool_call_start";
  const runs: Delta[][][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    if (run !== undefined && isCall(part) && isCall(run[0])) run.push(part);
    else runs.push([part]);
  }
  return runs;
}

/** Moves the name of a call to its first delta: a call starts when its name is known, which some servers send last. */
function nameFirst(deltas: readonly Delta[]): Delta[] {
  return deltas.map((delta) =>
    delta.kind === "tool_call_start" && delta.payload.toolName === ""
      ? { ...delta, payload: { ...delta.payload, toolName: "f" } }
      : delta,
  );
}

/** Returns the visible text of an answer; not every dialect separates refusals from text, or preserves their order. */
function readVisibleText(answer: ModelResponse | undefined, types = ["text", "refusal"]): string {
  const parts = answer?.message.parts ?? [];
  return parts.map((part) => ("text" in part && types.includes(part.type) ? part.text : "")).join("");
}

describe.each(EACH)("%s", (_, target) => {
  test("B80: an answer in chunks of any size equals the whole answer", () => {
    fc.assert(
      fc.property(response, fc.integer({ min: 1, max: 9 }), (answer, longest) => {
        const { first, parts, last } = groupByPart(disassemble(answer), UNITS(longest));
        expectStreamedEqualsWhole(target, [...first, ...parts.flat(), ...last], answer);
      }),
      { numRuns: scaleRunCount(80) },
    );
  });

  test("B18: interleaved parallel calls stream to the answer that they assemble to, each call complete", () => {
    fc.assert(
      fc.property(response, fc.nat(), fc.integer({ min: 1, max: 9 }), (answer, seed, longest) => {
        const { first, parts, last } = groupByPart(nameFirst(disassemble(answer)), UNITS(longest));
        const random = seededRandom(seed);
        const mixed = [...first, ...groupCalls(parts).flatMap((run) => interleave(run, random)), ...last];
        expectStreamedEqualsWhole(target, mixed, assemble(mixed));
      }),
      { numRuns: scaleRunCount(80) },
    );
  });

  test("interleaved parts stream to the answer that they assemble to", () => {
    fc.assert(
      fc.property(response, fc.nat(), fc.integer({ min: 1, max: 9 }), (answer, seed, longest) => {
        const { first, parts, last } = groupByPart(nameFirst(disassemble(answer)), CHARACTERS(longest));
        const mixed = [...first, ...interleave(parts, seededRandom(seed)), ...last];
        expectStreamedEqualsWhole(target, mixed, assemble(mixed));
      }),
      { numRuns: scaleRunCount(80) },
    );
  });

  test("B73: a stream that is cut anywhere is a partial answer and a truncation, never a regular end", () => {
    fc.assert(
      fc.property(response, fc.nat(), (answer, place) => {
        const bytes = encodeAnswer(target, answer);
        const [whole] = assembleAnswers(decodeEvents(target, [bytes]));
        const deltas = decodeEvents(target, [bytes.subarray(0, place % bytes.length)]);
        expect(findViolations(deltas)).toStrictEqual([]);
        expect(splitAnswers(deltas).length).toBeLessThanOrEqual(1);
        const [part] = assembleAnswers(deltas);
        if (part === undefined || whole === undefined) return;
        if (part.error === undefined) {
          expect(part.finishReason).toStrictEqual(whole.finishReason);
          // As strict as toStrictEqual, which treats an argument named `constructor` as another class.
          expect(isDeepStrictEqual(part.message.parts, whole.message.parts)).toBe(true);
        } else {
          expect(part.error.kind).toBe("truncated");
          // Each kind separately: in a dialect with one position per kind, text of one kind may follow the other kind.
          for (const type of ["text", "refusal"])
            expect(readVisibleText(whole, [type]).startsWith(readVisibleText(part, [type]))).toBe(true);
        }
      }),
      { numRuns: scaleRunCount(80) },
    );
  });

  test("B86: an answer that fails ends in an error and adds no content", () => {
    fc.assert(
      fc.property(
        response,
        fc.constantFrom("overloaded", "truncated", "rate-limit", "odd-code"),
        (answer, errorCode) => {
          const failed: Delta[] = [
            ...disassemble(answer).slice(0, -1),
            { kind: "error", payload: { errorCode, message: "It failed." } },
          ];
          const deltas = decodeEvents(target, encodeDeltas(target, failed).events);
          expect(findViolations(deltas)).toStrictEqual([]);
          expect(deltas.at(-1)?.kind).toBe("error");
          const [part] = assembleAnswers(deltas);
          // The text as it arrived, or as the dialect writes it: with a blank line between two texts, for example.
          const isPreserved =
            readVisibleText(answer).startsWith(readVisibleText(part)) ||
            readVisibleText(roundTripWhole(target, answer), ["text"]).startsWith(readVisibleText(part, ["text"]));
          expect(isPreserved).toBe(true);
        },
      ),
      { numRuns: scaleRunCount(60) },
    );
  });
});

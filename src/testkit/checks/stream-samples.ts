// Checks a dialect with one stream sample: legal deltas, any chunks of bytes, truncation, and round trips.
import type { Dialect } from "../../dialects/dialect.ts";
import type { Delta } from "../../model/delta.ts";
import { parseJson, sameJson, stringifyJson } from "../../model/json/index.ts";
import type { Loss } from "../../model/loss.ts";
import type { ModelResponse } from "../../model/response.ts";
import { pickEvenly } from "../pick-evenly.ts";
import { assertHolds } from "../conformance-case.ts";
import { assertNoDifferences, findDifferences } from "../json/json-differences.ts";
import { deepFreeze } from "../json/json-nodes.ts";
import { cutRandomly, seededRandom } from "../random-cuts.ts";
import {
  assembleAnswers,
  toWireEvent,
  formatStream,
  toComparableResponse,
  decodeEvents,
  encodeDeltas,
  findViolations,
  splitAnswers,
  readMessageText,
} from "./stream-helpers.ts";

/** A stream that the dialect decodes. */
export interface StreamSample {
  name: string;
  /** The events in order: the parsed data, `{ event, data }`, or "[DONE]". */
  events: readonly unknown[];
  /** The expected end of the last answer. Default "done". */
  ends?: "done" | "error" | "truncated";
}

/** A check of a dialect with one stream sample; throws if the check fails. */
export type StreamSampleCheck = (dialect: Dialect, sample: StreamSample, isExcepted: IsExcepted) => void;
/**
 * True if one of the suite's exceptions allows a difference at this path, or a loss with this code, given the losses of
 * the stream.
 */
export type IsExcepted = (pathOrCode: string, losses: readonly Loss[]) => boolean;

/** The tested maximum lengths of chunks, in bytes. */
const CHUNK_LENGTHS = [1, 12, 150];
/** The approximate limit of chunks per stream; for long streams, the chunks are longer than CHUNK_LENGTHS. */
const MAX_CHUNKS = 1500;
/** The maximum number of tested truncations; fewer for long streams, because each test decodes the whole prefix. */
const TRUNCATION_LIMIT = 30;
const LONG_STREAM_BYTES = 8000;

/** Copies a JSON value with its exact digits, which a structured clone would lose. */
function copyJson<T>(value: T): T {
  return parseJson(stringifyJson(value)) as T;
}

export const assertLegalStream: StreamSampleCheck = (dialect, { events }) => {
  const deltas = decodeEvents(dialect, deepFreeze(copyJson(events)));
  assertLegalDeltas(deltas, "The deltas of the stream break a rule.");
};

export function assertLegalDeltas(deltas: readonly Delta[], message: string, ...shown: unknown[]): void {
  const violations = findViolations(deltas);
  assertHolds(violations.length === 0, message, violations, ...shown, deltas.slice(0, 40));
}

export const assertOneEnd: StreamSampleCheck = (dialect, { events, ends = "done" }) => {
  const answers = splitAnswers(decodeEvents(dialect, events));
  assertHolds(answers.length > 0, "The stream has no answer.");
  answers.forEach((answer, index) => {
    const isLast = index === answers.length - 1;
    const end = readAnswerEnd(answer);
    const expected = isLast ? ends : "done";
    assertHolds(end === expected, `Answer ${index} ends with "${end}" instead of "${expected}".`, answer.at(-1));
  });
};

function readAnswerEnd(answer: readonly Delta[]): string {
  const last = answer.at(-1);
  if (last?.kind !== "error") return last?.kind === "done" ? "done" : "nothing";
  return last.payload.errorCode === "truncated" ? "truncated" : "error";
}

/** Requires that answers are equal and have no losses after decoding, encoding and decoding again. */
export const assertStreamRoundTrip: StreamSampleCheck = (dialect, { events }, isExcepted) => {
  const deltas = deepFreeze(decodeEvents(dialect, events));
  const { events: encoded, losses } = encodeDeltas(dialect, deltas);
  const decoded = decodeEvents(dialect, encoded);
  assertLegalDeltas(decoded, "The encoder's events decode to deltas that break a rule.", encoded);
  const [was, is] = [assembleAnswers(deltas), assembleAnswers(decoded)].map((answers) =>
    answers.map(toComparableOutcome),
  );
  const synthesized = new Set(losses.filter(({ action }) => action === "synthesized").map(({ path }) => path));
  const differences = findDifferences(was, is).filter(({ path }) => {
    const pathInAnswer = path.replace(/^\/\d+/, "");
    return !synthesized.has(pathInAnswer) && !isExcepted(pathInAnswer, losses);
  });
  assertNoDifferences(differences, "The answer came back different.", losses);
  const ownLosses = losses.filter(({ level }) => level !== "note");
  assertHolds(ownLosses.length === 0, "The dialect reported a loss for its own data.", ownLosses);
};

/**
 * Returns a response in the form that is compared after a round trip. The error `truncated` is replaced with `server`,
 * as encoders do, because wires have no error for a lost connection.
 */
function toComparableOutcome(response: ModelResponse): ModelResponse {
  const { error, ...rest } = toComparableResponse(response);
  if (error === undefined) return rest;
  const { raw: _, ...portable } = error;
  return { ...rest, error: error.kind === "truncated" ? { ...portable, kind: "server" } : portable };
}

/** Requires that the events, their bytes, and any chunks of the bytes are decoded to the same deltas. */
export const assertAnyCutDecodes: StreamSampleCheck = (dialect, { events, name }) => {
  const bytes = formatStream(dialect, events);
  const whole = decodeEvents(dialect, [bytes]);
  const byEvent = decodeEvents(dialect, events.map(toWireEvent));
  assertNoDifferences(findDifferences(byEvent, whole), "The bytes decode to other deltas than the events.");
  for (const length of CHUNK_LENGTHS) {
    const longest = Math.ceil(Math.max(length, (3 * bytes.length) / MAX_CHUNKS));
    const chunks = cutRandomly(bytes, seededRandom(length + name.length), longest);
    assertNoDifferences(
      findDifferences(whole, decodeEvents(dialect, chunks)),
      `Chunks of up to ${longest} bytes decode to other deltas.`,
    );
  }
};

/**
 * Requires that a truncated stream is a partial answer with a truncation error, unless the end of the answer comes
 * before the truncation (B73).
 */
export const assertTruncationReported: StreamSampleCheck = (dialect, { events, name }) => {
  const bytes = formatStream(dialect, events);
  const whole = assembleAnswers(decodeEvents(dialect, [bytes])).map(toComparableResponse);
  const tried = Math.ceil(TRUNCATION_LIMIT / (1 + bytes.length / LONG_STREAM_BYTES));
  const random = seededRandom(name.length);
  const lengths = Array.from({ length: tried }, () => Math.floor(random() * bytes.length));
  for (const length of lengths) {
    assertPartialAnswer(decodeEvents(dialect, [bytes.subarray(0, length)]), whole, `Truncated after byte ${length}`);
  }
  const prefixes = pickEvenly([...events.keys()], tried, name);
  for (const length of prefixes) {
    const prefix = events.slice(0, length).map(toWireEvent);
    assertPartialAnswer(decodeEvents(dialect, prefix), whole, `Truncated after event ${length}`);
  }
};

function assertPartialAnswer(deltas: readonly Delta[], whole: readonly ModelResponse[], when: string): void {
  assertLegalDeltas(deltas, `${when}, the stream decodes to deltas that break a rule.`);
  splitAnswers(deltas).forEach((answer, index) => {
    const full = whole[index];
    if (full === undefined) return assertHolds(false, `${when}, the stream has one more answer.`, answer);
    const part = assembleAnswers(answer)[0] as ModelResponse; // The cast is safe, because the deltas are one answer.
    if (part.error === undefined) {
      const [was, is] = [full, toComparableResponse(part)].map(({ message, finishReason }) => ({
        message,
        finishReason,
      }));
      return assertNoDifferences(findDifferences(was, is), `${when}, a partial answer ends without an error.`);
    }
    const isExpected = part.error.kind === "truncated" || full.error?.kind === part.error.kind;
    assertHolds(isExpected, `${when}, the error is "${part.error.kind}" instead of "truncated".`, part.error);
    const [text, fullText] = [readMessageText(part.message), readMessageText(full.message)];
    assertHolds(fullText.startsWith(text), `${when}, the text is no beginning of the whole text.`, text, fullText);
  });
}

export const assertDeterministicStream: StreamSampleCheck = (dialect, { events }) => {
  const [first, second] = [decodeEvents(dialect, events), decodeEvents(dialect, copyJson(events))];
  assertNoDifferences(findDifferences(first, second), "Two decodings differ.");
  const [one, other] = [encodeDeltas(dialect, first), encodeDeltas(dialect, copyJson(second))];
  assertHolds(stringifyJson(one) === stringifyJson(other), "Two encodings differ.", one.events, other.events);
};

/** Requires that the encoder does not modify deltas, because other consumers may follow the same stream. */
export const assertDeltasUnchanged: StreamSampleCheck = (dialect, { events }) => {
  const deltas = decodeEvents(dialect, events);
  const before = copyJson(deltas);
  encodeDeltas(dialect, deltas);
  assertHolds(sameJson(before, deltas), "The encoder modified its deltas.");
  encodeDeltas(dialect, deepFreeze(deltas));
};

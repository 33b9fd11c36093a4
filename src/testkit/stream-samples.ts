// What must hold for every stream that a dialect reads: legal deltas, however its bytes are cut and wherever they end.
import type { Dialect } from "../dialects/dialect.ts";
import type { Delta } from "../model/delta.ts";
import { parseJson, sameJson, stringifyJson } from "../model/json/index.ts";
import type { Loss } from "../model/loss.ts";
import type { ModelResponse } from "../model/response.ts";
import { evenly } from "./choice.ts";
import { demand } from "./demand.ts";
import { demandNone, differences } from "./differences.ts";
import { deepFreeze } from "./places.ts";
import { cut, seededRandom } from "./random-cuts.ts";
import {
  answersOf,
  asWireEvent,
  bytesOf,
  comparable,
  decodeEvents,
  encodeDeltas,
  illegalities,
  splitAnswers,
  textOf,
} from "./stream-reading.ts";

/** A stream that the dialect reads. */
export interface StreamSample {
  name: string;
  /** Its events in order: the parsed data, `{ event, data }`, or "[DONE]". */
  events: readonly unknown[];
  /** How its last answer ends; as it should, where nothing is said. */
  ends?: "done" | "error" | "truncated";
}

/** Something that must hold for a dialect and one of its streams; it throws where it does not. */
export type StreamCheck = (dialect: Dialect, sample: StreamSample, isExcepted: Excepted) => void;
/** Whether the protocol is known to say something otherwise at a place; the losses are those that were reported. */
export type Excepted = (place: string, losses: readonly Loss[]) => boolean;

/** The longest pieces of one stream that are tried: single bytes first. Long streams have no more pieces than these. */
const LONGEST = [1, 12, 150];
const PIECES = 1500;
/** Places where a stream ends early that are tried: fewer of a long one, because each is read up to there. */
const PLACES = 30;
const LONG = 8000;

/** A copy that takes exact digits along. */
function copyJson<T>(value: T): T {
  // What JSON can say comes back as it was.
  return parseJson(stringifyJson(value)) as T;
}

export const isLegal: StreamCheck = (dialect, { events }) => {
  const deltas = decodeEvents(dialect, deepFreeze(copyJson(events)));
  demandLegal(deltas, "The deltas of the stream break a rule.");
};

export function demandLegal(deltas: readonly Delta[], claim: string, ...shown: unknown[]): void {
  const broken = illegalities(deltas);
  demand(broken.length === 0, claim, broken, ...shown, deltas.slice(0, 40));
}

export const hasOneEnd: StreamCheck = (dialect, { events, ends = "done" }) => {
  const answers = splitAnswers(decodeEvents(dialect, events));
  demand(answers.length > 0, "There is no answer in the stream.");
  answers.forEach((answer, index) => {
    const isLast = index === answers.length - 1;
    const end = endOf(answer);
    demand(end === (isLast ? ends : "done"), `Answer ${index} ends as ${end}.`, answer.at(-1));
  });
};

function endOf(answer: readonly Delta[]): string {
  const last = answer.at(-1);
  if (last?.kind !== "error") return last?.kind === "done" ? "done" : "nothing";
  return last.payload.errorCode === "truncated" ? "truncated" : "error";
}

/** Read, written and read again, it is the same; what the dialect said itself, it can say again. */
export const comesBackEqual: StreamCheck = (dialect, { events }, isExcepted) => {
  const deltas = deepFreeze(decodeEvents(dialect, events));
  const { events: again, losses } = encodeDeltas(dialect, deltas);
  const read = decodeEvents(dialect, again);
  demandLegal(read, "What the encoder wrote breaks a rule.", again);
  const [was, is] = [answersOf(deltas), answersOf(read)].map((answers) => answers.map(settled));
  const made = new Set(losses.filter(({ action }) => action === "synthesized").map(({ path }) => path));
  const wrong = differences(was, is).filter(({ path }) => {
    const place = path.replace(/^\/\d+/, "");
    return !made.has(place) && !isExcepted(place, losses);
  });
  demandNone(wrong, "The answer came back different.", losses);
  const lost = losses.filter(({ level }) => level !== "note");
  demand(lost.length === 0, "Something of its own was lost.", lost);
};

/** An answer that broke off goes out as one that failed: the target has no word for its own connection. */
function settled(response: ModelResponse): ModelResponse {
  const { error, ...rest } = comparable(response);
  if (error === undefined) return rest;
  const { raw: _, ...told } = error;
  return { ...rest, error: error.kind === "truncated" ? { ...told, kind: "server" } : told };
}

/** However its bytes are cut. */
export const readsAnyCut: StreamCheck = (dialect, { events, name }) => {
  const bytes = bytesOf(dialect, events);
  const whole = decodeEvents(dialect, [bytes]);
  const byEvent = decodeEvents(dialect, events.map(asWireEvent));
  demandNone(differences(byEvent, whole), "The bytes say something else than the events.");
  for (const length of LONGEST) {
    const longest = Math.ceil(Math.max(length, (3 * bytes.length) / PIECES));
    const pieces = cut(bytes, seededRandom(length + name.length), longest);
    demandNone(differences(whole, decodeEvents(dialect, pieces)), `Pieces of up to ${longest} bytes say otherwise.`);
  }
};

/** B73: cut off anywhere, it is a part of the answer and a truncation; an end only where the stream has said it. */
export const tellsTruncation: StreamCheck = (dialect, { events, name }) => {
  const bytes = bytesOf(dialect, events);
  const whole = answersOf(decodeEvents(dialect, [bytes])).map(comparable);
  const tried = Math.ceil(PLACES / (1 + bytes.length / LONG));
  const random = seededRandom(name.length);
  const places = Array.from({ length: tried }, () => Math.floor(random() * bytes.length));
  for (const place of places) {
    demandPart(decodeEvents(dialect, [bytes.subarray(0, place)]), whole, `Cut off after byte ${place}`);
  }
  const prefixes = evenly([...events.keys()], tried, name);
  for (const length of prefixes) {
    const said = events.slice(0, length).map(asWireEvent);
    demandPart(decodeEvents(dialect, said), whole, `Cut off after event ${length}`);
  }
};

function demandPart(deltas: readonly Delta[], whole: readonly ModelResponse[], when: string): void {
  demandLegal(deltas, `${when}, the deltas break a rule.`);
  splitAnswers(deltas).forEach((answer, index) => {
    const full = whole[index];
    if (full === undefined) return demand(false, `${when}, there is an answer too many.`, answer);
    const part = answersOf(answer)[0] as ModelResponse; // one end, one answer
    if (part.error === undefined) {
      const [was, is] = [full, comparable(part)].map(({ message, finishReason }) => ({ message, finishReason }));
      return demandNone(differences(was, is), `${when}, it ends as if it were whole.`);
    }
    const isTold = part.error.kind === "truncated" || full.error?.kind === part.error.kind;
    demand(isTold, `${when}, it fails with "${part.error.kind}".`, part.error);
    const [text, all] = [textOf(part.message), textOf(full.message)];
    demand(all.startsWith(text), `${when}, it says what the whole does not.`, text, all);
  });
}

export const isDeterministicStream: StreamCheck = (dialect, { events }) => {
  const [first, second] = [decodeEvents(dialect, events), decodeEvents(dialect, copyJson(events))];
  demandNone(differences(first, second), "Two readings differ.");
  const [one, other] = [encodeDeltas(dialect, first), encodeDeltas(dialect, copyJson(second))];
  demand(stringifyJson(one) === stringifyJson(other), "Two writings differ.", one.events, other.events);
};

/** Deltas are read only: others may follow the same stream. */
export const leavesDeltas: StreamCheck = (dialect, { events }) => {
  const deltas = decodeEvents(dialect, events);
  const before = copyJson(deltas);
  encodeDeltas(dialect, deltas);
  demand(sameJson(before, deltas), "The encoder changed the deltas it was given.");
  encodeDeltas(dialect, deepFreeze(deltas));
};

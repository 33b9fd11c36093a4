// B80 at encode: an answer that is streamed piece by piece reads as the one that goes out whole, and loses the same.
import { disassemble } from "../assembly/disassemble.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { stringifyJson } from "../model/json/index.ts";
import type { Loss } from "../model/loss.ts";
import type { ModelResponse } from "../model/response.ts";
import { demand } from "./demand.ts";
import type { Difference } from "./differences.ts";
import { demandNone, differences } from "./differences.ts";
import { deepFreeze, places } from "./places.ts";
import { answersOf, comparable, decodeEvents, encodeDeltas, textOf } from "./stream-reading.ts";
import type { Excepted } from "./stream-samples.ts";
import { demandLegal } from "./stream-samples.ts";

/** What a protocol cannot say in pieces, though a whole answer says it. */
export interface StreamException {
  /** Where the answers may differ; or the code of a loss that only one of the two reports. */
  at: RegExp;
  /** Only where the stream reports a loss with this code. */
  when?: string;
  reason: string;
}

/** Something that must hold for a dialect and a canonical response. */
export type StreamValueCheck = (dialect: Dialect, response: ModelResponse, isExcepted: Excepted) => void;

/** Whether one of the exceptions is about a place; who asks is told which. */
export function exceptedBy(exceptions: readonly StreamException[], use?: (one: StreamException) => void): Excepted {
  return (place, losses) => {
    const found = exceptions.find(
      ({ at, when }) => at.test(place) && (when === undefined || losses.some(({ code }) => code === when)),
    );
    if (found !== undefined) use?.(found);
    return found !== undefined;
  };
}

/** Losses that only a stream has, whatever the dialect. */
const STREAM_CODES: ReadonlySet<string> = new Set(["part-split", "late-dropped", "stream-result-dropped"]);

/** How a streamed answer differs from the whole one. */
function squareDifferences(dialect: Dialect, response: ModelResponse): { found: Difference[]; losses: Loss[] } {
  const { events, losses } = encodeDeltas(dialect, disassemble(response));
  const read = decodeEvents(dialect, events);
  demandLegal(read, "What the encoder wrote breaks a rule.", events);
  const whole = comparable(dialect.decodeResponse(dialect.encodeResponse(response).wire));
  const [streamed, ...more] = answersOf(read).map(comparable);
  demand(more.length === 0, "One answer became several.", events);
  return { found: differences(whole, streamed), losses };
}

export const isSquare: StreamValueCheck = (dialect, response, isExcepted) => {
  if (response.error !== undefined) return failsAlike(dialect, response);
  const { found, losses } = squareDifferences(dialect, response);
  const wrong = found.filter(({ path }) => !isExcepted(path, losses));
  demandNone(wrong, "In pieces it is another answer than as a whole.");
};

/** The failure is told; what was said before it stays said. */
function failsAlike(dialect: Dialect, response: ModelResponse): void {
  const { events } = encodeDeltas(dialect, disassemble(response));
  const deltas = decodeEvents(dialect, events);
  demandLegal(deltas, "What the encoder wrote breaks a rule.", events);
  const [streamed] = answersOf(deltas);
  const told = streamed?.error;
  demand(told !== undefined, "An answer that failed ends as if it had not.", events);
  const { wire, status } = dialect.encodeError(response.error ?? { kind: "unknown", message: "" });
  const { kind, message } = dialect.decodeError(wire, status);
  demand(told?.message === message, "The failure says something else.", told, message);
  // A body without its status, and an answer that says it failed, may have fewer words for why.
  const whole = dialect.decodeResponse(dialect.encodeResponse(response).wire).error;
  const kinds = [kind, dialect.decodeError(wire).kind, whole?.kind];
  demand(kinds.includes(told?.kind), "The failure is of another kind.", told, kinds);
  const said = streamed === undefined ? "" : textOf(streamed.message);
  demand(textOf(response.message).startsWith(said), "It says what the answer does not.", said);
}

export const losesTheSame: StreamValueCheck = (dialect, response, isExcepted) => {
  if (response.error !== undefined) return;
  const { losses } = encodeDeltas(dialect, disassemble(response));
  const whole = dialect.encodeResponse(response).losses;
  const missing = without(whole, losses).filter(({ code }) => !isExcepted(code, losses));
  demand(missing.length === 0, "The stream does not report what the whole does.", missing);
  const more = without(losses, whole).filter(({ code }) => !STREAM_CODES.has(code) && !isExcepted(code, losses));
  demand(more.length === 0, "The stream reports what the whole does not.", more);
};

/** The losses of the one that the other has not, each as often as it is there. */
function without(losses: readonly Loss[], others: readonly Loss[]): Loss[] {
  const left = others.map(({ code, path }) => `${code} ${path}`);
  return losses.filter(({ code, path }) => {
    const at = left.indexOf(`${code} ${path}`);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

export const streamLossesAreDeclared: StreamValueCheck = (dialect, response) => {
  const deltas = disassemble(response);
  const { losses } = encodeDeltas(dialect, deltas);
  // Paths point into the answer as it was assembled, which has the assembler's notes as well.
  const known = new Set([response, ...answersOf(deltas)].flatMap((each) => [...places(each)].map(({ path }) => path)));
  for (const { code, path, action, level } of losses) {
    const declared = Object.hasOwn(dialect.losses, code) ? dialect.losses[code] : undefined;
    demand(declared?.action === action && declared.level === level, `The loss "${code}" is not declared so.`);
    const isThere = known.has(path) || action === "synthesized";
    demand(isThere, `The loss "${code}" names a place that is not there: "${path}".`);
  }
};

export const streamsTheSameTwice: StreamValueCheck = (dialect, response) => {
  const deltas = disassemble(response);
  const [first, second] = [deltas, deepFreeze(structuredClone(deltas))].map((each) => encodeDeltas(dialect, each));
  demand(stringifyJson(first) === stringifyJson(second), "Two writings differ.", first, second);
};

// Checks B80 for encoders: a streamed answer is decoded to the same response as the whole answer, with the same losses.
import { disassemble } from "../../assembly/disassemble.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { stringifyJson } from "../../model/json/index.ts";
import type { Loss } from "../../model/loss.ts";
import type { ModelResponse } from "../../model/response.ts";
import { assertHolds } from "../conformance-case.ts";
import type { JsonDifference } from "../json/json-differences.ts";
import { assertNoDifferences, findDifferences } from "../json/json-differences.ts";
import { deepFreeze, walkJson } from "../json/json-nodes.ts";
import {
  assembleAnswers,
  toComparableResponse,
  decodeEvents,
  encodeDeltas,
  readMessageText,
} from "./stream-helpers.ts";
import type { IsExcepted } from "./stream-samples.ts";
import { assertLegalDeltas } from "./stream-samples.ts";

/** An allowed difference between a streamed and a whole answer, for data that the protocol has no event for. */
export interface StreamException {
  /** Matches a path at which the answers may differ, or the code of a loss that only one of the answers reports. */
  at: RegExp;
  /** The code of a loss that the stream must report for the exception to apply; undefined if it always applies. */
  when?: string;
  reason: string;
}

/** A check of a dialect with one canonical response; throws if the check fails. */
export type StreamedResponseCheck = (dialect: Dialect, response: ModelResponse, isExcepted: IsExcepted) => void;

/** Returns a function that is true for an excepted path or code; it calls `onMatch` with the matching exception. */
export function matchExceptions(
  exceptions: readonly StreamException[],
  onMatch?: (exception: StreamException) => void,
): IsExcepted {
  return (pathOrCode, losses) => {
    const exception = exceptions.find(
      ({ at, when }) => at.test(pathOrCode) && (when === undefined || losses.some(({ code }) => code === when)),
    );
    if (exception !== undefined) onMatch?.(exception);
    return exception !== undefined;
  };
}

/** The loss codes that only streams report, in all dialects. */
const STREAM_ONLY_CODES: ReadonlySet<string> = new Set(["part-split", "late-dropped", "stream-result-dropped"]);

/** Encodes and decodes a response as a stream and as a whole. Returns the differences and the stream's losses. */
function compareStreamedWithWhole(
  dialect: Dialect,
  response: ModelResponse,
): { differences: JsonDifference[]; losses: Loss[] } {
  const { events, losses } = encodeDeltas(dialect, disassemble(response));
  const decoded = decodeEvents(dialect, events);
  assertLegalDeltas(decoded, "The encoder's events decode to deltas that break a rule.", events);
  const whole = toComparableResponse(dialect.decodeResponse(dialect.encodeResponse(response).wire));
  const [streamed, ...more] = assembleAnswers(decoded).map(toComparableResponse);
  assertHolds(more.length === 0, "One answer became several.", events);
  return { differences: findDifferences(whole, streamed), losses };
}

export const assertStreamedEqualsWhole: StreamedResponseCheck = (dialect, response, isExcepted) => {
  if (response.error !== undefined) return assertSameFailure(dialect, response);
  const { differences, losses } = compareStreamedWithWhole(dialect, response);
  const unexpected = differences.filter(({ path }) => !isExcepted(path, losses));
  assertNoDifferences(unexpected, "The streamed answer differs from the whole answer.");
};

/**
 * Requires for a failed answer that the stream has the same error as the whole answer, and a text with which the whole
 * text begins.
 */
function assertSameFailure(dialect: Dialect, response: ModelResponse): void {
  const { events } = encodeDeltas(dialect, disassemble(response));
  const deltas = decodeEvents(dialect, events);
  assertLegalDeltas(deltas, "The encoder's events decode to deltas that break a rule.", events);
  const [streamed] = assembleAnswers(deltas);
  const streamedError = streamed?.error;
  assertHolds(streamedError !== undefined, "The stream of a failed answer has no error.", events);
  const { wire, status } = dialect.encodeError(response.error ?? { kind: "unknown", message: "" });
  const { kind, message } = dialect.decodeError(wire, status);
  assertHolds(streamedError?.message === message, "The streamed error has another message.", streamedError, message);
  // The error may have the kind of the error body with its status, of the error body alone, or of the failed response,
  // because the last two may be less specific.
  const whole = dialect.decodeResponse(dialect.encodeResponse(response).wire).error;
  const kinds = [kind, dialect.decodeError(wire).kind, whole?.kind];
  assertHolds(kinds.includes(streamedError?.kind), "The streamed error has another kind.", streamedError, kinds);
  const text = streamed === undefined ? "" : readMessageText(streamed.message);
  assertHolds(
    readMessageText(response.message).startsWith(text),
    "The streamed text is no beginning of the whole text.",
    text,
  );
}

export const assertSameLosses: StreamedResponseCheck = (dialect, response, isExcepted) => {
  if (response.error !== undefined) return;
  const { losses } = encodeDeltas(dialect, disassemble(response));
  const whole = dialect.encodeResponse(response).losses;
  const missing = subtractLosses(whole, losses).filter(({ code }) => !isExcepted(code, losses));
  assertHolds(missing.length === 0, "The stream does not report losses of the whole answer.", missing);
  const more = subtractLosses(losses, whole).filter(
    ({ code }) => !STREAM_ONLY_CODES.has(code) && !isExcepted(code, losses),
  );
  assertHolds(more.length === 0, "The stream reports losses that the whole answer does not have.", more);
};

/**
 * Returns the elements of `losses` without the equal elements of `others`; each element of `others` removes one loss.
 */
function subtractLosses(losses: readonly Loss[], others: readonly Loss[]): Loss[] {
  const remaining = others.map(({ code, path }) => `${code} ${path}`);
  return losses.filter(({ code, path }) => {
    const index = remaining.indexOf(`${code} ${path}`);
    if (index >= 0) remaining.splice(index, 1);
    return index < 0;
  });
}

export const assertDeclaredStreamLosses: StreamedResponseCheck = (dialect, response) => {
  const deltas = disassemble(response);
  const { losses } = encodeDeltas(dialect, deltas);
  // Loss paths may also point into the assembled answer, which additionally has the assembler's metadata.
  const paths = new Set(
    [response, ...assembleAnswers(deltas)].flatMap((each) => [...walkJson(each)].map(({ path }) => path)),
  );
  for (const { code, path, action, level } of losses) {
    const declared = Object.hasOwn(dialect.losses, code) ? dialect.losses[code] : undefined;
    assertHolds(
      declared?.action === action && declared.level === level,
      `The dialect does not declare the loss "${code}" with the action "${action}" and the level "${level}".`,
    );
    const exists = paths.has(path) || action === "synthesized";
    assertHolds(exists, `The loss "${code}" names the path "${path}", which does not exist.`);
  }
};

export const assertPureStreamEncoding: StreamedResponseCheck = (dialect, response) => {
  const deltas = disassemble(response);
  const [first, second] = [deltas, deepFreeze(structuredClone(deltas))].map((each) => encodeDeltas(dialect, each));
  assertHolds(stringifyJson(first) === stringifyJson(second), "Two encodings differ.", first, second);
};

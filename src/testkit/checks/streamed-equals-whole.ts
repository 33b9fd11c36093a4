// Checks B80 for encoders: a streamed answer decodes to the same response as the whole answer, with the same losses.
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

/** An allowed difference between a streamed and a whole answer, because the protocol has no event for the data. */
export interface StreamException {
  /** Matches a path at which the answers may differ, or the code of a loss that only one of them reports. */
  at: RegExp;
  /** The exception applies only if the stream reports a loss with this code. */
  when?: string;
  reason: string;
}

/** A check of a dialect with one canonical response; throws if the check fails. */
export type StreamedResponseCheck = (dialect: Dialect, response: ModelResponse, isExcepted: IsExcepted) => void;

/** Returns a test for the exceptions; calls `onMatch` with each exception that applied. */
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

/** Loss codes that exist only for streams, in all dialects. */
const STREAM_ONLY_CODES: ReadonlySet<string> = new Set(["part-split", "late-dropped", "stream-result-dropped"]);

/** Returns the differences between the streamed and the whole answer. */
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

/** Requires the same error in the stream, and a text that begins the whole text. */
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
  // An error body without its status and a failed response may be less specific about the kind.
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

/** Returns the losses without those in `others`; each of `others` removes one. */
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
  // Paths may also point into the assembled answer, which has the assembler's metadata in addition.
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

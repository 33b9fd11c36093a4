// What stream codecs of every dialect share: how a stream that fails or breaks off reads, how texts are cut, where
// events stay that nobody knows (B43), and how pieces are written whose losses the whole answer reports.
import type { Delta, StartPayload } from "../../model/delta.ts";
import { CONTRACT_VERSION } from "../../model/delta.ts";
import { copyExtra, growExtra } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { ProviderError } from "../../model/provider-error.ts";
import { isRetryable } from "../../model/provider-error.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext } from "../dialect.ts";
import { isObject, unknownFields } from "./read.ts";
import { EVENTS } from "./residue.ts";
import { PathTracker } from "./trail.ts";

/** The delta that begins an answer; decoders add what they know. */
export function startDelta(payload: Omit<StartPayload, "contractVersion">): Delta {
  return { kind: "start", payload: { ...payload, contractVersion: CONTRACT_VERSION } };
}

type ErrorDelta = Extract<Delta, { kind: "error" }>;

/** The input has ended before the answer did (B73). */
export function truncated(): ErrorDelta {
  return {
    kind: "error",
    payload: {
      errorCode: "truncated",
      message: "The stream ended before the answer did; what came is a part of it.",
      retryable: true,
    },
  };
}

/** The provider has reported an error (B72). */
export function errorDelta(error: ProviderError): ErrorDelta {
  const { kind, ...rest } = error;
  return { kind: "error", payload: { errorCode: kind, retryable: isRetryable(error), ...rest } };
}

/**
 * A context with a trail and a report of its own. Pieces of an answer go out before all of it is known: nobody reads
 * what they report, because what is lost is told once, of the whole answer.
 */
export function withOwnReport<Code extends string>(context: EncodeContext<Code>): EncodeContext<Code> {
  const trail = new PathTracker();
  return { ...context, pathTracker: trail, report: context.report.anew(trail) };
}

/** Half a character that waits for its other half. */
export interface Held {
  held?: string;
}

/**
 * The text that may go out now: a character that two deltas share goes out with the second (B50). What is held at the
 * end of the part is still to be said.
 */
export function wholeCharacters(state: Held, text: string): string {
  const { held } = state;
  if (held === undefined && (text.charCodeAt(text.length - 1) & 0xfc00) !== 0xd800) return text;
  const joined = (held ?? "") + text;
  const isHalf = (joined.charCodeAt(joined.length - 1) & 0xfc00) === 0xd800;
  if (isHalf) {
    state.held = joined.slice(-1);
    return joined.slice(0, -1);
  }
  delete state.held;
  return joined;
}

/** A thought that goes out as one text. */
export interface Thought {
  /** The summary in hand, where summaries stand for the text; -1 where the text does. */
  summary?: number;
}

/** The piece of a thought's text that a delta brings: of its summaries only where there is no text, with blank lines. */
export function thoughtPiece(state: Thought, text: string, summary: number | undefined): string {
  if (state.summary === -1) return summary === undefined ? text : "";
  if (summary === undefined) {
    if (text !== "" && state.summary === undefined) state.summary = -1;
    return text;
  }
  const gap = "\n\n".repeat(Math.max(0, summary - (state.summary ?? 0)));
  state.summary = summary;
  return gap + text;
}

interface Carrier {
  extra?: Extra;
}

/** Keeps events that the protocol does not know, in their order, on the answer or on the part that they came for. */
export function keepEvents(target: Carrier, dialect: string, events: readonly JsonValue[]): void {
  if (events.length === 0) return;
  const kept = { [dialect]: { [EVENTS]: [...events] } };
  target.extra = growExtra(target.extra && copyExtra(target.extra), kept);
}

/** The events that were kept. */
export function eventsOf({ extra }: Carrier, dialect: string): JsonObject[] {
  const events = extra?.[dialect]?.[EVENTS];
  return Array.isArray(events) ? events.filter(isObject) : [];
}

/** Reports the events that were kept where only a stream could say them. */
export function reportEvents({ extra }: Carrier, { dialect, report }: EncodeContext<"field-unsaid">): void {
  if (extra?.[dialect]?.[EVENTS] !== undefined) report.addLoss("field-unsaid", ["extra", dialect, EVENTS]);
}

/** An answer without its events: a stream has said them, so that nothing else need say them. */
export function withoutEvents(response: ModelResponse, dialect: string): ModelResponse {
  const { message } = response;
  const parts = message.parts.map((part) => bare(part, dialect));
  return bare({ ...response, message: { ...message, parts } }, dialect);
}

const OWN: ReadonlySet<string> = new Set([EVENTS]);

function bare<T extends Carrier>(target: T, dialect: string): T {
  const residue = target.extra?.[dialect];
  if (residue?.[EVENTS] === undefined) return target;
  return { ...target, extra: { ...target.extra, [dialect]: unknownFields(residue, OWN) ?? {} } };
}

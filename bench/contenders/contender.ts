// The interface of a measured library: jobs from text to text, so that parsing and writing JSON is included.
import type { StreamEvent } from "../payloads/streams.ts";
import type { DialectName, Kind } from "../wire/wire.ts";

export interface JobOutcome {
  text: string;
  /** The number of losses that the library reported, without losses of the level `note`. */
  losses: number;
  /** The number of losses of the level `note`. */
  notes: number;
}

export interface RoundTripJob {
  dialect: DialectName;
  kind: Kind;
  text: string;
  /** True if the edit of wire/edit.ts is made on the library's own representation. */
  edit: boolean;
}

/** Decodes a payload to the library's own representation and encodes it again in the same dialect. */
export interface RoundTripper {
  name: string;
  /** Returns the reason why the library cannot run the job; undefined if it can. */
  gap(job: Omit<RoundTripJob, "text">): string | undefined;
  run(job: RoundTripJob): JobOutcome;
}

export interface TranslateJob {
  from: DialectName;
  to: DialectName;
  text: string;
  /** The model; undefined if the body contains it. */
  model?: string | undefined;
}

/** Translates a request from one dialect to another. */
export interface Translator {
  name: string;
  gap(job: Pick<TranslateJob, "from" | "to">): string | undefined;
  run(job: TranslateJob): JobOutcome;
}

export interface StreamJob {
  from: DialectName;
  to: DialectName;
  /** The stream as events, for libraries that read events. */
  events: readonly StreamEvent[];
  /** The same stream as bytes, for libraries that read bytes. */
  chunks: readonly Uint8Array[];
}

/** Transcodes a whole stream from one dialect to another, as text. */
export interface Streamer {
  name: string;
  gap(job: Pick<StreamJob, "from" | "to">): string | undefined;
  run(job: StreamJob): string | Promise<string>;
}

export interface Contender {
  roundTrippers: RoundTripper[];
  translator: Translator;
  streamer: Streamer;
}

/** Returns the outcome of a library that reports no losses. */
export function unreported(text: string): JobOutcome {
  return { text, losses: 0, notes: 0 };
}

/** Returns a contender for a library that is not installed; its table rows contain the reason. */
export function absent(name: string, reason: string): Contender {
  const run = (): never => {
    throw new Error(reason);
  };
  const row = { name, gap: () => reason, run };
  return { roundTrippers: [row], translator: row, streamer: row };
}

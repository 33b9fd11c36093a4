// What a library has to offer to be measured: jobs from text to text, so that reading and writing JSON is part of them.
import type { StreamEvent } from "../payloads/streams.ts";
import type { DialectName, Kind } from "../wire/wire.ts";

export interface Outcome {
  text: string;
  /** What the library itself reported as lost; `notes` are remarks about nothing that anybody would miss. */
  losses: number;
  notes: number;
}

export interface RoundTripJob {
  dialect: DialectName;
  kind: Kind;
  text: string;
  /** Make the edit of wire/edit.ts on the library's own form. */
  edit: boolean;
}

/** Into the library's own form and out again, in one dialect. */
export interface RoundTripper {
  name: string;
  /** Why there is nothing to measure, if so. */
  gap(job: Omit<RoundTripJob, "text">): string | undefined;
  run(job: RoundTripJob): Outcome;
}

export interface TranslateJob {
  from: DialectName;
  to: DialectName;
  text: string;
  /** The model, where the source says it outside the body. */
  model?: string | undefined;
}

/** A request in one dialect, made from one in another. */
export interface Translator {
  name: string;
  gap(job: Pick<TranslateJob, "from" | "to">): string | undefined;
  run(job: TranslateJob): Outcome;
}

export interface StreamJob {
  from: DialectName;
  to: DialectName;
  /** The stream as events, and as the bytes of its reads: a library takes what it can. */
  events: readonly StreamEvent[];
  chunks: readonly Uint8Array[];
}

/** A whole stream in one dialect, made from one in another, as text. */
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

/** For libraries that report no losses at all. */
export function unreported(text: string): Outcome {
  return { text, losses: 0, notes: 0 };
}

/** A contender that is not there: its rows say why. */
export function absent(name: string, reason: string): Contender {
  const run = (): never => {
    throw new Error(reason);
  };
  const row = { name, gap: () => reason, run };
  return { roundTrippers: [row], translator: row, streamer: row };
}

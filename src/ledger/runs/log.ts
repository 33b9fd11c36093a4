// The bodies of log rows. A batch of deltas leaves out what a run's deltas have in common: the run, the counting `seq`,
// a timestamp that does not change. A change of state says what the run is from then on.
import { assignObject, parseJson, stringifyJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { MessageDelta } from "../../model/index.ts";
import { RUN_STATES, type LogRow, type RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { RunInfo } from "../types.ts";
import { infoOf, plainInfo } from "./info.ts";

/** A delta as text, and what the batch says of it once for several. */
export interface WrittenDelta {
  seq: number;
  timestamp: string;
  /** [kind, payload], or [kind, payload, { providerRaw }]. */
  json: string;
}

export function writeDelta({ seq, timestamp, kind, payload, providerRaw }: MessageDelta): WrittenDelta {
  const json = stringifyJson(providerRaw === undefined ? [kind, payload] : [kind, payload, { providerRaw }]);
  return { seq, timestamp, json };
}

/** A batch: a list of deltas; a number before one is its `seq` where it does not count on, a string its new timestamp. */
export function writeBatch(deltas: readonly WrittenDelta[]): string {
  const pieces: string[] = [];
  let next: number | undefined;
  let time: string | undefined;
  for (const { seq, timestamp, json } of deltas) {
    if (seq !== next) pieces.push(String(seq));
    if (timestamp !== time) pieces.push(JSON.stringify(timestamp));
    pieces.push(json);
    next = seq + 1;
    time = timestamp;
  }
  return `[${pieces.join()}]`;
}

/** The deltas of a batch. Throws where the body is damaged. */
export function readBatch(runId: string, body: string): MessageDelta[] {
  const pieces = parseJson(body);
  if (!Array.isArray(pieces)) throw new TypeError("A batch of deltas must be a list.");
  const deltas: MessageDelta[] = [];
  let seq: number | undefined;
  let timestamp: string | undefined;
  for (const piece of pieces) {
    if (typeof piece === "number") seq = piece;
    else if (typeof piece === "string") timestamp = piece;
    else if (!Array.isArray(piece) || seq === undefined || timestamp === undefined || !isObject(piece[1])) {
      throw new TypeError("A batch of deltas holds something else.");
    } else {
      const [kind, payload, more] = piece;
      // Whether kind and payload fit is for the assembler to say; a reader gets what was written.
      const delta = { kind, payload, runId, seq: seq++, timestamp } as unknown as MessageDelta;
      deltas.push(isObject(more) ? assignObject(delta, more) : delta);
    }
  }
  return deltas;
}

/** What a run came to. */
export interface RunOutcome {
  /** The messages it left, in order. */
  messageIds: string[];
  supersededRunIds?: string[];
}

/** A change of a run's state. */
export interface RunEvent {
  /** As of this change, without its metadata. The row says which run it is. */
  run: RunInfo;
  /** Whether the run has metadata; it can be long, and is kept once, with the run. */
  hasMetadata?: true;
  /** Where its deltas stand in the log, so that a reader knows whether it has seen them all. */
  firstDeltaId?: string;
  lastDeltaId?: string;
  /** Where the run ended. */
  outcome?: RunOutcome;
}

/** What a run cost and why it failed, as values: whoever has just written them need not read them again. */
export type RunFacts = Pick<RunInfo, "usage" | "error">;

export function runEventRow(scope: Scope, id: string, row: RunRow, outcome?: RunOutcome, facts?: RunFacts): LogRow {
  const info = facts === undefined ? infoOf({ ...row, metadata: null }, scope.report) : plainInfo(row);
  if (facts?.error !== undefined) info.error = facts.error;
  if (facts?.usage !== undefined) info.usage = facts.usage;
  // The row says both.
  const { id: _, threadId: __, ...run } = info;
  const event: Omit<RunEvent, "run"> & { run: typeof run } = { run };
  if (row.metadata !== null) event.hasMetadata = true;
  if (row.firstDeltaId !== null) event.firstDeltaId = row.firstDeltaId;
  if (row.lastDeltaId !== null) event.lastDeltaId = row.lastDeltaId;
  if (outcome !== undefined) event.outcome = outcome;
  return { tenant: row.tenant, threadId: row.threadId, id, runId: row.id, kind: "run", body: stringifyJson(event) };
}

/** Throws where the body is damaged. */
export function readRunEvent({ body, runId, threadId }: LogRow): RunEvent {
  const event = parseJson(body);
  const run = isObject(event) ? event["run"] : undefined;
  if (!isObject(run) || !(RUN_STATES as readonly unknown[]).includes(run["state"])) {
    throw new TypeError("A change of state names no state.");
  }
  Object.assign(run, { id: runId, threadId });
  // It names a known state, so it was written by runEventRow.
  return event as unknown as RunEvent;
}

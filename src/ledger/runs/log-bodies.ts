// Encodes and decodes the bodies of log rows. A batch of deltas omits the values that its deltas share: the run,
// consecutive `seq` numbers, an unchanged timestamp. A run event contains the run's state after a change.
import { withPartKey } from "../../model/delta-spelling.ts";
import { assignObject, parseJson, stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { MessageDelta } from "../../model/index.ts";
import { RUN_STATES, type LogRow, type RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { RunInfo } from "../types.ts";
import { toRunInfo, toInfoWithoutJson } from "./run-info.ts";

/** A delta as JSON, without the values that a batch writes only once for several deltas. */
export interface EncodedDelta {
  seq: number;
  timestamp: string;
  /** The JSON text of [kind, payload] or [kind, payload, { providerRaw }]. */
  json: string;
}

export function encodeDelta({ seq, timestamp, kind, payload, providerRaw }: MessageDelta): EncodedDelta {
  const json = stringifyJson(providerRaw === undefined ? [kind, payload] : [kind, payload, { providerRaw }]);
  return { seq, timestamp, json };
}

/**
 * Encodes a batch as a JSON list of deltas. A number in the list is the `seq` of the delta after it, written if it does
 * not follow the previous `seq`. A string is the timestamp of the delta after it, written if it changed.
 */
export function encodeBatch(deltas: readonly EncodedDelta[]): string {
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

/** Decodes the deltas of a batch. Throws if the body is damaged. */
export function decodeBatch(runId: string, body: string): MessageDelta[] {
  const pieces = parseJson(body);
  if (!Array.isArray(pieces)) throw new TypeError("A batch of deltas must be a list.");
  const deltas: MessageDelta[] = [];
  let seq: number | undefined;
  let timestamp: string | undefined;
  for (const piece of pieces) {
    if (typeof piece === "number") seq = piece;
    else if (typeof piece === "string") timestamp = piece;
    else if (!Array.isArray(piece) || seq === undefined || timestamp === undefined || !isObject(piece[1])) {
      throw new TypeError("A batch of deltas must contain only numbers, strings and deltas.");
    } else {
      const [kind, payload, more] = piece;
      // The cast is not checked: kind and payload are returned as they were written, and the assembler checks them.
      const delta = { kind, payload, runId, seq: seq++, timestamp } as unknown as MessageDelta;
      deltas.push(withPartKey(isObject(more) ? assignObject(delta, more) : delta));
    }
  }
  return deltas;
}

/** The ids of the messages that an ended run wrote, and of the runs that it superseded. */
export interface RunOutcomeIds {
  /** The ids of the run's messages, in order. */
  messageIds: string[];
  supersededRunIds?: string[];
}

/** The body of a log row for a state change of a run. */
export interface RunEventBody {
  /**
   * The run after the change, without its metadata. The stored body omits the ids of run and thread, because the log
   * row has columns for them.
   */
  run: RunInfo;
  /** True if the run has metadata. Metadata can be long and is stored once, in the run's row. */
  hasMetadata?: true;
  /** The id of the run's first delta row. Together with `lastDeltaId` it shows whether a reader has read all deltas. */
  firstDeltaId?: string;
  /** The id of the run's last delta row. */
  lastDeltaId?: string;
  /** The ids of the run's messages and of the runs that it superseded; only present if this change ended the run. */
  outcome?: RunOutcomeIds;
}

/**
 * The decoded usage and error of a run. A caller of `createRunEventRow` that has just encoded them for the run's row
 * passes them, so that they need not be decoded again.
 */
export type RunUsageAndError = Pick<RunInfo, "usage" | "error">;

export function createRunEventRow(
  scope: LedgerScope,
  id: string,
  row: RunRow,
  outcome?: RunOutcomeIds,
  facts?: RunUsageAndError,
): LogRow {
  const info = facts === undefined ? toRunInfo({ ...row, metadata: null }, scope.report) : toInfoWithoutJson(row);
  if (facts?.error !== undefined) info.error = facts.error;
  if (facts?.usage !== undefined) info.usage = facts.usage;
  // Both ids are omitted from the body, because the log row has columns for them.
  const { id: _, threadId: __, ...run } = info;
  const event: Omit<RunEventBody, "run"> & { run: typeof run } = { run };
  if (row.metadata !== null) event.hasMetadata = true;
  if (row.firstDeltaId !== null) event.firstDeltaId = row.firstDeltaId;
  if (row.lastDeltaId !== null) event.lastDeltaId = row.lastDeltaId;
  if (outcome !== undefined) event.outcome = outcome;
  return { tenant: row.tenant, threadId: row.threadId, id, runId: row.id, kind: "run", body: stringifyJson(event) };
}

/** Decodes a run event. Throws if the body is damaged. */
export function decodeRunEvent({ body, runId, threadId }: LogRow): RunEventBody {
  const event = parseJson(body);
  const run = isObject(event) ? event["run"] : undefined;
  if (!isObject(run) || !(RUN_STATES as readonly unknown[]).includes(run["state"])) {
    throw new TypeError("A run event must contain a known state.");
  }
  Object.assign(run, { id: runId, threadId });
  // The cast is safe: a body with a known state was written by `createRunEventRow`.
  return event as unknown as RunEventBody;
}

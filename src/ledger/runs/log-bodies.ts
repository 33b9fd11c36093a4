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

/** A delta as JSON, and the values that a batch writes once for several deltas. */
export interface EncodedDelta {
  seq: number;
  timestamp: string;
  /** [kind, payload], or [kind, payload, { providerRaw }]. */
  json: string;
}

export function encodeDelta({ seq, timestamp, kind, payload, providerRaw }: MessageDelta): EncodedDelta {
  const json = stringifyJson(providerRaw === undefined ? [kind, payload] : [kind, payload, { providerRaw }]);
  return { seq, timestamp, json };
}

/**
 * Encodes a batch as a list of deltas; a number before a delta is its `seq` if it is not consecutive, a string its
 * timestamp if it changed.
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
      // The assembler checks kind and payload; a reader returns them as written.
      const delta = { kind, payload, runId, seq: seq++, timestamp } as unknown as MessageDelta;
      deltas.push(withPartKey(isObject(more) ? assignObject(delta, more) : delta));
    }
  }
  return deltas;
}

/** The ids of the messages and runs that an ended run wrote or superseded. */
export interface RunOutcomeIds {
  /** Its messages, in order. */
  messageIds: string[];
  supersededRunIds?: string[];
}

/** The body of a log row for a state change of a run. */
export interface RunEventBody {
  /** The run after this change, without its metadata; the row contains the id of run and thread. */
  run: RunInfo;
  /** True if the run has metadata. Metadata can be long and is stored once, in the run's row. */
  hasMetadata?: true;
  /** The range of its deltas in the log, so that a reader knows whether it has seen all of them. */
  firstDeltaId?: string;
  lastDeltaId?: string;
  /** The result, if the run ended. */
  outcome?: RunOutcomeIds;
}

/** Usage and error as values, for a caller that has just encoded them. */
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
  // The log row has columns for both ids.
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
  // A known state proves that createRunEventRow wrote it.
  return event as unknown as RunEventBody;
}

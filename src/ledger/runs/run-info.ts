// Converts the row of a run to a RunInfo, and encodes its JSON columns.
import { parseJson, stringifyJson, type JsonObject } from "../../model/json/index.ts";
import { renameLossCodes } from "../../model/renamed-loss-codes.ts";
import { isObject } from "../../model/value-kind.ts";
import type { ProviderError, Usage } from "../../model/index.ts";
import type { RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { ThreadKey } from "../store/contract.ts";
import { isoTime } from "../iso-time.ts";
import type { RunInfo } from "../types.ts";

type ReportProblem = LedgerScope["report"];

/** Returns the key of a run's thread. */
export function toThreadKeyOfRun({ tenant, threadId }: Pick<RunRow, "tenant" | "threadId">): ThreadKey {
  return { tenant, threadId };
}

/**
 * Decodes a JSON column of a run. An unreadable value is reported, and undefined is returned, so that the rest of the
 * run stays readable (B91).
 */
function readColumn(
  row: RunRow,
  column: "error" | "usage" | "metadata",
  report: ReportProblem,
): JsonObject | undefined {
  const text = row[column];
  if (text === null) return undefined;
  try {
    const value = parseJson(text);
    if (isObject(value)) {
      if (column === "metadata") renameLossCodes(value);
      return value;
    }
  } catch {
    // A value that cannot be parsed is reported below, like a value that is not an object.
  }
  report({ threadId: row.threadId, messageId: row.id, reason: `The ${column} of this run cannot be read.` });
  return undefined;
}

/** Returns the RunInfo of a row without error, usage and metadata, whose columns are JSON. */
export function toInfoWithoutJson(row: RunRow): RunInfo {
  const info: RunInfo = {
    id: row.id,
    threadId: row.threadId,
    state: row.state,
    mode: row.mode,
    createdAt: row.createdAt,
    epoch: row.epoch,
    lastSeq: row.lastSeq,
  };
  if (row.forks) info.forkFromMessageId = row.forkFromId;
  if (row.idempotencyKey !== null) info.idempotencyKey = row.idempotencyKey;
  if (row.finishedAt !== null) info.finishedAt = isoTime(row.finishedAt);
  return info;
}

/** Returns the RunInfo of a row. */
export function toRunInfo(row: RunRow, report: ReportProblem): RunInfo {
  const info = toInfoWithoutJson(row);
  const error = readColumn(row, "error", report);
  const usage = readColumn(row, "usage", report);
  const metadata = readColumn(row, "metadata", report);
  // The casts are safe, because the columns were written from values of these types.
  if (error !== undefined) info.error = error as unknown as ProviderError;
  if (usage !== undefined) info.usage = usage as unknown as Usage;
  if (metadata !== undefined) info.metadata = metadata;
  return info;
}

/** Encodes the value of a JSON column; null if it is undefined. */
export function encodeColumn(value: object | undefined): string | null {
  return value === undefined ? null : stringifyJson(value);
}

/** Returns the metadata of a run; an empty object if there is none or it cannot be read. */
export function readRunMetadata(row: RunRow, report: ReportProblem): Record<string, unknown> {
  return readColumn(row, "metadata", report) ?? {};
}

/** Returns the provider of a run; undefined if the metadata of the run contains no provider. */
export function readProvider(row: RunRow, report: ReportProblem): string | undefined {
  const { provider } = readRunMetadata(row, report);
  return typeof provider === "string" ? provider : undefined;
}

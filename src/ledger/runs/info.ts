// A run as its row has it, and as callers see it.
import { parseJson, stringifyJson, type JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { ProviderError, Usage } from "../../model/index.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { ThreadKey } from "../store.ts";
import { isoTime } from "../times.ts";
import type { RunInfo } from "../types.ts";

type Report = Scope["report"];

/** The thread that a run belongs to. */
export function threadOf({ tenant, threadId }: Pick<RunRow, "tenant" | "threadId">): ThreadKey {
  return { tenant, threadId };
}

/** A column of JSON; one that cannot be read is reported, and the rest of the run can still be seen (B91). */
function readColumn(row: RunRow, column: "error" | "usage" | "metadata", report: Report): JsonObject | undefined {
  const text = row[column];
  if (text === null) return undefined;
  try {
    const value = parseJson(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below, like a value of another kind.
  }
  report({ threadId: row.threadId, messageId: row.id, reason: `The ${column} of this run cannot be read.` });
  return undefined;
}

/** What callers see of a run, but for what is kept as JSON. */
export function plainInfo(row: RunRow): RunInfo {
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

/** What callers see of a run. */
export function infoOf(row: RunRow, report: Report): RunInfo {
  const info = plainInfo(row);
  const error = readColumn(row, "error", report);
  const usage = readColumn(row, "usage", report);
  const metadata = readColumn(row, "metadata", report);
  // Objects, as readColumn has seen; they were written from these types.
  if (error !== undefined) info.error = error as unknown as ProviderError;
  if (usage !== undefined) info.usage = usage as unknown as Usage;
  if (metadata !== undefined) info.metadata = metadata;
  return info;
}

/** A column's text. */
export function column(value: object | undefined): string | null {
  return value === undefined ? null : stringifyJson(value);
}

/** The caller's own facts about a run. */
export function factsOf(row: RunRow, report: Report): Record<string, unknown> {
  return readColumn(row, "metadata", report) ?? {};
}

/** Who answers in a run, where its caller has said so. */
export function providerOf(row: RunRow, report: Report): string | undefined {
  const { provider } = factsOf(row, report);
  return typeof provider === "string" ? provider : undefined;
}

// Reads one run, or the runs of a thread.
import { requireCount, requireName } from "../check-arguments.ts";
import type { LedgerScope } from "../scope.ts";
import { requireThreadHead, toThreadKey } from "../threads/threads.ts";
import type { RunInfo, RunsPage } from "../types.ts";
import { toRunInfo } from "./run-info.ts";
import { createUnknownRunError } from "./lock-run.ts";

export async function readRunInfo(scope: LedgerScope, runId: string): Promise<RunInfo> {
  const row = await scope.store.reads.run(scope.tenant, requireName(runId, "runId"));
  if (row === undefined) throw createUnknownRunError(runId);
  return toRunInfo(row, scope.report);
}

/** Lists the runs of a thread, oldest first. */
export async function listRuns(
  scope: LedgerScope,
  threadId: string,
  { last, live }: RunsPage = {},
): Promise<RunInfo[]> {
  const key = toThreadKey(scope, threadId);
  const limit = last === undefined ? undefined : requireCount(last, "last", 1);
  await requireThreadHead(scope, key);
  const { reads } = scope.store;
  const read = live === true ? await reads.liveRuns(key) : await reads.runs(key, limit);
  const rows = limit === undefined ? read : read.slice(-limit);
  return rows.map((row) => toRunInfo(row, scope.report));
}

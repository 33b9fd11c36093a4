// Looks at runs without touching them.
import { checkCount, checkName } from "../check.ts";
import type { Scope } from "../scope.ts";
import { threadHead, threadKey } from "../threads.ts";
import type { RunInfo, RunsPage } from "../types.ts";
import { infoOf } from "./info.ts";
import { unknownRun } from "./locked.ts";

export async function runInfo(scope: Scope, runId: string): Promise<RunInfo> {
  const row = await scope.store.reads.run(scope.tenant, checkName(runId, "runId"));
  if (row === undefined) throw unknownRun(runId);
  return infoOf(row, scope.report);
}

/** Oldest first. */
export async function runsOf(scope: Scope, threadId: string, { last, live }: RunsPage = {}): Promise<RunInfo[]> {
  const key = threadKey(scope, threadId);
  const most = last === undefined ? undefined : checkCount(last, "last", 1);
  await threadHead(scope, key);
  const { reads } = scope.store;
  const found = live === true ? await reads.liveRuns(key) : await reads.runs(key, most);
  const rows = most === undefined ? found : found.slice(-most);
  return rows.map((row) => infoOf(row, scope.report));
}

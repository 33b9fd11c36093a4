// Looks at runs without touching them.
import { checkName } from "../check.ts";
import type { Scope } from "../scope.ts";
import { threadHead, threadKey } from "../threads.ts";
import type { RunInfo } from "../types.ts";
import { infoOf } from "./info.ts";
import { unknownRun } from "./locked.ts";

export async function runInfo(scope: Scope, runId: string): Promise<RunInfo> {
  const row = await scope.store.reads.run(scope.tenant, checkName(runId, "runId"));
  if (row === undefined) throw unknownRun(runId);
  return infoOf(row, scope.report);
}

/** Oldest first. */
export async function runsOf(scope: Scope, threadId: string): Promise<RunInfo[]> {
  const key = threadKey(scope, threadId);
  await threadHead(scope, key);
  const rows = await scope.store.reads.runs(key);
  return rows.map((row) => infoOf(row, scope.report));
}

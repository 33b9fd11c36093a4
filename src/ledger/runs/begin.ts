// Begins a run, or attaches to the run that was begun with the same idempotency key.
import { isObject } from "../../model/value-kind.ts";
import { assertExpectedLeafOption, assertMessageIdOrNull, assertExpectedLeaf } from "../messages/append.ts";
import { requireJsonObject, requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { findKeyResult, storeKeyResult, hashRequest } from "../idempotency-keys.ts";
import type { RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import { isoTime } from "../iso-time.ts";
import type { NewRun, Run, RunInput } from "../types.ts";
import { requireAliases, claimExclusiveAlias, putAliases } from "./aliases.ts";
import { AttachedRun } from "./attached-run.ts";
import { encodeColumn, toThreadKeyOfRun } from "./run-info.ts";
import type { LiveRuns } from "./live-runs.ts";
import { createUnknownRunError } from "./lock-run.ts";
import { createRunEventRow } from "./log-bodies.ts";
import {
  requireRunInput,
  requireRunId,
  resolveForkPoint,
  lockOrCreateThread,
  type ForkPoint,
  type CallerRunId,
  resolveRunId,
  type RunThread,
  resolveRunThread,
  writeWithRaceRetry,
} from "./run-start.ts";
import { RunTurn } from "./run-turn.ts";
import { RunWriter } from "./run-writer.ts";

export async function beginRun(scope: LedgerScope, live: LiveRuns, input: NewRun): Promise<Run> {
  const plan = planRun(scope, input);
  const { row, attached } = await writeWithRaceRetry(scope, plan.target, plan.id, (tx) =>
    insertNewRun(scope, tx, plan),
  );
  if (attached) return new AttachedRun(scope, row);
  if (plan.messages !== undefined) scope.onMessagesWritten();
  return new RunWriter(scope, live, row, new RunTurn());
}

/** The checked arguments of `beginRun`. */
interface NewRunPlan {
  target: RunThread;
  run: NewRun;
  id: CallerRunId | undefined;
  messages: RunInput | undefined;
  aliases: readonly string[];
}

function planRun(scope: LedgerScope, run: NewRun): NewRunPlan {
  if (!isObject(run)) throw new LedgerError("invalid-input", "A new run must be an object with a threadId.");
  assertNewRun(run);
  if (run.claim !== undefined) requireName(run.claim, "claim");
  const id = requireRunId(scope, run.id, "id");
  const messages = requireRunInput(run.input, run.forkFromMessageId);
  return { target: resolveRunThread(scope, run), run, id, messages, aliases: requireAliases(run.alias) };
}

export function assertNewRun(
  input: Pick<NewRun, "forkFromMessageId" | "expectedLeaf" | "idempotencyKey" | "metadata" | "exclusive" | "mode">,
): void {
  assertMessageIdOrNull(input.forkFromMessageId, "forkFromMessageId");
  assertExpectedLeafOption(input);
  if (input.idempotencyKey !== undefined) requireName(input.idempotencyKey, "idempotencyKey");
  if (input.metadata !== undefined) requireJsonObject(input.metadata, "metadata");
  if (input.exclusive !== undefined && typeof input.exclusive !== "boolean") {
    throw new LedgerError("invalid-input", '"exclusive" must be true or false.', { path: "exclusive" });
  }
  if (input.mode !== undefined && input.mode !== "replace" && input.mode !== "branch") {
    throw new LedgerError("invalid-input", 'The mode of a run must be "replace" or "branch".', { path: "mode" });
  }
}

interface BegunRun {
  row: RunRow;
  attached: boolean;
}

function* insertNewRun(
  scope: LedgerScope,
  tx: LedgerTransaction,
  { target, run, id: callerId, messages, aliases }: NewRunPlan,
): Steps<BegunRun> {
  const { key } = target;
  const head = yield* lockOrCreateThread(tx, target);
  const { forkFromMessageId, expectedLeaf, idempotencyKey: name, mode = "replace", metadata } = run;
  const hashed = { forkFromMessageId, expectedLeaf, mode, metadata, input: messages };
  const request = name === undefined ? "" : hashRequest({ run: hashed });
  const before = name === undefined ? undefined : yield* findKeyResult(tx, key, name, request);
  if (before !== undefined) return { row: yield* readKeyedRun(scope, tx, before), attached: true };
  assertExpectedLeaf(head, expectedLeaf);
  if (run.exclusive === true) yield* assertNoLiveWriter(scope, tx, key);
  const fork = yield* resolveForkPoint(scope, tx, head, messages, forkFromMessageId);
  const id = yield* resolveRunId(scope, tx, head, callerId);
  const row = createRunRow(scope, head.id, id, run, fork);
  yield* wait(tx.insertRun(row));
  yield* wait(tx.insertLog([createRunEventRow(scope, head.lastId, row)]));
  yield* putAliases(tx, row, aliases);
  if (run.claim !== undefined) yield* claimExclusiveAlias(tx, row, run.claim);
  if (name !== undefined) yield* storeKeyResult(scope, tx, toThreadKeyOfRun(row), name, request, { runId: id });
  return { row, attached: false };
}

function* assertNoLiveWriter(scope: LedgerScope, tx: LedgerTransaction, key: ThreadKey): Steps<void> {
  const now = scope.now();
  const live = yield* wait(tx.liveRuns(key));
  const other = live.find(({ leaseUntil }) => leaseUntil >= now);
  if (other === undefined) return;
  const until = new Date(other.leaseUntil).toISOString();
  const message = `Run ${other.id} of the thread has a live writer until ${until}; wait for it to end.`;
  throw new LedgerError("conflict", message, { path: "exclusive" });
}

export function createRunRow(
  scope: LedgerScope,
  threadId: string,
  id: string,
  input: Pick<NewRun, "mode" | "idempotencyKey" | "metadata">,
  { forks, parentId }: ForkPoint,
): RunRow {
  const now = scope.now();
  return {
    tenant: scope.tenant,
    threadId,
    id,
    state: "created",
    mode: input.mode ?? "replace",
    forks,
    forkFromId: forks ? parentId : null,
    idempotencyKey: input.idempotencyKey ?? null,
    epoch: 1,
    leaseUntil: now + scope.leaseMs,
    createdAt: isoTime(now),
    finishedAt: null,
    error: null,
    usage: null,
    metadata: encodeColumn(input.metadata),
    firstDeltaId: null,
    lastDeltaId: null,
    lastSeq: -1,
    compacted: false,
  };
}

function* readKeyedRun(scope: LedgerScope, tx: LedgerTransaction, result: unknown): Steps<RunRow> {
  const id = isObject(result) && typeof result["runId"] === "string" ? result["runId"] : "";
  const row = yield* wait(tx.run(scope.tenant, id));
  if (row === undefined) throw createUnknownRunError(id);
  return row;
}

// Begins a run, or finds the one that was begun with the same key.
import { isObject } from "../../model/kind.ts";
import { checkExpectedLeaf, checkPlace, expectLeaf } from "../append.ts";
import { checkFacts, checkName } from "../check.ts";
import { LedgerError } from "../errors.ts";
import { unknownMessage } from "../insert.ts";
import { attach, remember, requestHash } from "../keys.ts";
import { headerOf } from "../paths.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import { lockedThread, threadKey } from "../threads.ts";
import { isoTime } from "../times.ts";
import type { NewRun, Run } from "../types.ts";
import { AttachedRun } from "./attached.ts";
import { column, threadOf } from "./info.ts";
import type { LiveRuns } from "./leases.ts";
import { unknownRun } from "./locked.ts";
import { runEventRow } from "./log.ts";
import { Turn } from "./turn.ts";
import { RunWriter } from "./writer.ts";

export async function beginRun(scope: Scope, live: LiveRuns, input: NewRun): Promise<Run> {
  checkNewRun(input);
  const { row, attached } = await scope.store.write((tx) => begin(scope, tx, input));
  return attached ? new AttachedRun(scope, row) : new RunWriter(scope, live, row, new Turn());
}

function checkNewRun(input: NewRun): void {
  if (!isObject(input)) throw new LedgerError("invalid-input", "A new run must be an object with a threadId.");
  checkPlace(input.forkFromMessageId, "forkFromMessageId");
  checkExpectedLeaf(input);
  if (input.idempotencyKey !== undefined) checkName(input.idempotencyKey, "idempotencyKey");
  if (input.metadata !== undefined) checkFacts(input.metadata, "metadata");
  if (input.alone !== undefined && typeof input.alone !== "boolean") {
    throw new LedgerError("invalid-input", '"alone" must be true or false.', { path: "alone" });
  }
  if (input.mode !== undefined && input.mode !== "replace" && input.mode !== "branch") {
    throw new LedgerError("invalid-input", 'The mode of a run must be "replace" or "branch".', { path: "mode" });
  }
}

interface Begun {
  row: RunRow;
  attached: boolean;
}

function* begin(scope: Scope, tx: LedgerTransaction, input: NewRun): Steps<Begun> {
  const key = threadKey(scope, input.threadId);
  const head = yield* lockedThread(tx, key);
  const { forkFromMessageId, expectedLeaf, idempotencyKey: name, mode = "replace", metadata } = input;
  const request = name === undefined ? "" : requestHash({ run: { forkFromMessageId, expectedLeaf, mode, metadata } });
  const before = name === undefined ? undefined : yield* attach(tx, key, name, request);
  if (before !== undefined) return { row: yield* begunBefore(scope, tx, before), attached: true };
  expectLeaf(head, expectedLeaf);
  if (input.alone === true) yield* demandAlone(scope, tx, input.threadId);
  if (typeof forkFromMessageId === "string" && (yield* headerOf(tx, key, forkFromMessageId)) === undefined) {
    throw unknownMessage(forkFromMessageId, "forkFromMessageId");
  }
  // The run is named after the place in the thread where it begins.
  const id = scope.nextId(head.lastId);
  const row = newRow(scope, id, input);
  yield* got(tx.insertRun(row));
  yield* got(tx.insertLog([runEventRow(scope, id, row)]));
  if (name !== undefined) yield* remember(scope, tx, threadOf(row), name, request, { runId: id });
  return { row, attached: false };
}

/** More runs at once than a tenant has. */
const MANY = 100_000;

/** Looks at the runs that live, not at those of the thread: of these there may be many more. */
function* demandAlone(scope: Scope, tx: LedgerTransaction, threadId: string): Steps<void> {
  const now = scope.now();
  const live = yield* got(tx.expiredRuns(Number.MAX_SAFE_INTEGER, MANY, scope.tenant));
  const other = live.find((run) => run.threadId === threadId && run.leaseUntil >= now);
  if (other === undefined) return;
  const until = new Date(other.leaseUntil).toISOString();
  const message = `Run ${other.id} of the thread has a live writer until ${until}; wait for it to end.`;
  throw new LedgerError("conflict", message, { path: "alone" });
}

function newRow(scope: Scope, id: string, input: NewRun): RunRow {
  const now = scope.now();
  return {
    tenant: scope.tenant,
    threadId: input.threadId,
    id,
    state: "created",
    mode: input.mode ?? "replace",
    forks: input.forkFromMessageId !== undefined,
    forkFromId: input.forkFromMessageId ?? null,
    idempotencyKey: input.idempotencyKey ?? null,
    epoch: 1,
    leaseUntil: now + scope.leaseMs,
    createdAt: isoTime(now),
    finishedAt: null,
    error: null,
    usage: null,
    metadata: column(input.metadata),
    firstDeltaId: null,
    lastDeltaId: null,
    lastSeq: -1,
    compacted: false,
  };
}

function* begunBefore(scope: Scope, tx: LedgerTransaction, result: unknown): Steps<RunRow> {
  const id = isObject(result) && typeof result["runId"] === "string" ? result["runId"] : "";
  const row = yield* got(tx.run(scope.tenant, id));
  if (row === undefined) throw unknownRun(id);
  return row;
}

// Begins a run, or finds the one that was begun with the same key.
import { isObject } from "../../model/kind.ts";
import { checkExpectedLeaf, checkPlace, expectLeaf } from "../append.ts";
import { checkFacts, checkName } from "../check.ts";
import { LedgerError } from "../errors.ts";
import { attach, remember, requestHash } from "../keys.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store.ts";
import { isoTime } from "../times.ts";
import type { NewRun, Run, RunInput } from "../types.ts";
import { checkAliases, claimName, putAliases } from "./aliases.ts";
import { AttachedRun } from "./attached.ts";
import { column, threadOf } from "./info.ts";
import type { LiveRuns } from "./leases.ts";
import { unknownRun } from "./locked.ts";
import { runEventRow } from "./log.ts";
import {
  checkInput,
  checkRunId,
  enterFork,
  enterThread,
  type Fork,
  type GivenId,
  nameRun,
  type Target,
  targetOf,
  writeInto,
} from "./place.ts";
import { Turn } from "./turn.ts";
import { RunWriter } from "./writer.ts";

export async function beginRun(scope: Scope, live: LiveRuns, input: NewRun): Promise<Run> {
  const plan = planRun(scope, input);
  const { row, attached } = await writeInto(scope, plan.target, plan.id, (tx) => begin(scope, tx, plan));
  if (attached) return new AttachedRun(scope, row);
  if (plan.messages !== undefined) scope.wrote();
  return new RunWriter(scope, live, row, new Turn());
}

/** A new run, checked. */
interface Plan {
  target: Target;
  run: NewRun;
  id: GivenId | undefined;
  messages: RunInput | undefined;
  aliases: readonly string[];
}

function planRun(scope: Scope, run: NewRun): Plan {
  if (!isObject(run)) throw new LedgerError("invalid-input", "A new run must be an object with a threadId.");
  checkNewRun(run);
  if (run.claim !== undefined) checkName(run.claim, "claim");
  const id = checkRunId(scope, run.id, "id");
  const messages = checkInput(run.input, run.forkFromMessageId);
  return { target: targetOf(scope, run), run, id, messages, aliases: checkAliases(run.alias) };
}

export function checkNewRun(
  input: Pick<NewRun, "forkFromMessageId" | "expectedLeaf" | "idempotencyKey" | "metadata" | "alone" | "mode">,
): void {
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

function* begin(
  scope: Scope,
  tx: LedgerTransaction,
  { target, run, id: given, messages, aliases }: Plan,
): Steps<Begun> {
  const { key } = target;
  const head = yield* enterThread(tx, target);
  const { forkFromMessageId, expectedLeaf, idempotencyKey: name, mode = "replace", metadata } = run;
  const asked = { forkFromMessageId, expectedLeaf, mode, metadata, input: messages };
  const request = name === undefined ? "" : requestHash({ run: asked });
  const before = name === undefined ? undefined : yield* attach(tx, key, name, request);
  if (before !== undefined) return { row: yield* begunBefore(scope, tx, before), attached: true };
  expectLeaf(head, expectedLeaf);
  if (run.alone === true) yield* demandAlone(scope, tx, key);
  const fork = yield* enterFork(scope, tx, head, messages, forkFromMessageId);
  const id = yield* nameRun(scope, tx, head, given);
  const row = newRow(scope, head.id, id, run, fork);
  yield* got(tx.insertRun(row));
  yield* got(tx.insertLog([runEventRow(scope, head.lastId, row)]));
  yield* putAliases(tx, row, aliases);
  if (run.claim !== undefined) yield* claimName(tx, row, run.claim);
  if (name !== undefined) yield* remember(scope, tx, threadOf(row), name, request, { runId: id });
  return { row, attached: false };
}

function* demandAlone(scope: Scope, tx: LedgerTransaction, key: ThreadKey): Steps<void> {
  const now = scope.now();
  const live = yield* got(tx.liveRuns(key));
  const other = live.find(({ leaseUntil }) => leaseUntil >= now);
  if (other === undefined) return;
  const until = new Date(other.leaseUntil).toISOString();
  const message = `Run ${other.id} of the thread has a live writer until ${until}; wait for it to end.`;
  throw new LedgerError("conflict", message, { path: "alone" });
}

export function newRow(
  scope: Scope,
  threadId: string,
  id: string,
  input: Pick<NewRun, "mode" | "idempotencyKey" | "metadata">,
  { forks, parentId }: Fork,
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

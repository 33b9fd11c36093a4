// Records a complete model call in one transaction, equivalent to creating a thread, appending input, and beginning and
// ending a run. The run is never visible before its end, so only its end is logged.
import type { Message, ProviderError, StoredMessage, Usage } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { assertExpectedLeaf } from "../messages/append.ts";
import { readMessages } from "../messages/message-body.ts";
import { assertStorableMessages } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { type MessageChain, writeChain } from "../messages/insert-chain.ts";
import { findKeyResult, storeKeyResult, hashRequest } from "../idempotency-keys.ts";
import { activeLeaf, moveLeaf } from "../messages/active-leaf.ts";
import { findLeavingMessages } from "../messages/paths.ts";
import type { MessageHeader, MessageRow, RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, isPromise, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import { toHeader, cacheLastMessage } from "../messages/last-written.ts";
import type { NewRecord, RecordResult, RunInfo, RunInput } from "../types.ts";
import { requireAliases, putAliases } from "./aliases.ts";
import { assertNewRun, createRunRow } from "./begin.ts";
import { logSuperseded, supersedeRuns } from "./commit.ts";
import { toProviderError } from "./end.ts";
import { encodeColumn, toRunInfo } from "./run-info.ts";
import { createUnknownRunError } from "./lock-run.ts";
import { createRunEventRow } from "./log-bodies.ts";
import { readOutcome } from "./run-outcome.ts";
import * as runStart from "./run-start.ts";
import { toTurnFromMessages, markInterrupted } from "./run-turn.ts";

const RECORD_STATES = ["committed", "failed", "cancelled"] as const;

/** The checked arguments of `recordCall`. */
interface RecordPlan {
  call: NewRecord;
  target: runStart.RunThread;
  runId: runStart.CallerRunId | undefined;
  input: RunInput | undefined;
  messages: readonly Message[];
  usage: Usage | undefined;
  error: ProviderError | undefined;
  state: (typeof RECORD_STATES)[number];
  aliases: readonly string[];
}

export async function recordCall(scope: LedgerScope, call: NewRecord): Promise<RecordResult> {
  const plan = planCall(scope, call);
  const written = await runStart.writeWithRaceRetry(scope, plan.target, plan.runId, (tx) => writeCall(scope, tx, plan));
  if ("earlierRun" in written) return readEarlierResult(scope, written.earlierRun, written.inputIds);
  const { row, input, messages, supersededRunIds, last } = written;
  if (last !== undefined) cacheLastMessage(scope.store, last);
  scope.onMessagesWritten();
  return toRecordResult(scope, row, { input, messages, supersededRunIds, attached: false });
}

/** Creates the result of `recordCall`. Its field `run` is computed on first access. */
function toRecordResult(scope: LedgerScope, row: RunRow, fields: Omit<RecordResult, "threadId" | "run">): RecordResult {
  let run: RunInfo | undefined;
  return {
    threadId: row.threadId,
    get run() {
      return (run ??= toRunInfo(row, scope.report));
    },
    ...fields,
  };
}

function planCall(scope: LedgerScope, call: NewRecord): RecordPlan {
  if (!isObject(call)) throw new LedgerError("invalid-input", "A call must be an object with messages.");
  assertNewRun(call);
  const state = call.state ?? (call.error === undefined ? "committed" : "failed");
  if (!RECORD_STATES.includes(state)) {
    throw new LedgerError("invalid-input", `"state" must be one of ${RECORD_STATES.join(", ")}.`, { path: "state" });
  }
  if (state === "committed" && call.error !== undefined) {
    throw new LedgerError("invalid-input", '"state" must be "failed" or "cancelled" for a call with an error.', {
      path: "state",
    });
  }
  const isEmpty = Array.isArray(call.messages) && call.messages.length === 0;
  const turn = toTurnFromMessages(isEmpty ? [] : assertStorableMessages(call.messages));
  return {
    call,
    target: runStart.resolveRunThread(scope, call),
    runId: runStart.requireRunId(scope, call.runId, "runId"),
    input: runStart.requireRunInput(call.input, call.forkFromMessageId),
    messages: state === "committed" ? turn.messages : turn.messages.map(markInterrupted),
    usage: call.usage ?? turn.usage,
    error: state === "failed" ? toProviderError(call.error ?? "The call failed.") : undefined,
    state,
    aliases: requireAliases(call.alias),
  };
}

interface WrittenCall {
  row: RunRow;
  input: StoredMessage[];
  messages: StoredMessage[];
  supersededRunIds: string[];
  /**
   * The header of the thread's newest message, for `cacheLastMessage`; undefined if the call neither wrote nor read it.
   */
  last: MessageHeader | undefined;
}
interface EarlierCall {
  earlierRun: RunRow;
  inputIds: string[];
}

function* writeCall(scope: LedgerScope, tx: LedgerTransaction, plan: RecordPlan): Steps<WrittenCall | EarlierCall> {
  const { call, target } = plan;
  const { expectedLeaf, idempotencyKey: name, mode = "replace" } = call;
  const head = yield* runStart.lockOrCreateThread(tx, target);
  const request = name === undefined ? "" : hashRequest({ record: selectHashedFields(plan) });
  const before = name === undefined ? undefined : yield* findKeyResult(tx, target.key, name, request);
  if (before !== undefined) return yield* readKeyedCall(scope, tx, before);
  assertExpectedLeaf(head, expectedLeaf);
  const fork = yield* runStart.resolveForkPoint(scope, tx, head, plan.input, call.forkFromMessageId);
  const { parentId, parent, input } = fork;
  const isCommitted = plan.state === "committed";
  const replaces = isCommitted && mode === "replace";
  const oldLeaf = activeLeaf(head);
  const leaving = replaces && parentId !== oldLeaf ? yield* findLeavingMessages(tx, target.key, oldLeaf, parentId) : [];
  const runId = yield* runStart.resolveRunId(scope, tx, head, plan.runId);
  const begun = createRunRow(scope, head.id, runId, call, fork);
  const chain: MessageChain = { parentId, parent, messages: plan.messages, runId, allowsMissingBlobs: !isCommitted };
  const { messages, rows } = yield* writeChain(scope, tx, head, chain);
  const superseded = leaving.length === 0 ? [] : yield* supersedeRuns(tx, leaving);
  const row = toEndedRow(scope, begun, plan);
  const outcome = {
    messageIds: messages.map(({ id }) => id),
    ...(isCommitted && { supersededRunIds: superseded.map(({ id }) => id) }),
  };
  head.lastId = scope.nextId(head.lastId);
  // A synchronous store returns no promise here. `wait` is then not called, because creating its generator takes time.
  const insertedRun = tx.insertRun(row);
  if (isPromise(insertedRun)) yield* wait(insertedRun);
  const { usage, error } = plan;
  const values = { ...(usage !== undefined && { usage }), ...(error !== undefined && { error }) };
  const insertedLog = tx.insertLog([createRunEventRow(scope, head.lastId, row, outcome, values)]);
  if (isPromise(insertedLog)) yield* wait(insertedLog);
  if (superseded.length > 0) yield* logSuperseded(scope, tx, head, superseded);
  yield* moveLeaf(tx, head, replaces ? (messages.at(-1)?.id ?? parentId) : oldLeaf);
  if (plan.aliases.length > 0) yield* putAliases(tx, row, plan.aliases);
  if (name !== undefined) {
    yield* storeKeyResult(scope, tx, target.key, name, request, { runId, inputIds: input.map(({ id }) => id) });
  }
  const last = rows.at(-1) ?? parent;
  const lastHeader = last?.id === head.newestMessageId ? toHeader(last) : undefined;
  return { row, input, messages, supersededRunIds: superseded.map(({ id }) => id), last: lastHeader };
}

/** Returns the fields that must be equal in a repeated call with the same idempotency key. */
function selectHashedFields({ call, input, messages, state }: RecordPlan): object {
  const { forkFromMessageId, expectedLeaf, mode = "replace", metadata, usage, error } = call;
  return { forkFromMessageId, expectedLeaf, mode, metadata, usage, error, input, messages, state };
}

/** Returns the row of the ended run. The run has no deltas, so it counts as compacted. */
function toEndedRow(scope: LedgerScope, begun: RunRow, { state, usage, error }: RecordPlan): RunRow {
  const now = scope.now();
  const columns = { usage: encodeColumn(usage), error: encodeColumn(error) };
  return { ...begun, state, finishedAt: now, leaseUntil: now, compacted: true, ...columns };
}

function* readKeyedCall(scope: LedgerScope, tx: LedgerTransaction, result: unknown): Steps<EarlierCall> {
  const { runId, inputIds } = isObject(result) ? result : {};
  const id = typeof runId === "string" ? runId : "";
  const row = yield* wait(tx.run(scope.tenant, id));
  if (row === undefined) throw createUnknownRunError(id);
  return { earlierRun: row, inputIds: Array.isArray(inputIds) ? inputIds.filter((id) => typeof id === "string") : [] };
}

async function readEarlierResult(scope: LedgerScope, row: RunRow, inputIds: readonly string[]): Promise<RecordResult> {
  const { tenant, threadId } = row;
  const rows: MessageRow[] = [];
  for (const id of inputIds) {
    const message = await scope.store.reads.message({ tenant, threadId }, id);
    if (message !== undefined) rows.push(message);
  }
  const [input, outcome] = [await readMessages(scope, rows), await readOutcome(scope, row)];
  return toRecordResult(scope, row, { input, ...outcome, attached: true });
}

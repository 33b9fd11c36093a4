// Records a whole call in one write: what a thread that is made, input that is appended, and a run that is begun and ended
// come to. Nobody could see the run before its end, so that its end is all there is to tell of it.
import type { Message, ProviderError, StoredMessage, Usage } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import { expectLeaf } from "../append.ts";
import { readRows } from "../body.ts";
import { assertStorableMessages } from "../check.ts";
import { LedgerError } from "../errors.ts";
import { writeChain } from "../insert.ts";
import { attach, remember, requestHash } from "../keys.ts";
import { activeLeaf, moveLeaf } from "../leaf.ts";
import { leaving } from "../paths.ts";
import type { MessageHeader, MessageRow, RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, isPromise, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import { headerOfRow, keepTail } from "../tails.ts";
import type { NewRecord, RecordResult, RunInfo, RunInput } from "../types.ts";
import { checkAliases, putAliases } from "./aliases.ts";
import { checkNewRun, newRow } from "./begin.ts";
import { logSuperseded, supersede } from "./commit.ts";
import { providerError } from "./end.ts";
import { column, infoOf } from "./info.ts";
import { unknownRun } from "./locked.ts";
import { runEventRow } from "./log.ts";
import { readOutcome } from "./outcome.ts";
import {
  checkInput,
  checkRunId,
  enterFork,
  enterThread,
  type GivenId,
  nameRun,
  type Target,
  targetOf,
  writeInto,
} from "./place.ts";
import { givenTurn, markInterrupted } from "./turn.ts";

const STATES = ["committed", "failed", "cancelled"] as const;

/** A call, checked. */
interface Plan {
  call: NewRecord;
  target: Target;
  runId: GivenId | undefined;
  input: RunInput | undefined;
  messages: readonly Message[];
  usage: Usage | undefined;
  error: ProviderError | undefined;
  state: (typeof STATES)[number];
  aliases: readonly string[];
}

export async function record(scope: Scope, call: NewRecord): Promise<RecordResult> {
  const plan = planCall(scope, call);
  const written = await writeInto(scope, plan.target, plan.runId, (tx) => writeCall(scope, tx, plan));
  if ("before" in written) return recordedBefore(scope, written.before, written.inputIds);
  const { row, input, messages, supersededRunIds, last } = written;
  if (last !== undefined) keepTail(scope.store, last);
  scope.wrote();
  return describe(scope, row, { input, messages, supersededRunIds, attached: false });
}

/** The run is looked at only by those who ask for it. */
function describe(scope: Scope, row: RunRow, rest: Omit<RecordResult, "threadId" | "run">): RecordResult {
  let run: RunInfo | undefined;
  return {
    threadId: row.threadId,
    get run() {
      return (run ??= infoOf(row, scope.report));
    },
    ...rest,
  };
}

function planCall(scope: Scope, call: NewRecord): Plan {
  if (!isObject(call)) throw new LedgerError("invalid-input", "A call must be an object with messages.");
  checkNewRun(call);
  const state = call.state ?? (call.error === undefined ? "committed" : "failed");
  if (!STATES.includes(state)) {
    throw new LedgerError("invalid-input", `The state must be one of ${STATES.join(", ")}.`, { path: "state" });
  }
  if (state === "committed" && call.error !== undefined) {
    throw new LedgerError("invalid-input", 'A call with an error is "failed" or "cancelled".', { path: "state" });
  }
  const isNone = Array.isArray(call.messages) && call.messages.length === 0;
  const turn = givenTurn(isNone ? [] : assertStorableMessages(call.messages));
  return {
    call,
    target: targetOf(scope, call),
    runId: checkRunId(scope, call.runId, "runId"),
    input: checkInput(call.input, call.forkFromMessageId),
    messages: state === "committed" ? turn.messages : turn.messages.map(markInterrupted),
    usage: call.usage ?? turn.usage,
    error: state === "failed" ? providerError(call.error ?? "The call failed.") : undefined,
    state,
    aliases: checkAliases(call.alias),
  };
}

interface Written {
  row: RunRow;
  input: StoredMessage[];
  messages: StoredMessage[];
  supersededRunIds: string[];
  /** The thread's newest message. */
  last: MessageHeader | undefined;
}
interface Before {
  before: RunRow;
  inputIds: string[];
}

function* writeCall(scope: Scope, tx: LedgerTransaction, plan: Plan): Steps<Written | Before> {
  const { call, target } = plan;
  const { expectedLeaf, idempotencyKey: name, mode = "replace" } = call;
  const head = yield* enterThread(tx, target);
  const request = name === undefined ? "" : requestHash({ record: asked(plan) });
  const before = name === undefined ? undefined : yield* attach(tx, target.key, name, request);
  if (before !== undefined) return yield* foundBefore(scope, tx, before);
  expectLeaf(head, expectedLeaf);
  const fork = yield* enterFork(scope, tx, head, plan.input, call.forkFromMessageId);
  const { parentId, parent, input } = fork;
  const isKept = plan.state === "committed";
  const replaces = isKept && mode === "replace";
  const oldLeaf = activeLeaf(head);
  const left = replaces && parentId !== oldLeaf ? yield* leaving(tx, target.key, oldLeaf, parentId) : [];
  const runId = yield* nameRun(scope, tx, head, plan.runId);
  const begun = newRow(scope, head.id, runId, call, fork);
  const chain = { parentId, parent, messages: plan.messages, runId, isRest: !isKept };
  const { messages, rows } = yield* writeChain(scope, tx, head, chain);
  const superseded = left.length === 0 ? [] : yield* supersede(tx, left);
  const row = endedRow(scope, begun, plan);
  const outcome = {
    messageIds: messages.map(({ id }) => id),
    ...(isKept && { supersededRunIds: superseded.map(({ id }) => id) }),
  };
  head.lastId = scope.nextId(head.lastId);
  // Generators are entered only where there is something to wait for.
  const ran = tx.insertRun(row);
  if (isPromise(ran)) yield* got(ran);
  const { usage, error } = plan;
  const facts = { ...(usage !== undefined && { usage }), ...(error !== undefined && { error }) };
  const logged = tx.insertLog([runEventRow(scope, head.lastId, row, outcome, facts)]);
  if (isPromise(logged)) yield* got(logged);
  if (superseded.length > 0) yield* logSuperseded(scope, tx, head, superseded);
  yield* moveLeaf(tx, head, replaces ? (messages.at(-1)?.id ?? parentId) : oldLeaf);
  if (plan.aliases.length > 0) yield* putAliases(tx, row, plan.aliases);
  if (name !== undefined) {
    yield* remember(scope, tx, target.key, name, request, { runId, inputIds: input.map(({ id }) => id) });
  }
  const last = rows.at(-1) ?? parent;
  const tail = last?.id === head.newestMessageId ? headerOfRow(last) : undefined;
  return { row, input, messages, supersededRunIds: superseded.map(({ id }) => id), last: tail };
}

/** What a call with the same key must have in common with the first. */
function asked({ call, input, messages, state }: Plan): object {
  const { forkFromMessageId, expectedLeaf, mode = "replace", metadata, usage, error } = call;
  return { forkFromMessageId, expectedLeaf, mode, metadata, usage, error, input, messages, state };
}

/** The run after its end. It has no deltas, and nothing to compact. */
function endedRow(scope: Scope, begun: RunRow, { state, usage, error }: Plan): RunRow {
  const now = scope.now();
  const facts = { usage: column(usage), error: column(error) };
  return { ...begun, state, finishedAt: now, leaseUntil: now, compacted: true, ...facts };
}

function* foundBefore(scope: Scope, tx: LedgerTransaction, result: unknown): Steps<Before> {
  const { runId, inputIds } = isObject(result) ? result : {};
  const id = typeof runId === "string" ? runId : "";
  const row = yield* got(tx.run(scope.tenant, id));
  if (row === undefined) throw unknownRun(id);
  return { before: row, inputIds: Array.isArray(inputIds) ? inputIds.filter((id) => typeof id === "string") : [] };
}

async function recordedBefore(scope: Scope, row: RunRow, inputIds: readonly string[]): Promise<RecordResult> {
  const { tenant, threadId } = row;
  const rows: MessageRow[] = [];
  for (const id of inputIds) {
    const found = await scope.store.reads.message({ tenant, threadId }, id);
    if (found !== undefined) rows.push(found);
  }
  const [input, outcome] = [await readRows(scope, rows), await readOutcome(scope, row)];
  return describe(scope, row, { input, ...outcome, attached: true });
}

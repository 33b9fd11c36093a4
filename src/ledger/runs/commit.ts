// Commits a run: its messages become part of the thread, and in mode "replace" the active path goes on with them. Every
// committed run of which a message thereby leaves the active path is superseded.
import { assignObject } from "../../model/json.ts";
import { expectLeaf } from "../append.ts";
import { insertChain } from "../insert.ts";
import { activeLeaf, moveLeaf } from "../leaf.ts";
import { leaving } from "../paths.ts";
import type { LogRow, MessageHeader, RunRow, ThreadHead } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import type { CommitOptions } from "../types.ts";
import { checkAliases, putAliases } from "./aliases.ts";
import { column, factsOf, threadOf } from "./info.ts";
import { lockRun } from "./locked.ts";
import { runEventRow } from "./log.ts";
import { closeRun, type Finished } from "./outcome.ts";
import { transition } from "./transitions.ts";
import type { Stored } from "./turn.ts";

/** The run after its commit; without an outcome where it was committed before. */
export function* commitRun(
  scope: Scope,
  tx: LedgerTransaction,
  known: RunRow,
  { messages, usage }: Stored,
  { expectedLeaf, metadata, alias }: CommitOptions,
): Steps<Finished> {
  const { head, row, next } = yield* lockRun(tx, known, "commit");
  if (next === "same") return { row };
  expectLeaf(head, expectedLeaf);
  const oldLeaf = activeLeaf(head);
  const parentId = row.forks ? row.forkFromId : oldLeaf;
  const replaces = row.mode === "replace";
  const left = replaces && parentId !== oldLeaf ? yield* leaving(tx, threadOf(row), oldLeaf, parentId) : [];
  const written = yield* insertChain(scope, tx, head, { parentId, messages, runId: row.id });
  const superseded = yield* supersede(tx, left);
  yield* putAliases(tx, row, checkAliases(alias));
  const facts = metadata === undefined ? {} : { metadata: column(assignObject(factsOf(row, scope.report), metadata)) };
  const closed = yield* closeRun(scope, tx, head, row, {
    changes: { state: next, usage: column(usage), ...facts },
    outcome: { messageIds: written.map(({ id }) => id), supersededRunIds: superseded.map(({ id }) => id) },
    messages: written,
    // It had none while it lived.
    facts: usage === undefined ? {} : { usage },
  });
  yield* logSuperseded(scope, tx, head, superseded);
  yield* moveLeaf(tx, head, replaces ? (written.at(-1)?.id ?? parentId) : oldLeaf);
  return closed;
}

/** The runs that are replaced, oldest first. Their states are history: what did not end in a commit stays as it is. */
export function* supersede(tx: LedgerTransaction, left: readonly MessageHeader[]): Steps<RunRow[]> {
  const ids = new Set(left.flatMap(({ runId }) => (runId === null ? [] : [runId])));
  const superseded: RunRow[] = [];
  for (const id of [...ids].sort()) {
    const row = yield* got(tx.run(left[0]?.tenant ?? "", id));
    if (row?.state !== "committed") continue;
    const state = transition(row, "supersede");
    if (state === "same") continue;
    yield* got(tx.updateRun(threadOf(row), id, row.epoch, { state }));
    superseded.push({ ...row, state });
  }
  return superseded;
}

export function* logSuperseded(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  runs: readonly RunRow[],
): Steps<void> {
  if (runs.length === 0) return;
  const rows: LogRow[] = [];
  for (const row of runs) {
    head.lastId = scope.nextId(head.lastId);
    rows.push(runEventRow(scope, head.lastId, row));
  }
  yield* got(tx.insertLog(rows));
}

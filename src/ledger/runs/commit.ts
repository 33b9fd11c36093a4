// Commits a run: its messages become part of the thread, and in mode "replace" they continue the active path. If
// messages of earlier committed runs leave the active path, those runs are superseded.
import { assignObject } from "../../model/json/index.ts";
import { assertExpectedLeaf } from "../messages/append.ts";
import { insertChain } from "../messages/insert-chain.ts";
import { activeLeaf, moveLeaf } from "../messages/active-leaf.ts";
import { findLeavingMessages } from "../messages/paths.ts";
import type { LogRow, MessageHeader, RunRow, ThreadHead } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import type { CommitOptions } from "../types.ts";
import { requireAliases, putAliases } from "./aliases.ts";
import { encodeColumn, readRunMetadata, toThreadKeyOfRun } from "./run-info.ts";
import { lockRun } from "./lock-run.ts";
import { createRunEventRow } from "./log-bodies.ts";
import { closeRun, type EndedRun } from "./run-outcome.ts";
import { requireTransition } from "./transitions.ts";
import type { TurnContent } from "./run-turn.ts";

/** Commits the run and returns it with its outcome; without an outcome if the run was committed before. */
export function* writeCommit(
  scope: LedgerScope,
  tx: LedgerTransaction,
  known: RunRow,
  { messages, usage }: TurnContent,
  { expectedLeaf, metadata, alias }: CommitOptions,
): Steps<EndedRun> {
  const { head, row, next } = yield* lockRun(tx, known, "commit");
  if (next === "same") return { row };
  assertExpectedLeaf(head, expectedLeaf);
  const oldLeaf = activeLeaf(head);
  const parentId = row.forks ? row.forkFromId : oldLeaf;
  const replaces = row.mode === "replace";
  const leaving =
    replaces && parentId !== oldLeaf ? yield* findLeavingMessages(tx, toThreadKeyOfRun(row), oldLeaf, parentId) : [];
  const written = yield* insertChain(scope, tx, head, { parentId, messages, runId: row.id });
  const superseded = yield* supersedeRuns(tx, leaving);
  yield* putAliases(tx, row, requireAliases(alias));
  const merged =
    metadata === undefined
      ? {}
      : { metadata: encodeColumn(assignObject(readRunMetadata(row, scope.report), metadata)) };
  const closed = yield* closeRun(scope, tx, head, row, {
    changes: { state: next, usage: encodeColumn(usage), ...merged },
    outcome: { messageIds: written.map(({ id }) => id), supersededRunIds: superseded.map(({ id }) => id) },
    messages: written,
    // Usage and error of a run are stored only when the run ends, so the row contains no earlier values to add to
    // these.
    facts: usage === undefined ? {} : { usage },
  });
  yield* logSuperseded(scope, tx, head, superseded);
  yield* moveLeaf(tx, head, replaces ? (written.at(-1)?.id ?? parentId) : oldLeaf);
  return closed;
}

/**
 * Marks the committed runs of these messages as superseded, and returns them, oldest first. Failed and cancelled runs
 * are not changed.
 */
export function* supersedeRuns(tx: LedgerTransaction, leaving: readonly MessageHeader[]): Steps<RunRow[]> {
  const ids = new Set(leaving.flatMap(({ runId }) => (runId === null ? [] : [runId])));
  const superseded: RunRow[] = [];
  for (const id of [...ids].sort()) {
    const row = yield* wait(tx.run(leaving[0]?.tenant ?? "", id));
    if (row?.state !== "committed") continue;
    const state = requireTransition(row, "supersede");
    if (state === "same") continue;
    yield* wait(tx.updateRun(toThreadKeyOfRun(row), id, row.epoch, { state }));
    superseded.push({ ...row, state });
  }
  return superseded;
}

export function* logSuperseded(
  scope: LedgerScope,
  tx: LedgerTransaction,
  head: ThreadHead,
  runs: readonly RunRow[],
): Steps<void> {
  if (runs.length === 0) return;
  const rows: LogRow[] = [];
  for (const row of runs) {
    head.lastId = scope.nextId(head.lastId);
    rows.push(createRunEventRow(scope, head.lastId, row));
  }
  yield* wait(tx.insertLog(rows));
}

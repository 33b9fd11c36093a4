// Ends the runs whose writers are gone. What they had streamed is kept as an interrupted turn (B90).
import type { ProviderError, StoredMessage } from "../../model/index.ts";
import type { RunRow } from "../rows.ts";
import { type Scope, scopeFor } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import type { RecoveredRun } from "../types.ts";
import { savePartial } from "./end.ts";
import { providerOf, threadOf } from "./info.ts";
import type { Finished } from "./outcome.ts";
import { replay, reportDamage, reportLeft, type Replayed } from "./replay.ts";
import { transition } from "./transitions.ts";
import type { Stored } from "./turn.ts";

const RUNS = 64;

const WRITER_LOST: ProviderError = { kind: "truncated", message: "writer lost" };

/**
 * Each run is recovered by one caller, however many call at once. One that cannot be is reported and keeps none of the
 * others; where none can be, that is an error.
 */
export async function recover(
  whole: Scope,
  { everyTenant = false }: { everyTenant?: boolean | undefined } = {},
): Promise<RecoveredRun[]> {
  const recovered: RecoveredRun[] = [];
  let failure: { error: unknown } | undefined;
  const seen = new Set<string>();
  for (;;) {
    // Those that cannot be recovered stay expired, and must not hide the others.
    const limit = RUNS + seen.size;
    const expired = await whole.store.reads.expiredRuns(whole.now(), limit, everyTenant ? undefined : whole.tenant);
    const fresh = expired.filter((run) => !seen.has(nameOf(run)));
    if (fresh.length === 0) break;
    for (const run of fresh) {
      const { tenant, threadId, id: runId } = run;
      seen.add(nameOf(run));
      const scope = scopeFor(whole, tenant);
      try {
        const messages = await recoverRun(scope, run);
        if (messages !== undefined) recovered.push({ tenant, runId, threadId, messages });
      } catch (error) {
        failure ??= { error };
        const reason = `The run could not be recovered: ${error instanceof Error ? error.message : String(error)}`;
        scope.report({ threadId, messageId: runId, reason });
      }
    }
  }
  if (failure !== undefined && recovered.length === 0) throw failure.error;
  return recovered;
}

function nameOf({ tenant, id }: RunRow): string {
  return JSON.stringify([tenant, id]);
}

/** What was saved; undefined where there was nothing left to do. */
async function recoverRun(scope: Scope, run: RunRow): Promise<StoredMessage[] | undefined> {
  const saved = await scope.store.write((tx) => salvage(scope, tx, run));
  if (saved === undefined) return undefined;
  reportDamage(scope, run, saved.replayed);
  reportLeft(scope, run, saved.partial);
  return saved.finished.outcome?.messages ?? [];
}

interface Salvaged {
  finished: Finished;
  replayed: Replayed;
  partial: Stored;
}

/** One transaction; undefined where there is nothing left to do. */
function* salvage(scope: Scope, tx: LedgerTransaction, expired: RunRow): Steps<Salvaged | undefined> {
  const head = yield* got(tx.lockThread(threadOf(expired)));
  const row = yield* got(tx.run(expired.tenant, expired.id));
  // Meanwhile the writer may have been heard of, or another one may have come.
  if (head === undefined || row === undefined || row.leaseUntil >= scope.now()) return undefined;
  const state = transition(row, "recover");
  if (state === "same") return undefined;
  const replayed = yield* replay(tx, row);
  const partial = replayed.turn.interrupted(providerOf(row, scope.report));
  const end = { state, partial, error: WRITER_LOST, epoch: row.epoch + 1 };
  const finished = yield* savePartial(scope, tx, { head, row }, end);
  return { finished, replayed, partial };
}

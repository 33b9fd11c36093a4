// Ends the runs whose writers are gone. What they had streamed is kept as an interrupted turn (B90).
import type { ProviderError } from "../../model/index.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import type { Recovered } from "../types.ts";
import { savePartial } from "./end.ts";
import { providerOf, threadOf } from "./info.ts";
import type { Finished } from "./outcome.ts";
import { replay, reportDamage, type Replayed } from "./replay.ts";
import { transition } from "./transitions.ts";

const RUNS = 64;

const WRITER_LOST: ProviderError = { kind: "truncated", message: "writer lost" };

/** Each run is recovered by one caller, however many call at once. */
export async function recover(scope: Scope): Promise<Recovered[]> {
  const recovered: Recovered[] = [];
  const seen = new Set<string>();
  for (;;) {
    // Those that cannot be recovered stay expired, and must not hide the others.
    const expired = await scope.store.reads.expiredRuns(scope.now(), RUNS + seen.size, scope.tenant);
    const fresh = expired.filter(({ id }) => !seen.has(id));
    if (fresh.length === 0) return recovered;
    for (const run of fresh) {
      seen.add(run.id);
      const saved = await scope.store.write((tx) => salvage(scope, tx, run));
      if (saved === undefined) continue;
      reportDamage(scope, run, saved.replayed);
      recovered.push({ runId: run.id, threadId: run.threadId, messages: saved.finished.outcome?.messages ?? [] });
    }
  }
}

interface Salvaged {
  finished: Finished;
  replayed: Replayed;
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
  const finished = yield* savePartial(
    scope,
    tx,
    { head, row },
    {
      state,
      partial: replayed.turn.interrupted(providerOf(row, scope.report)),
      error: WRITER_LOST,
      epoch: row.epoch + 1,
    },
  );
  return { finished, replayed };
}

// Checks all rows of a database against the logs of its writers. Remembers earlier checks, so that rows that were once
// read must stay.
import type { StoredMessage } from "../../../../src/model/index.ts";
import { checkFaults, checkResults } from "./check-results.ts";
import type { Recoveries } from "./effects.ts";
import type { DatabaseRows } from "./database-rows.ts";
import { type Attempt, type WriterHistory, isOperationKind, readOutcome } from "./writer-history.ts";
import type { Findings } from "./invariants.ts";
import { isLive, ThreadModel } from "./thread-model.ts";
import { checkThread } from "./check-thread.ts";
import { groupByThread, addNewMessages } from "./thread-rows.ts";

export interface CheckOptions {
  history: WriterHistory;
  facts: DatabaseRows;
  /** The messages of a thread as the ledger reads them, with restored blobs. */
  read: (threadId: string) => Promise<readonly StoredMessage[]>;
  findings: Findings;
  /** True after the leases of all writers have ended and `recover` was called. */
  recovered?: boolean;
  /** True if the database server was stopped meanwhile. */
  outage?: boolean;
}

export class Checker {
  readonly #threads = new Map<string, ThreadModel>();
  /** The attempts before this index were checked. */
  #settled = 0;

  async check(look: CheckOptions): Promise<void> {
    const { history, facts, findings } = look;
    checkEngine(facts, findings);
    const recent = history.attempts.slice(this.#settled);
    const recoveries = findRecoveries(recent, look.recovered === true);
    const factsOf = groupByThread(facts);
    const names = new Set([
      ...this.#threads.keys(),
      ...facts.threads.map(({ id }) => id),
      ...facts.messages.map(({ threadId }) => threadId),
      ...recent.flatMap(({ what }) => ("threadId" in what ? [what.threadId] : [])),
    ]);
    for (const id of names) {
      const model = this.#threads.get(id) ?? new ThreadModel(id);
      this.#threads.set(id, model);
      const rows = factsOf(id);
      const attempts = history.inThread(id).filter(({ at }) => at >= this.#settled);
      const made = history.inThread(id).some((it) => isOperationKind(it, "create") && readOutcome(it) === "done");
      findings.expect("stored", !made || rows.thread !== undefined, id, () => "the thread is lost");
      const fresh = await this.#fresh(model, [...rows.messages.keys()], look);
      checkThread({ model, attempts, facts: addNewMessages(rows, fresh), findings, recoveries });
    }
    checkFaults(recent, this.#threads, look);
    checkResults(recent, facts, findings);
    if (look.recovered === true) this.#checkRecovered(look);
    this.#settled = history.attempts.length;
  }

  /** Reads the new messages through the ledger; most checks have few. */
  async #fresh(
    model: ThreadModel,
    ids: readonly string[],
    { read }: CheckOptions,
  ): Promise<Map<string, StoredMessage>> {
    const unseen = new Set(ids.filter((id) => model.messages.get(id)?.body === undefined));
    if (unseen.size === 0) return new Map();
    const messages = await read(model.id);
    return new Map(messages.filter(({ id }) => unseen.has(id)).map((message) => [message.id, message]));
  }

  #checkRecovered({ findings }: CheckOptions): void {
    for (const { runs } of this.#threads.values()) {
      for (const run of runs.values()) {
        findings.expect("recovered", !isLive(run), run.id, () => `is still ${run.state} after its lease`);
      }
    }
  }
}

function findRecoveries(attempts: readonly Attempt[], outside: boolean): Recoveries {
  const tried = attempts.filter((attempt) => isOperationKind(attempt, "recover") && readOutcome(attempt) !== "refused");
  const reported = tried.flatMap((attempt) =>
    (attempt.result?.recovered ?? []).map(({ runId, written }) => [runId, { attempt, written }] as const),
  );
  return { possible: outside || tried.length > 0, reported: new Map(reported) };
}

function checkEngine({ damage, quarantined, blobs, blobRefs, messages }: DatabaseRows, findings: Findings): void {
  findings.expect("intact", damage.length === 0, "database", () => damage.join("; "));
  findings.expect("readable", quarantined.length === 0, "database", () => JSON.stringify(quarantined).slice(0, 300));
  const sizes = new Map(blobs.map((blob) => [blob.hash, blob]));
  for (const { hash, size, stored } of blobs) {
    findings.expect("blobs", size === stored, hash, () => `should have ${size} bytes, has ${stored}`);
  }
  const there = new Set(messages.map(({ id }) => id));
  for (const { hash, messageId } of blobRefs) {
    findings.expect(
      "blobs",
      sizes.has(hash) && there.has(messageId),
      messageId,
      () => `holds ${hash}; one of both is lost`,
    );
  }
}

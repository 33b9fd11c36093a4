// Holds everything that lies in a database against everything that its writers said. It remembers from check to check, so
// that what was once seen must stay.
import type { StoredMessage } from "../../../src/model/index.ts";
import { checkFaults, checkResults } from "./answer-check.ts";
import type { Recoveries } from "./effects.ts";
import type { Facts } from "./facts.ts";
import { type Attempt, type History, isKind, outcomeOf } from "./history.ts";
import type { Findings } from "./invariants.ts";
import { isLive, ThreadModel } from "./model.ts";
import { checkThread } from "./thread-check.ts";
import { byThread, withFresh } from "./thread-facts.ts";

export interface Look {
  history: History;
  facts: Facts;
  /** What the ledger reads of a thread: its messages, large contents put back. */
  read: (threadId: string) => Promise<readonly StoredMessage[]>;
  findings: Findings;
  /** Set after the leases of all writers are over and `recover` has been called. */
  recovered?: boolean;
  /** Whether the database itself was stopped meanwhile. */
  outage?: boolean;
}

export class Checker {
  readonly #threads = new Map<string, ThreadModel>();
  /** Attempts before this one were looked at. */
  #settled = 0;

  async check(look: Look): Promise<void> {
    const { history, facts, findings } = look;
    checkEngine(facts, findings);
    const recent = history.attempts.slice(this.#settled);
    const recoveries = recoveriesIn(recent, look.recovered === true);
    const factsOf = byThread(facts);
    const names = new Set([
      ...this.#threads.keys(),
      ...facts.threads.map(({ id }) => id),
      ...facts.messages.map(({ threadId }) => threadId),
      ...recent.flatMap(({ what }) => ("threadId" in what ? [what.threadId] : [])),
    ]);
    for (const id of names) {
      const model = this.#threads.get(id) ?? new ThreadModel(id);
      this.#threads.set(id, model);
      const found = factsOf(id);
      const attempts = history.inThread(id).filter(({ at }) => at >= this.#settled);
      const made = history.inThread(id).some((it) => isKind(it, "create") && outcomeOf(it) === "done");
      findings.expect("kept", !made || found.thread !== undefined, id, () => "the thread is lost");
      const fresh = await this.#fresh(model, [...found.messages.keys()], look);
      checkThread({ model, attempts, facts: withFresh(found, fresh), findings, recoveries });
    }
    checkFaults(recent, this.#threads, look);
    checkResults(recent, facts, findings);
    if (look.recovered === true) this.#checkRecovered(look);
    this.#settled = history.attempts.length;
  }

  /** Messages that were not there before, as the ledger reads them; most checks find few. */
  async #fresh(model: ThreadModel, ids: readonly string[], { read }: Look): Promise<Map<string, StoredMessage>> {
    const unseen = new Set(ids.filter((id) => model.messages.get(id)?.body === undefined));
    if (unseen.size === 0) return new Map();
    const messages = await read(model.id);
    return new Map(messages.filter(({ id }) => unseen.has(id)).map((message) => [message.id, message]));
  }

  #checkRecovered({ findings }: Look): void {
    for (const { runs } of this.#threads.values()) {
      for (const run of runs.values()) {
        findings.expect("recovered", !isLive(run), run.id, () => `is still ${run.state} after its lease`);
      }
    }
  }
}

function recoveriesIn(attempts: readonly Attempt[], outside: boolean): Recoveries {
  const tried = attempts.filter((attempt) => isKind(attempt, "recover") && outcomeOf(attempt) !== "refused");
  const told = tried.flatMap((attempt) =>
    (attempt.result?.recovered ?? []).map(({ runId, written }) => [runId, { attempt, written }] as const),
  );
  return { possible: outside || tried.length > 0, told: new Map(told) };
}

function checkEngine({ damage, quarantined, blobs, blobRefs, messages }: Facts, findings: Findings): void {
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

// Checks the results and errors that callers received, also those that no thread shows.
import { createHash } from "node:crypto";
import type { CheckOptions } from "./checker.ts";
import type { DatabaseRows } from "./database-rows.ts";
import { type Attempt, isOperationKind, readOutcome } from "./writer-history.ts";
import type { Findings } from "./invariants.ts";
import type { ThreadModel } from "./thread-model.ts";
import { SeededRandom } from "../campaign/seeded-random.ts";

type Threads = ReadonlyMap<string, ThreadModel>;

export function checkFaults(attempts: readonly Attempt[], threads: Threads, { findings, outage }: CheckOptions): void {
  for (const attempt of attempts) {
    if (isOperationKind(attempt, "misuse")) {
      findings.expect("once", attempt.result === undefined, attempt.name, () => `took the key of another operation`);
    }
    const { fault } = attempt;
    if (fault === undefined) continue;
    const allowed = (fault.code === "unavailable" && outage === true) || isExpected(attempt, threads, fault.code);
    findings.expect(
      "errors",
      allowed,
      `${attempt.name} (${attempt.what.kind})`,
      () => `${fault.code}: ${fault.message}`,
    );
  }
}

function isExpected(attempt: Attempt, threads: Threads, code: string): boolean {
  const { what } = attempt;
  if (code === "conflict" && (what.kind === "create" || what.kind === "misuse")) return true;
  const model = "threadId" in what ? threads.get(what.threadId) : undefined;
  if (isOperationKind(attempt, "append") && code === "conflict") return attempt.what.expectedLeaf !== undefined;
  if (isOperationKind(attempt, "append") && code === "unknown-message") {
    // Retried with its key after its messages were purged.
    return model?.written.get(attempt.name)?.some(([id]) => !model.messages.has(id)) === true;
  }
  if (isOperationKind(attempt, "begin") && code === "unknown-run")
    return !model?.runs.has(model.begun.get(attempt.name) ?? "");
  if (!("runId" in what)) return false;
  // The run was taken over: another ledger must have ended it, and may have purged it since.
  const run = model?.runs.get(what.runId);
  if (run === undefined) return code === "fenced" || code === "unknown-run";
  return run.state === "failed" && ["fenced", "conflict", "illegal-transition"].includes(code);
}

export function checkResults(attempts: readonly Attempt[], facts: DatabaseRows, findings: Findings): void {
  const blobs = new Map(facts.blobs.map((blob) => [blob.hash, blob]));
  for (const attempt of attempts) {
    if (readOutcome(attempt) !== "done") continue;
    const match = attempt.result?.threadMatch;
    if (match !== undefined && match.sent > 0) {
      const { sent, known, leaf, wanted, threadId } = match;
      const right =
        known === sent &&
        leaf === wanted &&
        isOperationKind(attempt, "findThread") &&
        threadId === attempt.what.threadId;
      findings.expect("stored", right, attempt.name, () => `a known history was not matched: ${JSON.stringify(match)}`);
    }
    if (!isOperationKind(attempt, "blob")) continue;
    const { seed, size } = attempt.what;
    const hash = `sha256-${hashContent(seed, size)}`;
    findings.expect(
      "stored",
      blobs.get(hash)?.size === size,
      attempt.name,
      () => `its blob ${attempt.result?.blob} is lost`,
    );
  }
}

function hashContent(seed: number, size: number): string {
  const random = new SeededRandom(seed);
  const bytes = Uint8Array.from({ length: size }, () => random.below(256));
  return createHash("sha256").update(bytes).digest("hex");
}

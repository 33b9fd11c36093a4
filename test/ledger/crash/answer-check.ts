// Holds what callers were told against what they may be told: errors, and results that no thread shows.
import { createHash } from "node:crypto";
import type { Look } from "./checker.ts";
import type { Facts } from "./facts.ts";
import { type Attempt, isKind, outcomeOf } from "./history.ts";
import type { Findings } from "./invariants.ts";
import type { ThreadModel } from "./model.ts";
import { Seeded } from "./seeded.ts";

type Threads = ReadonlyMap<string, ThreadModel>;

export function checkFaults(attempts: readonly Attempt[], threads: Threads, { findings, outage }: Look): void {
  for (const attempt of attempts) {
    if (isKind(attempt, "misuse")) {
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
  if (isKind(attempt, "append") && code === "conflict") return attempt.what.expectedLeaf !== undefined;
  if (isKind(attempt, "append") && code === "unknown-message") {
    // Tried again with its key, after what it wrote was purged.
    return model?.written.get(attempt.name)?.some(([id]) => !model.messages.has(id)) === true;
  }
  if (isKind(attempt, "begin") && code === "unknown-run") return !model?.runs.has(model.begun.get(attempt.name) ?? "");
  if (!("runId" in what)) return false;
  // The run was taken from its writer: somebody else must have ended it, and may have purged it since.
  const run = model?.runs.get(what.runId);
  if (run === undefined) return code === "fenced" || code === "unknown-run";
  return run.state === "failed" && ["fenced", "conflict", "illegal-transition"].includes(code);
}

export function checkResults(attempts: readonly Attempt[], facts: Facts, findings: Findings): void {
  const blobs = new Map(facts.blobs.map((blob) => [blob.hash, blob]));
  for (const attempt of attempts) {
    if (outcomeOf(attempt) !== "done") continue;
    const recognised = attempt.result?.recognised;
    if (recognised !== undefined && recognised.sent > 0) {
      const { sent, known, leaf, wanted, threadId } = recognised;
      const right =
        known === sent && leaf === wanted && isKind(attempt, "recognise") && threadId === attempt.what.threadId;
      findings.expect(
        "kept",
        right,
        attempt.name,
        () => `a known history was not recognised: ${JSON.stringify(recognised)}`,
      );
    }
    if (!isKind(attempt, "blob")) continue;
    const { seed, size } = attempt.what;
    const hash = `sha256-${hashOf(seed, size)}`;
    findings.expect(
      "kept",
      blobs.get(hash)?.size === size,
      attempt.name,
      () => `its blob ${attempt.result?.blob} is lost`,
    );
  }
}

function hashOf(seed: number, size: number): string {
  const random = new Seeded(seed);
  const bytes = Uint8Array.from({ length: size }, () => random.below(256));
  return createHash("sha256").update(bytes).digest("hex");
}

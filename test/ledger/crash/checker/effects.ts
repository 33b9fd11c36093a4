// The effects of the operations on a thread since the last check: of acknowledged ones by their results, of others by
// the rows. In the order in which they took place.
import type { Message } from "../../../../src/model/index.ts";
import { toCommittedMessages, toMessage, toPartialMessages, createRunScript } from "../writer/content.ts";
import { type Attempt, type AttemptOf, isOperationKind, readOutcome } from "./writer-history.ts";
import type { Findings } from "./invariants.ts";
import { readThreadKind, type WrittenMessage } from "../writer/writer-log.ts";
import { isLive, type ModelRun, type ThreadModel } from "./thread-model.ts";
import { type ThreadRows, toWritten } from "./thread-rows.ts";

export type Effect =
  | { kind: "append"; attempt: AttemptOf<"append">; written: readonly WrittenMessage[]; content: readonly Message[] }
  | {
      kind: "commit";
      attempt: AttemptOf<"commit">;
      run: ModelRun;
      written: readonly WrittenMessage[];
      content: readonly Message[];
    }
  | {
      kind: "partial";
      attempt: Attempt | undefined;
      run: ModelRun;
      written: readonly WrittenMessage[];
      content: readonly Message[];
    }
  | { kind: "select"; attempt: AttemptOf<"select">; certain: boolean }
  | { kind: "observe"; attempt: AttemptOf<"observe">; leaf: string | null }
  | { kind: "purge"; attempt: AttemptOf<"purge">; certain: boolean };

export interface Recoveries {
  /** True if any ledger called `recover`. */
  possible: boolean;
  /** The reported runs. */
  reported: ReadonlyMap<string, { attempt: Attempt; written: readonly WrittenMessage[] }>;
}

/** One check of one thread. */
export interface ThreadCheck {
  model: ThreadModel;
  /** The attempts in the thread since the last check. */
  attempts: readonly Attempt[];
  facts: ThreadRows;
  findings: Findings;
  /** The runs that were recovered since then because their lease had ended. */
  recoveries: Recoveries;
}

/** Adds the begun runs and appended deltas to the model. */
export function addRuns({ model, attempts, facts, findings }: ThreadCheck): void {
  for (const attempt of attempts) {
    const outcome = readOutcome(attempt);
    if (isOperationKind(attempt, "begin")) {
      const known = model.begun.get(attempt.name);
      const rows = [...facts.runs.values()].find(({ metadata }) => metadata?.includes(`"${attempt.name}"`));
      const id = attempt.result?.runId ?? known ?? rows?.id;
      findings.expect(
        "once",
        known === undefined || known === id,
        attempt.name,
        () => `was run ${known}, is now run ${id}`,
      );
      if (known !== undefined || id === undefined || outcome === "refused") continue;
      findings.expect("once", !model.given.has(id), attempt.name, () => `its run's id ${id} was given before`);
      model.given.add(id);
      model.begun.set(attempt.name, id);
      model.runs.set(id, toModelRun(attempt, id));
    } else if (isOperationKind(attempt, "deltas")) {
      const run = model.runs.get(attempt.what.runId);
      if (outcome === "done") run?.possible.clear();
      if (run !== undefined && outcome === "done") run.acknowledged = attempt.what.to;
      if (outcome === "maybe") run?.possible.add(attempt.what.to);
    }
  }
}

function toModelRun({ name, what }: AttemptOf<"begin">, id: string): ModelRun {
  return {
    id,
    name,
    fork: what.fork,
    mode: what.mode,
    script: createRunScript(what.script),
    state: "created",
    acknowledged: 0,
    possible: new Set(),
    epoch: 0,
    compacted: false,
  };
}

export function findEffects(check: ThreadCheck): Effect[] {
  const { model, attempts } = check;
  const effects: Effect[] = [...findEndEffects(check)];
  for (const attempt of attempts) {
    const outcome = readOutcome(attempt);
    if (isOperationKind(attempt, "append")) effects.push(...findAppendEffect(check, attempt));
    if (outcome === "refused" || readThreadKind(model.id) !== "own") continue;
    if (isOperationKind(attempt, "select")) effects.push({ kind: "select", attempt, certain: outcome === "done" });
    if (isOperationKind(attempt, "purge")) effects.push({ kind: "purge", attempt, certain: outcome === "done" });
    if (isOperationKind(attempt, "observe") && outcome === "done") {
      effects.push({ kind: "observe", attempt, leaf: attempt.result?.leaf ?? null });
    }
  }
  return sortEffects(model, effects);
}

/**
 * With one writer: in the order of the attempts. With several: by id, because ids of a thread grow with every commit.
 */
function sortEffects(model: ThreadModel, effects: Effect[]): Effect[] {
  const own = readThreadKind(model.id) === "own";
  const position = (effect: Effect): number => effect.attempt?.at ?? Number.MAX_SAFE_INTEGER;
  const firstId = (effect: Effect): string => ("written" in effect ? (effect.written[0]?.[0] ?? "") : "");
  return effects.sort((a, b) => (own ? position(a) - position(b) : firstId(a) < firstId(b) ? -1 : 1));
}

function findAppendEffect(check: ThreadCheck, attempt: AttemptOf<"append">): Effect[] {
  const { model, facts, findings } = check;
  const { name, what, result } = attempt;
  const before = model.written.get(name);
  if (before !== undefined) {
    const same = result?.written === undefined || JSON.stringify(result.written) === JSON.stringify(before);
    findings.expect(
      "once",
      same,
      name,
      () => `wrote ${JSON.stringify(before)}, then ${JSON.stringify(result?.written)}`,
    );
    return [];
  }
  const newRows = facts.tagged.get(name);
  const positions = what.drafts.map((_, position) => newRows?.get(position) ?? []);
  findings.expect(
    "once",
    positions.every((rows) => rows.length <= 1),
    name,
    () => `is there ${count(positions)} times`,
  );
  const rows = positions.flatMap((list) => list.slice(0, 1));
  const all = rows.length === what.drafts.length;
  findings.expect("whole", all || rows.length === 0 || result !== undefined, name, () => {
    return `${rows.length} of its ${what.drafts.length} messages are there`;
  });
  const written = result?.written ?? (all && readOutcome(attempt) === "maybe" ? toWritten(rows) : undefined);
  if (written === undefined) return [];
  model.written.set(name, written);
  return [{ kind: "append", attempt, written, content: what.drafts.map(toMessage) }];
}

const count = (positions: readonly (readonly unknown[])[]): number => Math.max(...positions.map((rows) => rows.length));

/** Returns the ends of the runs that were live at the last check or began since. */
function findEndEffects(check: ThreadCheck): Effect[] {
  const { model, attempts } = check;
  const ends = attempts.filter((attempt) => isOperationKind(attempt, "commit", "fail", "cancel"));
  return [...model.runs.values()].filter(isLive).flatMap((run) => {
    const own = ends.filter(({ what }) => what.runId === run.id);
    const done = own.find((attempt) => readOutcome(attempt) === "done");
    if (done !== undefined) return [toEndEffect(check, run, done)];
    // A reported recovery has ended the run, so a later end without a response had no effect.
    if (check.recoveries.reported.has(run.id)) return findRecoveryEffect(check, run);
    const end = own.find((attempt) => hasEnded(check, attempt));
    if (end !== undefined) return [toEndEffect(check, run, end)];
    return check.recoveries.possible ? findRecoveryEffect(check, run) : [];
  });
}

/** Returns the end of a run with an expired lease, by another ledger. */
function findRecoveryEffect(check: ThreadCheck, run: ModelRun): Effect[] {
  const reported = check.recoveries.reported.get(run.id);
  const fact = check.facts.runs.get(run.id);
  if (reported === undefined && fact?.state !== "failed") return [];
  const length = fact === undefined ? run.acknowledged : fact.lastSeq + 1;
  const salvaged = partial(check, run, length);
  return [{ kind: "partial", attempt: reported?.attempt, ...salvaged, written: reported?.written ?? salvaged.written }];
}

const STATES = { commit: ["committed", "superseded"], fail: ["failed"], cancel: ["cancelled"] } as const;

/** True if an end without a response took place. */
function hasEnded({ facts }: ThreadCheck, attempt: AttemptOf<"commit" | "fail" | "cancel">): boolean {
  const state = facts.runs.get(attempt.what.runId)?.state;
  const endStates: readonly string[] = STATES[attempt.what.kind];
  return readOutcome(attempt) === "maybe" && state !== undefined && endStates.includes(state);
}

function toEndEffect(check: ThreadCheck, run: ModelRun, attempt: AttemptOf<"commit" | "fail" | "cancel">): Effect {
  if (!isOperationKind(attempt, "commit")) {
    const salvaged = partial(check, run, run.acknowledged);
    return { kind: "partial", attempt, ...salvaged, written: attempt.result?.written ?? salvaged.written };
  }
  const written = attempt.result?.written ?? toWritten(check.facts.byRun.get(run.id) ?? []);
  const content = attempt.what.drafts?.map(toMessage) ?? toCommittedMessages(run.script, run.acknowledged);
  return { kind: "commit", attempt, run, written, content };
}

function partial(
  check: ThreadCheck,
  run: ModelRun,
  length: number,
): Omit<Extract<Effect, { kind: "partial" }>, "kind" | "attempt"> {
  return {
    run,
    written: toWritten(check.facts.byRun.get(run.id) ?? []),
    content: toPartialMessages(run.script, length),
  };
}

// What the operations on a thread since the last check must have done to it: acknowledged ones by what they were told,
// the others by what is there. In the order in which they took place.
import type { Message } from "../../../src/model/index.ts";
import { committedBy, messageOf, partialOf, scriptOf } from "./content.ts";
import { type Attempt, type AttemptOf, isKind, outcomeOf } from "./history.ts";
import type { Findings } from "./invariants.ts";
import { threadKind, type Written } from "./journal.ts";
import { isLive, type ModelRun, type ThreadModel } from "./model.ts";
import { type ThreadFacts, writtenOf } from "./thread-facts.ts";

export type Effect =
  | { kind: "append"; attempt: AttemptOf<"append">; written: readonly Written[]; content: readonly Message[] }
  | {
      kind: "commit";
      attempt: AttemptOf<"commit">;
      run: ModelRun;
      written: readonly Written[];
      content: readonly Message[];
    }
  | {
      kind: "partial";
      attempt: Attempt | undefined;
      run: ModelRun;
      written: readonly Written[];
      content: readonly Message[];
    }
  | { kind: "select"; attempt: AttemptOf<"select">; certain: boolean }
  | { kind: "observe"; attempt: AttemptOf<"observe">; leaf: string | null }
  | { kind: "purge"; attempt: AttemptOf<"purge">; certain: boolean };

export interface Recoveries {
  /** Whether anybody tried. */
  possible: boolean;
  /** What was told of it. */
  told: ReadonlyMap<string, { attempt: Attempt; written: readonly Written[] }>;
}

/** One check of one thread. */
export interface ThreadCheck {
  model: ThreadModel;
  /** What was tried in the thread since the last check. */
  attempts: readonly Attempt[];
  facts: ThreadFacts;
  findings: Findings;
  /** Runs that somebody ended since then because their lease was over. */
  recoveries: Recoveries;
}

/** Takes the runs that were begun and the deltas that were given into the model. */
export function takeRuns({ model, attempts, facts, findings }: ThreadCheck): void {
  for (const attempt of attempts) {
    const outcome = outcomeOf(attempt);
    if (isKind(attempt, "begin")) {
      const known = model.begun.get(attempt.name);
      const found = [...facts.runs.values()].find(({ metadata }) => metadata?.includes(`"${attempt.name}"`));
      const id = attempt.result?.runId ?? known ?? found?.id;
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
      model.runs.set(id, begun(attempt, id));
    } else if (isKind(attempt, "deltas")) {
      const run = model.runs.get(attempt.what.runId);
      if (outcome === "done") run?.possible.clear();
      if (run !== undefined && outcome === "done") run.acknowledged = attempt.what.to;
      if (outcome === "maybe") run?.possible.add(attempt.what.to);
    }
  }
}

function begun({ name, what }: AttemptOf<"begin">, id: string): ModelRun {
  return {
    id,
    name,
    fork: what.fork,
    mode: what.mode,
    script: scriptOf(what.script),
    state: "created",
    acknowledged: 0,
    possible: new Set(),
    epoch: 0,
    compacted: false,
  };
}

export function effectsOf(check: ThreadCheck): Effect[] {
  const { model, attempts } = check;
  const effects: Effect[] = [...endsOf(check)];
  for (const attempt of attempts) {
    const outcome = outcomeOf(attempt);
    if (isKind(attempt, "append")) effects.push(...appendOf(check, attempt));
    if (outcome === "refused" || threadKind(model.id) !== "own") continue;
    if (isKind(attempt, "select")) effects.push({ kind: "select", attempt, certain: outcome === "done" });
    if (isKind(attempt, "purge")) effects.push({ kind: "purge", attempt, certain: outcome === "done" });
    if (isKind(attempt, "observe") && outcome === "done") {
      effects.push({ kind: "observe", attempt, leaf: attempt.result?.leaf ?? null });
    }
  }
  return inOrder(model, effects);
}

/** One writer: as it did them. Several: by id, since ids of a thread grow with every commit. */
function inOrder(model: ThreadModel, effects: Effect[]): Effect[] {
  const own = threadKind(model.id) === "own";
  const place = (effect: Effect): number => effect.attempt?.at ?? Number.MAX_SAFE_INTEGER;
  const firstId = (effect: Effect): string => ("written" in effect ? (effect.written[0]?.[0] ?? "") : "");
  return effects.sort((a, b) => (own ? place(a) - place(b) : firstId(a) < firstId(b) ? -1 : 1));
}

function appendOf(check: ThreadCheck, attempt: AttemptOf<"append">): Effect[] {
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
  const found = facts.tagged.get(name);
  const positions = what.drafts.map((_, position) => found?.get(position) ?? []);
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
  const written = result?.written ?? (all && outcomeOf(attempt) === "maybe" ? writtenOf(rows) : undefined);
  if (written === undefined) return [];
  model.written.set(name, written);
  return [{ kind: "append", attempt, written, content: what.drafts.map(messageOf) }];
}

const count = (positions: readonly (readonly unknown[])[]): number => Math.max(...positions.map((rows) => rows.length));

/** How the runs ended that lived at the last check or were begun since. */
function endsOf(check: ThreadCheck): Effect[] {
  const { model, attempts } = check;
  const ends = attempts.filter((attempt) => isKind(attempt, "commit", "fail", "cancel"));
  return [...model.runs.values()].filter(isLive).flatMap((run) => {
    const own = ends.filter(({ what }) => what.runId === run.id);
    const end = own.find((attempt) => outcomeOf(attempt) === "done") ?? own.find((attempt) => ended(check, attempt));
    if (end !== undefined) return [endOf(check, run, end)];
    return check.recoveries.possible ? recoveryOf(check, run) : [];
  });
}

/** The end of a run whose lease was over, by somebody who is not its writer. */
function recoveryOf(check: ThreadCheck, run: ModelRun): Effect[] {
  const told = check.recoveries.told.get(run.id);
  const fact = check.facts.runs.get(run.id);
  if (told === undefined && fact?.state !== "failed") return [];
  const length = fact === undefined ? run.acknowledged : fact.lastSeq + 1;
  const salvaged = partial(check, run, length);
  return [{ kind: "partial", attempt: told?.attempt, ...salvaged, written: told?.written ?? salvaged.written }];
}

const STATES = { commit: ["committed", "superseded"], fail: ["failed"], cancel: ["cancelled"] } as const;

/** Whether an end that nobody answered for took place. */
function ended({ facts }: ThreadCheck, attempt: AttemptOf<"commit" | "fail" | "cancel">): boolean {
  const state = facts.runs.get(attempt.what.runId)?.state;
  const wanted: readonly string[] = STATES[attempt.what.kind];
  return outcomeOf(attempt) === "maybe" && state !== undefined && wanted.includes(state);
}

function endOf(check: ThreadCheck, run: ModelRun, attempt: AttemptOf<"commit" | "fail" | "cancel">): Effect {
  if (!isKind(attempt, "commit")) {
    const salvaged = partial(check, run, run.acknowledged);
    return { kind: "partial", attempt, ...salvaged, written: attempt.result?.written ?? salvaged.written };
  }
  const written = attempt.result?.written ?? writtenOf(check.facts.byRun.get(run.id) ?? []);
  const content = attempt.what.drafts?.map(messageOf) ?? committedBy(run.script, run.acknowledged);
  return { kind: "commit", attempt, run, written, content };
}

function partial(
  check: ThreadCheck,
  run: ModelRun,
  length: number,
): Omit<Extract<Effect, { kind: "partial" }>, "kind" | "attempt"> {
  return { run, written: writtenOf(check.facts.byRun.get(run.id) ?? []), content: partialOf(run.script, length) };
}

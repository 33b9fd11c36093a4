// Checks the runs of one thread and their deltas against the model.
import { type RunState } from "../../../../src/ledger/store/rows.ts";
import { sameJson } from "../../../../src/model/index.ts";
import type { ThreadCheck } from "./effects.ts";
import type { LogDatabaseRow, RunDatabaseRow } from "./database-rows.ts";
import { isLive, type ModelRun } from "./thread-model.ts";

/** The allowed next states, independent of the implementation. */
const NEXT: Readonly<Record<RunState, readonly RunState[]>> = {
  created: ["streaming", "committed", "failed", "cancelled"],
  streaming: ["committed", "failed", "cancelled"],
  committed: ["superseded"],
  failed: [],
  cancelled: [],
  superseded: [],
};

export function checkRuns(check: ThreadCheck): void {
  const { model, facts, findings } = check;
  for (const run of model.runs.values()) {
    const fact = facts.runs.get(run.id);
    findings.expect("stored", fact !== undefined, run.id, () => `the run that ${run.name} began is lost`);
    if (fact === undefined) continue;
    checkRun(check, run, fact);
    checkStates(check, fact, facts.log.get(run.id) ?? []);
    checkDeltas(check, run, fact, facts.log.get(run.id) ?? []);
  }
  for (const fact of facts.runs.values()) {
    findings.expect("expected", model.runs.has(fact.id), fact.id, () => `no writer's run: ${JSON.stringify(fact)}`);
  }
}

function checkRun({ findings }: ThreadCheck, run: ModelRun, fact: RunDatabaseRow): void {
  const as = (value: string | null | undefined): string => (value === undefined ? "no fork" : String(value));
  const forks = fact.forks ? fact.forkFromId : undefined;
  findings.expect("stored", forks === run.fork && fact.mode === run.mode, run.id, () => {
    return `is a ${fact.mode} of ${as(forks)}, was begun as a ${run.mode} of ${as(run.fork)}`;
  });
  // A streaming run may not have been that far at its last log line.
  const streams = isLive(run) && isLive(fact);
  const invariant = run.state === "superseded" || fact.state === "superseded" ? "superseded" : "states";
  findings.expect(
    invariant,
    streams || fact.state === run.state,
    run.id,
    () => `is ${fact.state}, should be ${run.state}`,
  );
  const ended = (fact.finishedAt === null) === isLive(fact);
  findings.expect("states", ended, run.id, () => `is ${fact.state}, and ended at ${fact.finishedAt}`);
  findings.expect("states", fact.epoch >= run.epoch, run.id, () => `its epoch fell from ${run.epoch} to ${fact.epoch}`);
  run.state = fact.state;
  run.epoch = fact.epoch;
}

/** Checks that the log contains a legal sequence of states that ends with the run's state. */
function checkStates({ findings }: ThreadCheck, fact: RunDatabaseRow, log: readonly LogDatabaseRow[]): void {
  const states = log.filter(({ kind }) => kind === "run").map(({ body }) => readState(body));
  const legal = states.every((state, at) => at === 0 || sameOrNext(states[at - 1], state));
  findings.expect("states", legal && states.at(-1) === fact.state, fact.id, () => {
    return `is ${fact.state}, its log has ${states.join(", ")}`;
  });
}

/** A run that was taken over may repeat its state. */
function sameOrNext(before: RunState | undefined, state: RunState | undefined): boolean {
  if (before === undefined || state === undefined) return false;
  return (before === state && isLive({ state })) || NEXT[before].includes(state);
}

function readState(body: string): RunState | undefined {
  // A log row with other JSON fails the comparison with the run's state.
  return (JSON.parse(body) as { run?: { state?: RunState } }).run?.state;
}

function checkDeltas(
  { findings }: ThreadCheck,
  run: ModelRun,
  fact: RunDatabaseRow,
  log: readonly LogDatabaseRow[],
): void {
  const length = fact.lastSeq + 1;
  const counted = length === run.acknowledged || run.possible.has(length);
  findings.expect("deltas", counted, run.id, () => {
    return `has ${length} deltas, should have ${[run.acknowledged, ...run.possible].join(" or ")}`;
  });
  run.acknowledged = length;
  run.possible.clear();
  const rows = log.filter(({ kind }) => kind === "delta");
  if (fact.compacted) {
    findings.expect("deltas", rows.length === 0 && !isLive(fact), run.id, () => `is compacted, but deltas are there`);
    run.compacted = true;
    return;
  }
  findings.expect("deltas", !run.compacted, run.id, () => `was compacted, and is not any more`);
  const ends = (rows[0]?.id ?? null) === fact.firstDeltaId && (rows.at(-1)?.id ?? null) === fact.lastDeltaId;
  findings.expect("deltas", ends, run.id, () => `its deltas are not where the run has them`);
  const deltas = rows.flatMap(({ body }) => readDeltas(body));
  const same =
    deltas.length === length &&
    deltas.every(({ seq, kind, payload }, at) => {
      const expectedDeltas = run.script[at];
      return (
        expectedDeltas !== undefined &&
        seq === at &&
        kind === expectedDeltas.kind &&
        sameJson(payload, expectedDeltas.payload)
      );
    });
  findings.expect("deltas", same, run.id, () => {
    return `its ${deltas.length} deltas are not the first ${length} that were given: ${JSON.stringify(deltas).slice(0, 300)}`;
  });
}

/** A batch is a list of [kind, payload]; a number before one is its `seq`, a string its timestamp. */
function readDeltas(body: string): { seq: number; kind: unknown; payload: unknown }[] {
  let next = 0;
  // The log's own form; anything else fails the comparison.
  return (JSON.parse(body) as unknown[]).flatMap((piece) => {
    if (typeof piece === "number") next = piece;
    return Array.isArray(piece) ? [{ seq: next++, kind: piece[0], payload: piece[1] }] : [];
  });
}

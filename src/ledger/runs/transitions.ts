// What may happen to a run in each of its states, as one table. A run that is finished again in the same way stays as
// it is; in another way, that is a conflict.
import { LedgerError } from "../errors.ts";
import { RUN_STATES, type RunState } from "../rows.ts";

export const RUN_STEPS = ["append", "commit", "fail", "cancel", "supersede", "resume", "recover"] as const;
export type RunStep = (typeof RUN_STEPS)[number];

/** The next state; "same": nothing is left to do; else the error. */
export type Transition = RunState | "same" | "conflict" | "illegal-transition";

const FINISHED = { append: "illegal-transition", resume: "illegal-transition", recover: "same" } as const;

/** Every state and every step. */
export const TRANSITIONS: Readonly<Record<RunState, Readonly<Record<RunStep, Transition>>>> = {
  created: {
    append: "streaming",
    commit: "committed",
    fail: "failed",
    cancel: "cancelled",
    supersede: "illegal-transition",
    resume: "created",
    recover: "failed",
  },
  streaming: {
    append: "streaming",
    commit: "committed",
    fail: "failed",
    cancel: "cancelled",
    supersede: "illegal-transition",
    resume: "streaming",
    recover: "failed",
  },
  committed: { ...FINISHED, commit: "same", fail: "conflict", cancel: "conflict", supersede: "superseded" },
  failed: { ...FINISHED, commit: "conflict", fail: "same", cancel: "conflict", supersede: "illegal-transition" },
  cancelled: { ...FINISHED, commit: "conflict", fail: "conflict", cancel: "same", supersede: "illegal-transition" },
  // It was committed once, and that stays true.
  superseded: { ...FINISHED, commit: "same", fail: "conflict", cancel: "conflict", supersede: "same" },
};

/** Whether a run in this state has a writer, or had one that is to be replaced. */
export function isLive(state: RunState): boolean {
  return state === "created" || state === "streaming";
}

/** The states in which runs end; `superseded` follows `committed`. */
export const ENDS: readonly RunState[] = RUN_STATES.filter((state) => !isLive(state) && state !== "superseded");

/** The state after a step, or "same". Throws where the step is not possible. */
export function transition(run: { id: string; state: RunState }, step: RunStep): RunState | "same" {
  const next = TRANSITIONS[run.state][step];
  if (next !== "conflict" && next !== "illegal-transition") return next;
  const advice = isLive(run.state) ? "only committed runs are replaced" : "begin another run";
  throw new LedgerError(next, `Run ${run.id} is ${run.state}: "${step}" is not possible any more; ${advice}.`);
}

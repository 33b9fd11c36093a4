// Defines the steps that are allowed in each state of a run. Repeating the step that ended a run changes nothing;
// ending it in a different way is a conflict.
import { LedgerError } from "../errors.ts";
import { RUN_STATES, type RunState } from "../store/rows.ts";

/** The steps of a run. */
export const RUN_STEPS = ["append", "commit", "fail", "cancel", "supersede", "resume", "recover"] as const;
/** One of `RUN_STEPS`. */
export type RunStep = (typeof RUN_STEPS)[number];

/** The result of a step: the next state, "same" if nothing changes, or the code of an error. */
export type Transition = RunState | "same" | "conflict" | "illegal-transition";

const FINISHED_STEPS = { append: "illegal-transition", resume: "illegal-transition", recover: "same" } as const;

/** The result of every step in every state. */
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
  committed: { ...FINISHED_STEPS, commit: "same", fail: "conflict", cancel: "conflict", supersede: "superseded" },
  failed: { ...FINISHED_STEPS, commit: "conflict", fail: "same", cancel: "conflict", supersede: "illegal-transition" },
  cancelled: {
    ...FINISHED_STEPS,
    commit: "conflict",
    fail: "conflict",
    cancel: "same",
    supersede: "illegal-transition",
  },
  // A superseded run was committed, so repeating the commit changes nothing.
  superseded: { ...FINISHED_STEPS, commit: "same", fail: "conflict", cancel: "conflict", supersede: "same" },
};

/** True if a run in this state has not ended. Its writer may be dead; another writer can then take over. */
export function isLive(state: RunState): boolean {
  return state === "created" || state === "streaming";
}

/** The states in which a run ends. Excludes `superseded`, because a superseded run has ended as `committed` before. */
export const END_STATES: readonly RunState[] = RUN_STATES.filter((state) => !isLive(state) && state !== "superseded");

/** Returns the state after a step; "same" if the step changes nothing. Throws if the step is not allowed. */
export function requireTransition(run: { id: string; state: RunState }, step: RunStep): RunState | "same" {
  const next = TRANSITIONS[run.state][step];
  if (next !== "conflict" && next !== "illegal-transition") return next;
  const advice = isLive(run.state) ? "only committed runs can be superseded" : "begin another run";
  throw new LedgerError(next, `Run ${run.id} is ${run.state}: "${step}" is not allowed; ${advice}.`);
}

// Steps that another process left behind: each is taken over, read from the ledger, and brought to its end.
import { AssemblyError, type AssembledRun, RunAssembler } from "../assembly/index.ts";
import { LedgerError } from "../ledger/index.ts";
import type { Ledger, Run, RunInfo } from "../ledger/index.ts";
import { busy } from "./busy.ts";
import { recorded, resultsOf } from "./record.ts";
import type { PendingAnswer } from "./round.ts";
import { givenUpRuns, salvage } from "./salvage.ts";
import { standingOf } from "./standing.ts";
import { startedCalls } from "./starts.ts";
import { finishStep, type Step } from "./step.ts";
import { unlessAborted } from "./waiting.ts";
import { orGiveUp, type RunContext } from "./work.ts";

export interface TakeOver {
  /** Does not wait for the lease of the writer that is gone. */
  force: boolean;
  /** Waits for a writer that may be alive; else that is an error ("busy"). */
  wait: boolean;
}

/** Brings every unfinished step of the thread to its end, as steps that count from `first`. Aborted, it leaves the rest. */
export async function finishSteps(work: RunContext, how: TakeOver, first: number): Promise<Step[]> {
  const steps: Step[] = [];
  for (;;) {
    const runs = await work.ledger.runs(work.threadId);
    const unfinished = runs.filter(({ state, metadata }) => isUnfinished(state) && metadata?.["agent"] === true);
    const givenUp = givenUpRuns(runs);
    if (unfinished.length === 0 && givenUp.length === 0) return steps;
    // First of all: where they cannot be had, nothing is touched.
    const tools = await unlessAborted(work.signal, () => work.settings.toolbox.current());
    if (tools === undefined) return steps;
    const finish = async (answered: PendingAnswer): Promise<void> => {
      const index = first + steps.length;
      work.emit({ type: "step-start", index, runId: answered.run.id });
      steps.push(await finishStep(work, index, tools.value, answered));
    };
    let isAlive = false;
    for (const { id } of unfinished) {
      if (work.signal.aborted) return steps;
      const run = await takeOver(work, id, how);
      const answered = run === undefined ? undefined : await orGiveUp(run, readStep(work, run));
      if (answered !== undefined) await finish(answered);
      isAlive ||= run === undefined;
    }
    if (work.signal.aborted) return steps;
    if (!isAlive) {
      // Again, because those that were finished may have been taken up from these.
      const left = unfinished.length === 0 ? givenUp : givenUpRuns(await work.ledger.runs(work.threadId));
      const answered = await salvage(work, left);
      if (answered === undefined) return steps;
      await finish(answered);
      // There may be more of them.
      continue;
    }
    // Whoever ended a run that we waited for lives, and may be between two steps.
    if (!how.wait) throw busy(work.threadId);
    await quiet(work);
  }
}

/** Milliseconds between two looks at a thread whose writer may be alive. */
const FIRST_LOOK = 50;
const LAST_LOOK = 1000;
/** How many looks at a writer that lives must find nothing new before it counts as gone: about three seconds. */
const QUIET_LOOKS = 7;

function isUnfinished(state: RunInfo["state"]): boolean {
  return state === "created" || state === "streaming";
}

/** Waits until a writer that lives is in its next step, or has no more to do, or was not heard of for a while. */
async function quiet(work: RunContext): Promise<void> {
  const { ledger, threadId, history, signal } = work;
  let count = (await ledger.runs(threadId)).length;
  let wait = FIRST_LOOK;
  for (let look = 0; look < QUIET_LOOKS && !signal.aborted; look++) {
    history.forget();
    const standing = standingOf((await history.load()).messages);
    if (standing === "done" || standing === "cut-off") return;
    await sleep(work, wait);
    wait = Math.min(wait * 2, LAST_LOOK);
    const runs = await ledger.runs(threadId);
    if (runs.some(({ state }) => isUnfinished(state))) return;
    if (runs.length > count) look = 0;
    count = runs.length;
  }
}

/** Waits before another look; cut short where the run is cancelled. */
export async function sleep({ settings, signal }: RunContext, ms = LAST_LOOK): Promise<void> {
  try {
    await settings.effects.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The run in our hands; undefined where its writer ended it after all, or where we are not to wait any longer. */
async function takeOver(work: RunContext, runId: string, how: TakeOver): Promise<Run | undefined> {
  const { ledger, signal } = work;
  for (let wait = FIRST_LOOK; ; wait = Math.min(wait * 2, LAST_LOOK)) {
    try {
      return await ledger.resumeRun(runId, { force: how.force });
    } catch (error) {
      if (!(error instanceof LedgerError) || !["conflict", "illegal-transition"].includes(error.code)) throw error;
      const { state, threadId } = await ledger.run(runId);
      if (!isUnfinished(state)) return undefined;
      if (!how.wait) throw busy(threadId, error);
    }
    await sleep(work, wait);
    if (signal.aborted) return undefined;
  }
}

/** The step's answer; undefined where it had not ended: it is kept beside the path, and the model will be asked again. */
async function readStep({ ledger }: RunContext, run: Run): Promise<PendingAnswer | undefined> {
  const { metadata } = run.info;
  const assembled = await readLog(ledger, run);
  const response = assembled?.responses[0];
  if (assembled === undefined || response === undefined) {
    await run.fail({
      kind: "truncated",
      message: "The process ended before the answer did; the model is asked again.",
    });
    return undefined;
  }
  const provider = metadata?.["provider"];
  return {
    run,
    message: recorded(response, typeof provider === "string" ? provider : undefined),
    facts: {},
    begun: startedCalls(metadata),
    known: resultsOf(assembled.messages),
  };
}

/** What the log says; undefined where the answer in it has not ended. */
async function readLog(ledger: Ledger, { id: runId, threadId, info }: Run): Promise<AssembledRun | undefined> {
  const assembler = new RunAssembler();
  if (info.lastSeq >= 0) {
    for await (const event of ledger.follow({ threadId, runId })) {
      if (event.type !== "delta") continue;
      assembler.push(event.delta);
      if (event.delta.seq >= info.lastSeq) break;
    }
  }
  try {
    return assembler.finish();
  } catch (error) {
    if (error instanceof AssemblyError) return undefined;
    throw error;
  }
}

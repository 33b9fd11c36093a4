// Resumes a thread: takes over the steps that another process left unfinished, reads each from the ledger, and finishes
// it.
import { AssemblyError, type AssembledRun, RunAssembler } from "../../assembly/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { Ledger, Run, RunInfo } from "../../ledger/index.ts";
import { unlessAborted } from "../concurrency.ts";
import { readStartedCalls } from "../tools/started-calls.ts";
import type { PendingAnswer } from "../tools/tool-round.ts";
import { busyError } from "./exclusive-run.ts";
import { findNextAction } from "./next-action.ts";
import { readToolResults, toRecordedMessage } from "./recorded-answer.ts";
import { orFailRun, type RunContext } from "./run-context.ts";
import { findFailedSteps, salvage } from "./salvage.ts";
import { finishStep, type Step } from "./step.ts";

export interface TakeOverOptions {
  /** If true, the lease of a dead writer is taken without waiting for its expiry. */
  force: boolean;
  /** If true, waits for a writer that may be alive; if false, throws "busy". */
  wait: boolean;
}

/**
 * Finishes every unfinished step of the thread and returns the steps; `first` is the index of the first returned step.
 * If the run is cancelled, the remaining steps stay unfinished.
 */
export async function finishUnfinishedSteps(
  context: RunContext,
  options: TakeOverOptions,
  first: number,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (;;) {
    const runs = await context.ledger.runs(context.threadId);
    const unfinished = runs.filter(({ state, metadata }) => isUnfinished(state) && metadata?.["agent"] === true);
    const failed = findFailedSteps(runs);
    if (unfinished.length === 0 && failed.length === 0) return steps;
    // The tools are listed before a run is taken over, so that no run is taken over if the tools are unavailable.
    const tools = await unlessAborted(context.signal, () => context.settings.toolbox.current());
    if (tools === undefined) return steps;
    const finish = async (answer: PendingAnswer): Promise<void> => {
      const index = first + steps.length;
      context.emit({ type: "step-start", index, runId: answer.run.id });
      steps.push(await finishStep(context, index, tools.value, answer));
    };
    let isWriterAlive = false;
    for (const { id } of unfinished) {
      if (context.signal.aborted) return steps;
      const run = await takeOver(context, id, options);
      const answer = run === undefined ? undefined : await orFailRun(run, readPendingAnswer(context, run));
      if (answer !== undefined) await finish(answer);
      isWriterAlive ||= run === undefined;
    }
    if (context.signal.aborted) return steps;
    if (!isWriterAlive) {
      // The runs are read again if steps were just finished, because one of them may have continued a failed step,
      // which is then no longer to be salvaged.
      const left = unfinished.length === 0 ? failed : findFailedSteps(await context.ledger.runs(context.threadId));
      const answer = await salvage(context, left);
      if (answer === undefined) return steps;
      await finish(answer);
      continue;
    }
    // A run could not be taken over, because its writer ended it. The writer is therefore alive, and may be about to
    // begin the next step.
    if (!options.wait) throw busyError(context.threadId);
    await waitUntilQuiet(context);
  }
}

/**
 * The first wait, in milliseconds, between two reads of a thread whose writer may be alive; doubled each time up to
 * `MAX_POLL_MS`.
 */
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 1000;
/**
 * The number of consecutive reads without a new run, in about three seconds, after which the writer of a thread counts
 * as gone.
 */
const QUIET_POLLS = 7;

function isUnfinished(state: RunInfo["state"]): boolean {
  return state === "created" || state === "streaming";
}

/**
 * Waits until the writer that may be alive begins its next step or has finished the answer, or until it counts as gone
 * because `QUIET_POLLS` reads found no new run.
 */
async function waitUntilQuiet(context: RunContext): Promise<void> {
  const { ledger, threadId, history, signal } = context;
  let count = (await ledger.runs(threadId)).length;
  let waitMs = FIRST_POLL_MS;
  for (let poll = 0; poll < QUIET_POLLS && !signal.aborted; poll++) {
    history.forget();
    const action = findNextAction((await history.load()).messages);
    if (action === "done" || action === "cut-off") return;
    await sleepOrCancel(context, waitMs);
    waitMs = Math.min(waitMs * 2, MAX_POLL_MS);
    const runs = await ledger.runs(threadId);
    if (runs.some(({ state }) => isUnfinished(state))) return;
    if (runs.length > count) poll = 0;
    count = runs.length;
  }
}

/** Waits `ms` milliseconds; returns early if the run is cancelled. */
export async function sleepOrCancel({ settings, signal }: RunContext, ms = MAX_POLL_MS): Promise<void> {
  try {
    await settings.effects.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Takes over a run. Returns undefined if the writer of the run ended it, or if the agent's run was cancelled. */
async function takeOver(context: RunContext, runId: string, options: TakeOverOptions): Promise<Run | undefined> {
  const { ledger, signal } = context;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, MAX_POLL_MS)) {
    try {
      return await ledger.resumeRun(runId, { force: options.force });
    } catch (error) {
      if (!(error instanceof LedgerError) || !["conflict", "illegal-transition"].includes(error.code)) throw error;
      const { state, threadId } = await ledger.run(runId);
      if (!isUnfinished(state)) return undefined;
      if (!options.wait) throw busyError(threadId, error);
    }
    await sleepOrCancel(context, waitMs);
    if (signal.aborted) return undefined;
  }
}

/**
 * Returns the answer of a run. If the answer is incomplete, fails the run and returns undefined, so that the model is
 * called again.
 */
async function readPendingAnswer({ ledger }: RunContext, run: Run): Promise<PendingAnswer | undefined> {
  const { metadata } = run.info;
  const assembled = await assembleRun(ledger, run);
  const response = assembled?.responses[0];
  if (assembled === undefined || response === undefined) {
    await run.fail({
      kind: "truncated",
      message: "The process ended before the answer did; the model is called again.",
    });
    return undefined;
  }
  const provider = metadata?.["provider"];
  return {
    run,
    message: toRecordedMessage(response, typeof provider === "string" ? provider : undefined),
    runMetadata: {},
    startedBefore: readStartedCalls(metadata),
    recordedResults: readToolResults(assembled.messages),
  };
}

/** Assembles the recorded deltas of a run. Returns undefined if the answer is incomplete. */
async function assembleRun(ledger: Ledger, { id: runId, threadId, info }: Run): Promise<AssembledRun | undefined> {
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

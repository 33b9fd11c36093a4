// Steps that another process left behind: each is taken over, read from the ledger, and brought to its end.
import { AssemblyError, type AssembledRun, RunAssembler } from "../assembly/index.ts";
import { LedgerError } from "../ledger/index.ts";
import type { Ledger, Run, RunInfo } from "../ledger/index.ts";
import { AgentError } from "./errors.ts";
import { recorded, resultsOf } from "./record.ts";
import type { Answered } from "./round.ts";
import { givenUpRuns, salvage } from "./salvage.ts";
import { startedCalls } from "./starts.ts";
import { finishStep, type Step } from "./step.ts";
import { unlessAborted } from "./waiting.ts";
import { orGiveUp, type Work } from "./work.ts";

export interface TakeOver {
  /** Does not wait for the lease of the writer that is gone. */
  force: boolean;
  /** Waits for a writer that may be alive; else that is an error. */
  wait: boolean;
}

/** Brings every unfinished step of the thread to its end. */
export async function finishSteps(work: Work, how: TakeOver): Promise<Step[]> {
  const runs = await work.ledger.runs(work.threadId);
  const unfinished = runs.filter(({ state, metadata }) => isUnfinished(state) && metadata?.["agent"] === true);
  const givenUp = givenUpRuns(runs);
  if (unfinished.length === 0 && givenUp.length === 0) return [];
  // First of all: where they cannot be had, nothing is touched.
  const tools = await unlessAborted(work.signal, () => work.settings.toolbox.current());
  if (tools === undefined) return [];
  const steps: Step[] = [];
  const finish = async (answered: Answered | undefined): Promise<void> => {
    if (answered === undefined) return;
    const index = steps.length;
    work.emit({ type: "step-start", index, runId: answered.run.id });
    const info = await finishStep(work, index, tools.value, answered);
    steps.push({ info, usage: info.usage });
  };
  for (const { id } of unfinished) {
    const run = await takeOver(work, id, how);
    if (run !== undefined) await finish(await orGiveUp(work, run, readStep(work, run)));
  }
  await finish(await salvage(work, givenUp));
  return steps;
}

function isUnfinished(state: RunInfo["state"]): boolean {
  return state === "created" || state === "streaming";
}

/** Milliseconds between two looks at a run whose writer may be alive. */
const FIRST_LOOK = 50;
const LAST_LOOK = 1000;

/** The run in our hands; undefined where its writer ended it after all, or where we are not to wait any longer. */
async function takeOver(work: Work, runId: string, how: TakeOver): Promise<Run | undefined> {
  const { ledger, settings, signal, left } = work;
  for (let wait = FIRST_LOOK; ; wait = Math.min(wait * 2, LAST_LOOK)) {
    try {
      return await ledger.resumeRun(runId, { force: how.force || left.has(runId) });
    } catch (error) {
      if (!(error instanceof LedgerError) || !["conflict", "illegal-transition"].includes(error.code)) throw error;
      const { state, threadId } = await ledger.run(runId);
      if (!isUnfinished(state)) return undefined;
      if (!how.wait) throw busy(threadId, error);
    }
    await settings.effects.sleep(wait, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
  }
}

export function busy(threadId: string, cause?: unknown): AgentError {
  const advice = "agent.resume(threadId) waits for it; with `force` it does not, where its process is surely gone";
  const message = `Thread ${threadId} has a step under way, whose writer may be alive: ${advice}.`;
  return new AgentError("busy", message, cause === undefined ? {} : { cause });
}

/** The step's answer; undefined where it had not ended: it is kept beside the path, and the model will be asked again. */
async function readStep({ ledger }: Work, run: Run): Promise<Answered | undefined> {
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

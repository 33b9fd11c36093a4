// Runs a tool round: the calls of one answer run in parallel, each result is recorded when it is ready, and the results
// are returned in the order of the calls (B25).
import { LedgerError } from "../../ledger/index.ts";
import type { Ledger, Run } from "../../ledger/index.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../../model/index.ts";
import { copyObject } from "../../model/json/index.ts";
import { ConcurrencyLimit } from "../concurrency.ts";
import { isReleased } from "../errors.ts";
import { copyJson, findClientCalls } from "../runs/recorded-answer.ts";
import type { RunContext } from "../runs/run-context.ts";
import type { CallIds } from "./call-ids.ts";
import { runToolCall, type ToolRound } from "./run-call.ts";
import { StartedCalls } from "./started-calls.ts";
import type { StepTools } from "./toolbox.ts";
import { findBlobs, unrecordableResult } from "./tool-results.ts";

/**
 * A complete answer whose calls have no results yet, from a stream or from an earlier process. All call ids are the
 * model's ids.
 */
export interface PendingAnswer {
  readonly run: Run;
  readonly message: Message;
  /** Metadata about the answer, such as its losses and attempts, that is added to the run of the ledger. */
  readonly runMetadata: Record<string, unknown>;
  /** The ids of the calls that an earlier process started. */
  readonly startedBefore: ReadonlySet<string>;
  /** Results that an earlier process recorded, by call id. */
  readonly recordedResults: ReadonlyMap<string, ToolResultPart>;
  /**
   * The unique ids that were assigned to the calls while the answer was streamed, and that readers of the events have
   * received. Undefined for the answer of an earlier process; new ids are then assigned.
   */
  readonly ids?: CallIds;
}

/**
 * Returns one result for each call of the message, whose call ids are already unique. If the ledger fails, aborts the
 * signal of the running tools and throws the ledger's error.
 */
export async function runTools(
  runContext: RunContext,
  tools: StepTools,
  { run, startedBefore, recordedResults }: PendingAnswer,
  { message, ids }: { message: Message; ids: CallIds },
): Promise<ToolResultPart[]> {
  const broken = new AbortController();
  const breakIfReleased = (): void => {
    if (isReleased(runContext.signal.reason)) broken.abort(runContext.signal.reason);
  };
  // When the run is released, `broken` must be aborted before the tools see the abort, because otherwise they would
  // record "cancelled" results. Listeners run in the order of registration, so this one is added before
  // `AbortSignal.any`.
  runContext.signal.addEventListener("abort", breakIfReleased, { once: true });
  if (runContext.signal.aborted) breakIfReleased();
  const round: ToolRound = {
    runContext,
    run,
    message,
    ids,
    tools,
    startedBefore,
    startedCalls: new StartedCalls(
      run,
      [...startedBefore].filter((id) => !recordedResults.has(id)),
    ),
    concurrency: new ConcurrencyLimit(runContext.settings.maxParallel),
    signal: AbortSignal.any([runContext.signal, broken.signal]),
    broken: broken.signal,
  };
  const results = findClientCalls(message).map(async (call) => {
    const recorded = recordedResults.get(ids.modelId(call.toolCallId));
    if (recorded !== undefined) return withCallId(recorded, call.toolCallId);
    try {
      return await recordResult(round, call, await runToolCall(round, call));
    } catch (error) {
      broken.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(results);
  runContext.signal.removeEventListener("abort", breakIfReleased);
  broken.signal.throwIfAborted();
  return Promise.all(results);
}

function withCallId(result: ToolResultPart, toolCallId: string): ToolResultPart {
  return Object.assign(copyObject(result), { toolCallId });
}

/**
 * Records a result; the call never runs again after that. A result that the ledger rejects is replaced by an error
 * result.
 */
async function recordResult(round: ToolRound, call: ToolCallPart, result: ToolResultPart): Promise<ToolResultPart> {
  const { runContext, run, ids, startedCalls } = round;
  const modelId = ids.modelId(call.toolCallId);
  const record = async (value: ToolResultPart): Promise<ToolResultPart> => {
    await assertBlobsExist(runContext.ledger, value);
    await run.append([{ kind: "part", payload: { value: withCallId(value, modelId), role: "tool" } }]);
    return value;
  };
  const recorded = await record(result).catch((error: unknown) => {
    const isRejected =
      error instanceof LedgerError && (error.code === "invalid-input" || error.code === "unknown-blob");
    if (!isRejected) throw error;
    return record(unrecordableResult(call, error));
  });
  startedCalls.markFinished(modelId);
  runContext.emit({ type: "tool-end", runId: run.id, call: copyJson(call), result: copyJson(recorded) });
  return recorded;
}

/** Throws if the result refers to a missing blob, because the commit of the step would reject it. */
async function assertBlobsExist(ledger: Ledger, { content = [] }: ToolResultPart): Promise<void> {
  for (const blob of findBlobs(content)) {
    for await (const _ of ledger.blob(blob)) break;
  }
}

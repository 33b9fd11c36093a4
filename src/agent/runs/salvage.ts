// Salvages failed steps whose tools had started. `ledger.recover()`, or an agent whose ledger failed, has ended their
// runs. Their messages are outside the active path. A new run continues them, so that finished tools do not run again.
import { disassemble } from "../../assembly/index.ts";
import type { RunInfo } from "../../ledger/index.ts";
import type { Delta, Message, Metadata, ModelResponse, StoredMessage, ToolResultPart } from "../../model/index.ts";
import { readStartedCalls } from "../tools/started-calls.ts";
import type { PendingAnswer } from "../tools/tool-round.ts";
import { beginExclusiveRun, isLeafConflict } from "./exclusive-run.ts";
import { findClientCalls, readToolResults } from "./recorded-answer.ts";
import { orFailRun, type RunContext } from "./run-context.ts";

/**
 * Returns the failed steps that still need to be continued. A step is settled if a later run continued it, and that run
 * was committed or superseded, or is itself settled.
 */
export function findFailedSteps(runs: readonly RunInfo[]): RunInfo[] {
  const settled = new Set<unknown>();
  // Runs are visited from the newest to the oldest, because whether a run is settled depends on the later run that
  // continued it (`metadata.continues` is the id of the continued run).
  for (const { id, state, metadata } of runs.toReversed()) {
    if (state === "committed" || state === "superseded" || settled.has(id)) settled.add(metadata?.["continues"]);
  }
  return runs.filter((run) => isFailedStep(run) && !settled.has(run.id));
}

/**
 * True for a failed step with started calls. Its answer is complete, because calls start after the answer is recorded.
 */
function isFailedStep({ state, metadata }: RunInfo): boolean {
  return state === "failed" && metadata?.["agent"] === true && readStartedCalls(metadata).size > 0;
}

/**
 * Continues the newest failed step of the active branch in a new run. The new run begins at the active leaf, so
 * messages that were appended after the failure precede it. Returns undefined if the branch has no failed step.
 */
export async function salvage(context: RunContext, failedRuns: readonly RunInfo[]): Promise<PendingAnswer | undefined> {
  while (failedRuns.length > 0) {
    const { messages, activeLeafId } = await context.ledger.tree(context.threadId);
    const path = collectPath(activeLeafId, messages);
    const steps = failedRuns.toReversed().flatMap((run) => findFailedStep(run, messages));
    const newest = steps.find(({ answer }) => path.has(answer.parentMessageId));
    if (newest === undefined) return undefined;
    try {
      return await continueStep(context, newest, activeLeafId);
    } catch (error) {
      // If another message was appended in the meantime, the thread is read again.
      if (!isLeafConflict(error)) throw error;
    }
  }
  return undefined;
}

/** A failed run with its answer and its recorded tool results. */
interface FailedStep {
  run: RunInfo;
  answer: StoredMessage;
  results: ReadonlyMap<string, ToolResultPart>;
}

/**
 * Returns the answer and the results of a failed run, as a list of one; an empty list if the run has no answer, or if
 * messages of another run or of the caller follow its messages.
 */
function findFailedStep(run: RunInfo, messages: readonly StoredMessage[]): FailedStep[] {
  const ofRun = messages.filter(({ metadata }) => metadata.runId === run.id);
  const [answer] = ofRun;
  if (answer?.role !== "assistant") return [];
  const ids = new Set<string | null>(ofRun.map(({ id }) => id));
  const isContinued = messages.some(
    ({ parentMessageId, metadata }) => ids.has(parentMessageId) && metadata.runId !== run.id,
  );
  return isContinued ? [] : [{ run, answer, results: readToolResults(ofRun) }];
}

/** Returns the message ids from a leaf to the root, and null, which stands for the parent of the root. */
function collectPath(leafId: string | null, messages: readonly StoredMessage[]): ReadonlySet<string | null> {
  const parents = new Map(messages.map(({ id, parentMessageId }) => [id, parentMessageId]));
  const path = new Set<string | null>([null]);
  for (let id = leafId; id !== null; id = parents.get(id) ?? null) path.add(id);
  return path;
}

async function continueStep(
  context: RunContext,
  { run: failedRun, answer, results }: FailedStep,
  expectedLeaf: string | null,
): Promise<PendingAnswer> {
  const { id, metadata = {} } = failedRun;
  const run = await beginExclusiveRun(context.ledger, {
    threadId: context.threadId,
    expectedLeaf,
    metadata: { ...metadata, continues: id },
  });
  const message = withoutRunMetadata(answer);
  const recordedResults = new Map(findClientCalls(message).flatMap(({ toolCallId }) => findEntry(results, toolCallId)));
  const answerDeltas = disassemble(toResponse(message));
  const resultDeltas = [...recordedResults.values()].map((value): Delta => ({
    kind: "part",
    payload: { value, role: "tool" },
  }));
  // All deltas are appended in one batch, so that a process that takes this run over reads either all of them or none.
  await orFailRun(run, run.append([...answerDeltas, ...resultDeltas]));
  return { run, message, runMetadata: {}, startedBefore: readStartedCalls(metadata), recordedResults };
}

function findEntry<Value>(map: ReadonlyMap<string, Value>, key: string): [string, Value][] {
  const value = map.get(key);
  return value === undefined ? [] : [[key, value]];
}

/** Returns the message without the metadata that the failed run added. */
function withoutRunMetadata({ role, parts, name, extra, metadata }: StoredMessage): Message {
  const { interrupted: _, runId: __, schemaVersion: ___, ...rest } = metadata;
  const message: Message = { role, parts, metadata: rest };
  if (name !== undefined) message.name = name;
  if (extra !== undefined) message.extra = extra;
  return message;
}

/** Restores the response of a recorded message from its metadata. */
function toResponse(message: Message): ModelResponse {
  const {
    model = "",
    finishReason = { unified: "other" },
    usage,
    response = {},
  } = message.metadata as Metadata & {
    response?: Partial<ModelResponse>; // `messageFromResponse` of the ledger writes this field.
  };
  const restored: ModelResponse = { id: "", model, message, finishReason, ...response };
  return usage === undefined ? restored : { ...restored, usage };
}

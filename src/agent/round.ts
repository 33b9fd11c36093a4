// A round of tools: the calls of one answer side by side, each result recorded as soon as it is there, and given back in
// the order of the calls (B25).
import { LedgerError } from "../ledger/index.ts";
import type { Ledger, Run } from "../ledger/index.ts";
import { copyObject } from "../model/json.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../model/index.ts";
import type { CallIds } from "./call-ids.ts";
import { answerCall, type ToolRound } from "./call.ts";
import { isLeft } from "./errors.ts";
import { clientCalls, copyOf } from "./record.ts";
import { blobsOf, unrecordable } from "./results.ts";
import { StartedCalls } from "./starts.ts";
import type { Tools } from "./toolbox.ts";
import { Slots } from "./waiting.ts";
import type { RunContext } from "./work.ts";

/** An answer whose calls are to be worked on, from its stream or from an earlier process. */
export interface PendingAnswer {
  readonly run: Run;
  /** With the ids that the model gave to its calls, as all else here. */
  readonly message: Message;
  /** What is known about the answer beside its message. */
  readonly facts: Record<string, unknown>;
  /** Calls that had begun, and results that are recorded. */
  readonly begun: ReadonlySet<string>;
  readonly known: ReadonlyMap<string, ToolResultPart>;
  /** What its calls go by, where somebody was told of them already. */
  readonly ids?: CallIds;
}

/** One result per call of the message, which has the ids that its calls go by. Throws what the ledger throws; the tools are told to stop then. */
export async function runTools(
  work: RunContext,
  tools: Tools,
  { run, begun, known }: PendingAnswer,
  { message, ids }: { message: Message; ids: CallIds },
): Promise<ToolResultPart[]> {
  const broken = new AbortController();
  const leave = (): void => {
    if (isLeft(work.signal.reason)) broken.abort(work.signal.reason);
  };
  // Before anybody else hears of it.
  work.signal.addEventListener("abort", leave, { once: true });
  if (work.signal.aborted) leave();
  const round: ToolRound = {
    work,
    run,
    message,
    ids,
    tools,
    begun,
    starts: new StartedCalls(
      run,
      [...begun].filter((id) => !known.has(id)),
    ),
    slots: new Slots(work.settings.maxParallel),
    signal: AbortSignal.any([work.signal, broken.signal]),
    broken: broken.signal,
  };
  const results = clientCalls(message).map(async (call) => {
    const before = known.get(ids.given(call.toolCallId));
    if (before !== undefined) return withId(before, call.toolCallId);
    try {
      return await acknowledge(round, call, await answerCall(round, call));
    } catch (error) {
      broken.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(results);
  work.signal.removeEventListener("abort", leave);
  broken.signal.throwIfAborted();
  return Promise.all(results);
}

function withId(result: ToolResultPart, toolCallId: string): ToolResultPart {
  return Object.assign(copyObject(result), { toolCallId });
}

/** From here on the call never runs again. What the ledger refuses for good is told to the model: the tool has run. */
async function acknowledge(round: ToolRound, call: ToolCallPart, result: ToolResultPart): Promise<ToolResultPart> {
  const { work, run, ids, starts } = round;
  const given = ids.given(call.toolCallId);
  const record = async (value: ToolResultPart): Promise<ToolResultPart> => {
    await demandBlobs(work.ledger, value);
    await run.append([{ kind: "part", payload: { value: withId(value, given), role: "tool" } }]);
    return value;
  };
  const recorded = await record(result).catch((error: unknown) => {
    const isRefused = error instanceof LedgerError && (error.code === "invalid-input" || error.code === "unknown-blob");
    if (!isRefused) throw error;
    return record(unrecordable(call, error));
  });
  starts.forget(given);
  work.emit({ type: "tool-end", runId: run.id, call: copyOf(call), result: copyOf(recorded) });
  return recorded;
}

/** Throws where the result names a blob that is not there: it would be refused when the step is committed. */
async function demandBlobs(ledger: Ledger, { content = [] }: ToolResultPart): Promise<void> {
  for (const blob of blobsOf(content)) {
    for await (const _ of ledger.blob(blob)) break;
  }
}

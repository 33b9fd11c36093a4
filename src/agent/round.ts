// A round of tools: the calls of one answer side by side, each result recorded as soon as it is there, and given back in
// the order of the calls (B25).
import type { Run } from "../ledger/index.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../model/index.ts";
import { answerCall, type Round } from "./call.ts";
import { Starts } from "./starts.ts";
import type { Tools } from "./toolbox.ts";
import { Slots } from "./waiting.ts";
import type { Work } from "./work.ts";

/** An answer whose calls are to be worked on, from its stream or from an earlier process. */
export interface Answered {
  readonly run: Run;
  readonly message: Message;
  /** What is known about the answer beside its message. */
  readonly facts: Record<string, unknown>;
  /** Calls that had begun, and results that are recorded. */
  readonly begun: ReadonlySet<string>;
  readonly known: ReadonlyMap<string, ToolResultPart>;
}

/** One result per call. Throws what the ledger throws; the tools are told to stop then. */
export async function runTools(
  work: Work,
  tools: Tools,
  calls: readonly ToolCallPart[],
  answered: Answered,
): Promise<ToolResultPart[]> {
  const { run, message, facts, begun, known } = answered;
  const broken = new AbortController();
  const round: Round = {
    work,
    run,
    message,
    tools,
    begun,
    starts: new Starts(run, facts, begun),
    slots: new Slots(work.settings.maxParallel),
    signal: AbortSignal.any([work.signal, broken.signal]),
  };
  const results = calls.map(async (call) => {
    const before = known.get(call.toolCallId);
    if (before !== undefined) return before;
    try {
      return await acknowledge(round, call, await answerCall(round, call));
    } catch (error) {
      broken.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(results);
  broken.signal.throwIfAborted();
  return Promise.all(results);
}

/** From here on the call never runs again. */
async function acknowledge({ work, run }: Round, call: ToolCallPart, result: ToolResultPart): Promise<ToolResultPart> {
  await run.append([{ kind: "part", payload: { value: result, role: "tool" } }]);
  work.emit({ type: "tool-end", runId: run.id, call, result });
  return result;
}

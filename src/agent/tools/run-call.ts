// Runs one tool call: checks its arguments, requests approval, records its start, and runs the tool. Every failure of
// the call becomes its result; only failures of the ledger are thrown.
import type { Effects } from "../../client/index.ts";
import type { Run } from "../../ledger/index.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../../model/index.ts";
import { type ConcurrencyLimit, unlessAborted } from "../concurrency.ts";
import { copyJson, wasStopped } from "../runs/recorded-answer.ts";
import type { RunContext } from "../runs/run-context.ts";
import type { AgentTool, ToolContext } from "../types.ts";
import type { CallIds } from "./call-ids.ts";
import type { StartedCalls } from "./started-calls.ts";
import type { CheckedTool, StepTools } from "./toolbox.ts";
import {
  cancelledResult,
  describeThrown,
  errorResult,
  interruptedResult,
  invalidArgumentsResult,
  isAbortError,
  notApprovedResult,
  stoppedAnswerResult,
  thrownResult,
  timedOutResult,
  toToolResult,
  unknownToolResult,
  unreadableArgumentsResult,
} from "./tool-results.ts";

/** The data that the running tool calls of one answer share. */
export interface ToolRound {
  readonly runContext: RunContext;
  readonly run: Run;
  /** The answer that contains the calls. */
  readonly message: Message;
  readonly ids: CallIds;
  readonly tools: StepTools;
  /** Calls that an earlier process started and that have no recorded result, by the model's ids. */
  readonly startedBefore: ReadonlySet<string>;
  readonly startedCalls: StartedCalls;
  readonly concurrency: ConcurrencyLimit;
  /** Aborted when the run is cancelled, or when the round is broken (see `broken`). */
  readonly signal: AbortSignal;
  /**
   * Aborted when the round is broken: the ledger failed, or the run is released to another process. Open calls then
   * receive no "cancelled" result, so that they can be resumed.
   */
  readonly broken: AbortSignal;
}

export async function runToolCall(round: ToolRound, call: ToolCallPart): Promise<ToolResultPart> {
  const { tools, startedBefore, message, concurrency, ids } = round;
  if (call.invalid === true) return unreadableArgumentsResult(call, message);
  const checkedTool = tools.byName.get(call.toolName);
  const isRerun = startedBefore.has(ids.modelId(call.toolCallId));
  if (isRerun && checkedTool?.tool.retry !== "safe") return interruptedResult(call);
  if (wasStopped(message)) return isRerun ? interruptedResult(call) : stoppedAnswerResult(call, message);
  if (checkedTool === undefined) return unknownToolResult(call, [...tools.byName.keys()]);
  const checked = await checkArguments(checkedTool, call);
  // The arguments are invalid. For a call that an earlier process started, the result for invalid arguments would be
  // wrong: it says that the tool was not run, but the earlier process may have run it.
  if ("result" in checked) return isRerun ? interruptedResult(call) : checked.result;
  // A call that an earlier process started was already approved.
  const rejection = isRerun ? undefined : await requestApproval(round, call);
  if (rejection !== undefined) return rejection;
  return concurrency.run(() => startTool(round, call, { tool: checkedTool.tool, input: checked.input, isRerun }));
}

/** Checks a copy of the arguments, because the tool may change its input. Returns the input, or an error result. */
async function checkArguments(
  checkedTool: CheckedTool,
  call: ToolCallPart,
): Promise<{ input: unknown } | { result: ToolResultPart }> {
  try {
    const checked = await checkedTool.check(copyJson(call).input);
    return checked.ok ? { input: checked.value } : { result: invalidArgumentsResult(call, checked.issues) };
  } catch (error) {
    return { result: errorResult(call, `The arguments could not be checked: ${describeThrown(error)}`) };
  }
}

/** Returns undefined if the call is approved; otherwise the result of the rejected or cancelled call. */
async function requestApproval(round: ToolRound, call: ToolCallPart): Promise<ToolResultPart | undefined> {
  const { approve } = round.runContext.settings;
  if (approve === undefined) return undefined;
  try {
    const context = createToolContext(round, call, round.signal, false);
    const approval = await unlessAborted(round.signal, () => approve(copyJson(call), context));
    if (approval?.value === true) return undefined;
    if (approval !== undefined)
      return notApprovedResult(call, typeof approval.value === "string" ? approval.value : "");
  } catch (error) {
    if (!round.signal.aborted)
      return notApprovedResult(call, `The approval of this call failed: ${describeThrown(error)}`);
  }
  return cancelledOrThrow(round, call, false);
}

/** Returns the result of a cancelled call. Throws if the round is broken, because no result may be recorded then. */
function cancelledOrThrow({ broken }: ToolRound, call: ToolCallPart, hasStarted: boolean): ToolResultPart {
  broken.throwIfAborted();
  return cancelledResult(call, hasStarted);
}

interface ToolStart {
  tool: AgentTool;
  input: unknown;
  isRerun: boolean;
}

async function startTool(round: ToolRound, call: ToolCallPart, start: ToolStart): Promise<ToolResultPart> {
  const { runContext, run, signal, startedCalls, ids } = round;
  const { tool, isRerun } = start;
  if (signal.aborted) return cancelledOrThrow(round, call, isRerun);
  await startedCalls.markStarted(ids.modelId(call.toolCallId));
  if (signal.aborted) return cancelledOrThrow(round, call, isRerun);
  runContext.emit({ type: "tool-start", runId: run.id, call: copyJson(call), isRerun });
  const ms = tool.timeoutMs ?? runContext.settings.toolTimeoutMs;
  const timeout = new ToolTimeout(signal, ms, runContext.settings.effects);
  const outcome = await runTool(round, call, start, timeout).finally(() => timeout.stop());
  const wasAborted = timeout.signal.aborted;
  const isLost = wasAborted && round.broken.aborted;
  // A returned value is recorded even if the tool's signal was aborted, because it shows what the tool has done. Only
  // in a broken round, the value of a tool with `retry: "safe"` is not recorded: its call runs again when the thread is
  // resumed.
  if (outcome !== undefined && "value" in outcome && !(isLost && tool.retry === "safe"))
    return toToolResult(call, outcome.value);
  if (
    outcome !== undefined &&
    "thrown" in outcome &&
    !(isLost || (wasAborted && isAbortError(outcome.thrown, timeout.signal)))
  )
    return thrownResult(call, outcome.thrown);
  return signal.aborted ? cancelledOrThrow(round, call, true) : timedOutResult(call, ms);
}

type ToolOutcome = { value: unknown } | { thrown: unknown };

/** Time, in milliseconds, for a tool to end after its signal was aborted. */
const GRACE_MS = 100;

/**
 * Runs a tool and returns its value or exception. Returns undefined if the tool does not end within `GRACE_MS` after
 * its signal was aborted.
 */
async function runTool(
  round: ToolRound,
  call: ToolCallPart,
  { tool, input, isRerun }: ToolStart,
  timeout: ToolTimeout,
): Promise<ToolOutcome | undefined> {
  const context = createToolContext(round, call, timeout.signal, isRerun);
  const running = (async (): Promise<ToolOutcome> => {
    try {
      return { value: await tool.run(input, context) };
    } catch (thrown) {
      return { thrown };
    }
  })();
  const inTime = await unlessAborted(timeout.signal, () => running);
  if (inTime !== undefined) return inTime.value;
  const finished = new AbortController();
  const grace = round.runContext.settings.effects.sleep(GRACE_MS, finished.signal);
  try {
    return await Promise.race([
      running,
      grace.then(
        () => undefined,
        () => undefined,
      ),
    ]);
  } finally {
    finished.abort();
  }
}

function createToolContext(
  { runContext, run }: ToolRound,
  call: ToolCallPart,
  signal: AbortSignal,
  isRerun: boolean,
): ToolContext {
  const { toolCallId, toolName } = call;
  return { toolCallId, toolName, signal, threadId: runContext.threadId, runId: run.id, isRerun };
}

/** A signal that is aborted when another signal is aborted or a time limit is reached. */
class ToolTimeout {
  readonly #controller = new AbortController();
  readonly #stopped = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onOuterAbort = (): void => this.#controller.abort(this.#outer.reason);

  constructor(outer: AbortSignal, ms: number, effects: Pick<Effects, "sleep">) {
    this.#outer = outer;
    outer.addEventListener("abort", this.#onOuterAbort, { once: true });
    if (ms === Number.POSITIVE_INFINITY) return;
    effects.sleep(ms, this.#stopped.signal).then(
      () => this.#controller.abort(new DOMException("The tool's time limit was reached.", "TimeoutError")),
      () => undefined,
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    this.#outer.removeEventListener("abort", this.#onOuterAbort);
    this.#stopped.abort();
  }
}

// One call of a tool, from the model's words to the result: checked, approved, noted, run. Whatever goes wrong with it
// becomes its result; only the ledger's failures are thrown.
import type { Effects } from "../client/index.ts";
import type { Run } from "../ledger/index.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../model/index.ts";
import {
  cancelled,
  errorResult,
  interrupted,
  messageOf,
  notApproved,
  resultOf,
  thrownResult,
  timedOut,
  unknownTool,
  unreadable,
  wrongArguments,
} from "./results.ts";
import type { Starts } from "./starts.ts";
import type { ReadyTool, Tools } from "./toolbox.ts";
import type { AgentTool, ToolContext } from "./types.ts";
import { type Slots, unlessAborted } from "./waiting.ts";
import type { Work } from "./work.ts";

/** The calls of one answer, while they are worked on. */
export interface Round {
  readonly work: Work;
  readonly run: Run;
  /** The answer that made them. */
  readonly message: Message;
  readonly tools: Tools;
  /** Calls that an earlier process had begun, and whose results are not recorded. */
  readonly begun: ReadonlySet<string>;
  readonly starts: Starts;
  readonly slots: Slots;
  /** The run's, and aborted too where the round cannot go on. */
  readonly signal: AbortSignal;
}

export async function answerCall(round: Round, call: ToolCallPart): Promise<ToolResultPart> {
  const { tools, begun, message, slots } = round;
  if (call.invalid === true) return unreadable(call, message);
  const ready = tools.byName.get(call.toolName);
  const again = begun.has(call.toolCallId);
  if (again && ready?.tool.retry !== "safe") return interrupted(call);
  if (ready === undefined) return unknownTool(call, [...tools.byName.keys()]);
  const checked = await checkInput(ready, call);
  // What had begun cannot be said not to have run.
  if ("result" in checked) return again ? interrupted(call) : checked.result;
  // What had begun was allowed to.
  const refused = again ? undefined : await askApproval(round, call);
  if (refused !== undefined) return refused;
  return slots.use(() => begin(round, call, { tool: ready.tool, input: checked.input, again }));
}

async function checkInput(
  ready: ReadyTool,
  call: ToolCallPart,
): Promise<{ input: unknown } | { result: ToolResultPart }> {
  try {
    const checked = await ready.check(call.input);
    return checked.ok ? { input: checked.value } : { result: wrongArguments(call, checked.issues) };
  } catch (error) {
    return { result: errorResult(call, `The arguments could not be checked: ${messageOf(error)}`) };
  }
}

/** Why the tool may not run; undefined where it may. */
async function askApproval(round: Round, call: ToolCallPart): Promise<ToolResultPart | undefined> {
  const { approve } = round.work.settings;
  if (approve === undefined) return undefined;
  try {
    const context = contextOf(round, call, round.signal, false);
    const said = await unlessAborted(round.signal, () => approve(call, context));
    if (said === undefined) return cancelled(call, false);
    if (said.value === true) return undefined;
    return notApproved(call, typeof said.value === "string" ? said.value : "");
  } catch (error) {
    return notApproved(call, `It could not be decided whether this call is allowed: ${messageOf(error)}`);
  }
}

interface Beginning {
  tool: AgentTool;
  input: unknown;
  again: boolean;
}

async function begin(round: Round, call: ToolCallPart, { tool, input, again }: Beginning): Promise<ToolResultPart> {
  const { work, run, signal, starts } = round;
  if (signal.aborted) return cancelled(call, again);
  await starts.note(call.toolCallId);
  if (signal.aborted) return cancelled(call, again);
  work.emit({ type: "tool-start", runId: run.id, call, again });
  const ms = tool.timeoutMs ?? work.settings.toolTimeoutMs;
  const limit = new Limit(signal, ms, work.settings.effects);
  try {
    const context = contextOf(round, call, limit.signal, again);
    const returned = await unlessAborted(limit.signal, () => tool.run(input, context));
    if (returned !== undefined) return resultOf(call, returned.value);
    return signal.aborted ? cancelled(call, true) : timedOut(call, ms);
  } catch (error) {
    return thrownResult(call, error);
  } finally {
    limit.end();
  }
}

function contextOf({ work, run }: Round, call: ToolCallPart, signal: AbortSignal, again: boolean): ToolContext {
  const { toolCallId, toolName } = call;
  return { toolCallId, toolName, signal, threadId: work.threadId, runId: run.id, again };
}

/** A signal that ends with another one, or when time is up. */
class Limit {
  private readonly own = new AbortController();
  private readonly over = new AbortController();
  private readonly outer: AbortSignal;
  private readonly stop = (): void => this.own.abort(this.outer.reason);

  constructor(outer: AbortSignal, ms: number, effects: Pick<Effects, "sleep">) {
    this.outer = outer;
    outer.addEventListener("abort", this.stop, { once: true });
    if (ms === Number.POSITIVE_INFINITY) return;
    effects.sleep(ms, this.over.signal).then(
      () => this.own.abort(new DOMException("The tool's time is up.", "TimeoutError")),
      () => undefined,
    );
  }

  get signal(): AbortSignal {
    return this.own.signal;
  }

  end(): void {
    this.outer.removeEventListener("abort", this.stop);
    this.over.abort();
  }
}

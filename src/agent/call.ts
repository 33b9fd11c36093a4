// One call of a tool, from the model's words to the result: checked, approved, noted, run. Whatever goes wrong with it
// becomes its result; only the ledger's failures are thrown.
import type { Effects } from "../client/index.ts";
import type { Run } from "../ledger/index.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../model/index.ts";
import type { CallIds } from "./call-ids.ts";
import { copyOf, wasStopped } from "./record.ts";
import {
  cancelled,
  errorResult,
  interrupted,
  isAbort,
  messageOf,
  notApproved,
  notMeant,
  resultOf,
  thrownResult,
  timedOut,
  unknownTool,
  unreadable,
  wrongArguments,
} from "./results.ts";
import type { StartedCalls } from "./starts.ts";
import type { ReadyTool, Tools } from "./toolbox.ts";
import type { AgentTool, ToolContext } from "./types.ts";
import { type Slots, unlessAborted } from "./waiting.ts";
import type { RunContext } from "./work.ts";

/** The calls of one answer, while they are worked on. */
export interface ToolRound {
  readonly work: RunContext;
  readonly run: Run;
  /** The answer that made them. */
  readonly message: Message;
  readonly ids: CallIds;
  readonly tools: Tools;
  /** Calls that an earlier process had begun, and whose results are not recorded; by the ids that the model gave. */
  readonly begun: ReadonlySet<string>;
  readonly starts: StartedCalls;
  readonly slots: Slots;
  /** The run's, and aborted too where the round cannot go on. */
  readonly signal: AbortSignal;
  /** Aborted only there: what stops then was cancelled by nobody, and whoever resumes goes on with it. */
  readonly broken: AbortSignal;
}

export async function answerCall(round: ToolRound, call: ToolCallPart): Promise<ToolResultPart> {
  const { tools, begun, message, slots, ids } = round;
  if (call.invalid === true) return unreadable(call, message);
  const ready = tools.byName.get(call.toolName);
  const again = begun.has(ids.given(call.toolCallId));
  if (again && ready?.tool.retry !== "safe") return interrupted(call);
  if (wasStopped(message)) return again ? interrupted(call) : notMeant(call, message);
  if (ready === undefined) return unknownTool(call, [...tools.byName.keys()]);
  const checked = await checkInput(ready, call);
  // What had begun cannot be said not to have run.
  if ("result" in checked) return again ? interrupted(call) : checked.result;
  // What had begun was allowed to.
  const refused = again ? undefined : await askApproval(round, call);
  if (refused !== undefined) return refused;
  return slots.use(() => begin(round, call, { tool: ready.tool, input: checked.input, again }));
}

/** What the tool is given is its own: it may do with it as it likes. */
async function checkInput(
  ready: ReadyTool,
  call: ToolCallPart,
): Promise<{ input: unknown } | { result: ToolResultPart }> {
  try {
    const checked = await ready.check(copyOf(call).input);
    return checked.ok ? { input: checked.value } : { result: wrongArguments(call, checked.issues) };
  } catch (error) {
    return { result: errorResult(call, `The arguments could not be checked: ${messageOf(error)}`) };
  }
}

/** Why the tool may not run; undefined where it may. */
async function askApproval(round: ToolRound, call: ToolCallPart): Promise<ToolResultPart | undefined> {
  const { approve } = round.work.settings;
  if (approve === undefined) return undefined;
  try {
    const context = contextOf(round, call, round.signal, false);
    const said = await unlessAborted(round.signal, () => approve(copyOf(call), context));
    if (said?.value === true) return undefined;
    if (said !== undefined) return notApproved(call, typeof said.value === "string" ? said.value : "");
  } catch (error) {
    if (!round.signal.aborted)
      return notApproved(call, `It could not be decided whether this call is allowed: ${messageOf(error)}`);
  }
  return stopped(round, call, false);
}

/** The result of a call that was cancelled. Where the round cannot go on, that is thrown: nothing may be recorded of it. */
function stopped({ broken }: ToolRound, call: ToolCallPart, hasBegun: boolean): ToolResultPart {
  broken.throwIfAborted();
  return cancelled(call, hasBegun);
}

interface Beginning {
  tool: AgentTool;
  input: unknown;
  again: boolean;
}

async function begin(round: ToolRound, call: ToolCallPart, beginning: Beginning): Promise<ToolResultPart> {
  const { work, run, signal, starts, ids } = round;
  const { tool, again } = beginning;
  if (signal.aborted) return stopped(round, call, again);
  await starts.note(ids.given(call.toolCallId));
  if (signal.aborted) return stopped(round, call, again);
  work.emit({ type: "tool-start", runId: run.id, call: copyOf(call), again });
  const ms = tool.timeoutMs ?? work.settings.toolTimeoutMs;
  const limit = new Limit(signal, ms, work.settings.effects);
  const end = await runTool(round, call, beginning, limit).finally(() => limit.end());
  const isOver = limit.signal.aborted;
  const isLost = isOver && round.broken.aborted;
  // A tool that was told to stop and says how far it came is heard; that it stopped is known.
  if (end !== undefined && "value" in end && !(isLost && tool.retry === "safe")) return resultOf(call, end.value);
  if (end !== undefined && "thrown" in end && !(isLost || (isOver && isAbort(end.thrown, limit.signal))))
    return thrownResult(call, end.thrown);
  return signal.aborted ? stopped(round, call, true) : timedOut(call, ms);
}

/** What a tool came to. */
type End = { value: unknown } | { thrown: unknown };

/** Milliseconds that a tool has to come to its end after it was told to stop. */
const GRACE_MS = 100;

/** How the tool ended; undefined where it was told to stop and did not. */
async function runTool(
  round: ToolRound,
  call: ToolCallPart,
  { tool, input, again }: Beginning,
  limit: Limit,
): Promise<End | undefined> {
  const context = contextOf(round, call, limit.signal, again);
  const running = (async (): Promise<End> => {
    try {
      return { value: await tool.run(input, context) };
    } catch (thrown) {
      return { thrown };
    }
  })();
  const inTime = await unlessAborted(limit.signal, () => running);
  if (inTime !== undefined) return inTime.value;
  const over = new AbortController();
  const grace = round.work.settings.effects.sleep(GRACE_MS, over.signal);
  try {
    return await Promise.race([
      running,
      grace.then(
        () => undefined,
        () => undefined,
      ),
    ]);
  } finally {
    over.abort();
  }
}

function contextOf({ work, run }: ToolRound, call: ToolCallPart, signal: AbortSignal, again: boolean): ToolContext {
  const { toolCallId, toolName } = call;
  return { toolCallId, toolName, signal, threadId: work.threadId, runId: run.id, again };
}

/** A signal that ends with another one, or when time is up. */
class Limit {
  readonly #own = new AbortController();
  readonly #over = new AbortController();
  readonly #outer: AbortSignal;
  readonly #stop = (): void => this.#own.abort(this.#outer.reason);

  constructor(outer: AbortSignal, ms: number, effects: Pick<Effects, "sleep">) {
    this.#outer = outer;
    outer.addEventListener("abort", this.#stop, { once: true });
    if (ms === Number.POSITIVE_INFINITY) return;
    effects.sleep(ms, this.#over.signal).then(
      () => this.#own.abort(new DOMException("The tool's time is up.", "TimeoutError")),
      () => undefined,
    );
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  end(): void {
    this.#outer.removeEventListener("abort", this.#stop);
    this.#over.abort();
  }
}

// The agent: checks what it is given, opens threads, and starts runs.
import { effectsOf } from "../client/effects.ts";
import { type Ledger, openLedger } from "../ledger/index.ts";
import { system } from "../model/index.ts";
import { AgentError } from "./errors.ts";
import { History } from "./history.ts";
import { messagesOf } from "./input.ts";
import { type Opening, runLoop } from "./loop.ts";
import { busy } from "./resume.ts";
import { LiveRun, type RunControl } from "./run.ts";
import { Toolbox } from "./toolbox.ts";
import type { Agent, AgentOptions, AgentResult, AgentRun } from "./types.ts";
import type { Settings } from "./work.ts";

/** Makes an agent. Throws an `AgentError` where an option or a tool cannot be used. */
export function createAgent(options: AgentOptions): Agent {
  const settings = readOptions(options);
  return new LedgerAgent(settings, options.ledger);
}

function readOptions(options: AgentOptions): Settings {
  const { client, model, instructions, request, call, stopWhen, approve, maxMessages, effects } = options;
  if (typeof client?.stream !== "function") {
    throw new AgentError("invalid-input", "An agent needs a `client`; make one with createClient().", {
      path: "client",
    });
  }
  if (typeof model !== "string" || model === "") {
    throw new AgentError("invalid-input", 'An agent needs a `model`, such as "anthropic/claude-opus-4-8".', {
      path: "model",
    });
  }
  if (maxMessages !== undefined) checkCount(maxMessages, "maxMessages");
  return {
    client,
    model,
    toolbox: new Toolbox(options.tools ?? []),
    instructions: instructions === undefined ? undefined : system(instructions),
    request,
    call,
    stopWhen,
    approve,
    maxMessages,
    maxSteps: checkCount(options.maxSteps ?? 32, "maxSteps"),
    maxParallel: checkCount(options.maxParallel ?? 8, "maxParallel"),
    toolTimeoutMs: checkCount(options.toolTimeoutMs ?? 120_000, "toolTimeoutMs"),
    effects: effectsOf(effects),
  };
}

function checkCount(value: unknown, path: string): number {
  if (typeof value === "number" && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY) && value > 0)
    return value;
  throw new AgentError("invalid-input", `\`${path}\` must be a whole number above 0, or Infinity.`, { path });
}

class LedgerAgent implements Agent {
  private readonly settings: Settings;
  private readonly given: Ledger | undefined;
  private own: Promise<Ledger> | undefined;
  /** The runs under way, and the threads that they work on. */
  private readonly runs = new Set<AgentRun>();
  private readonly threads = new Set<string>();
  private readonly left = new Set<string>();

  constructor(settings: Settings, ledger: Ledger | undefined) {
    this.settings = settings;
    this.given = ledger;
  }

  run: Agent["run"] = (input, options = {}) => {
    const { threadId, idempotencyKey, signal } = options;
    const messages = messagesOf(input, "input");
    if (idempotencyKey !== undefined && threadId === undefined) {
      const message = "An `idempotencyKey` belongs to a thread: name the thread, too. ledger.createThread() makes one.";
      throw new AgentError("invalid-input", message, { path: "idempotencyKey" });
    }
    return this.start(threadId, { input: messages, idempotencyKey, force: false, wait: false }, signal);
  };

  resume: Agent["resume"] = (threadId, options = {}) => {
    if (typeof threadId !== "string" || threadId === "") {
      throw new AgentError("invalid-input", "Which thread is to be resumed? Its id is needed.", { path: "threadId" });
    }
    return this.start(threadId, { force: options.force === true, wait: true }, options.signal);
  };

  async close(): Promise<void> {
    await Promise.all([...this.runs].map((run) => run.cancel()));
    await this.settings.toolbox.close();
    const { own } = this;
    this.own = undefined;
    if (own !== undefined) await (await own).close();
  }

  private start(threadId: string | undefined, opening: Opening, signal: AbortSignal | undefined): AgentRun {
    const run = new LiveRun((control) => this.work(control, threadId, opening), signal);
    this.runs.add(run);
    const remove = (): boolean => this.runs.delete(run);
    run.result().then(remove, remove);
    return run;
  }

  private async work(control: RunControl, given: string | undefined, opening: Opening): Promise<AgentResult> {
    const ledger = this.given ?? (await (this.own ??= openLedger("memory:")));
    const threadId = given ?? (await ledger.createThread()).id;
    // One at a time: the ledger tells other processes apart, but not two runs of this one between their steps.
    if (this.threads.has(threadId)) throw busy(threadId);
    this.threads.add(threadId);
    control.settle(threadId);
    const { settings, left } = this;
    const history = new History(ledger, threadId, settings.maxMessages);
    try {
      return await runLoop({ ...control, settings, ledger, threadId, history, left }, opening);
    } finally {
      this.threads.delete(threadId);
    }
  }
}

// The agent: checks what it is given, opens threads, and starts runs.
import { effectsOf } from "../client/index.ts";
import { type Ledger, openLedger } from "../ledger/index.ts";
import { system } from "../model/index.ts";
import { busyHere } from "./busy.ts";
import { AgentError } from "./errors.ts";
import { History } from "./history.ts";
import { checkOptionNames, invalid, toMessages } from "./input.ts";
import { runLoop } from "./loop.ts";
import type { Opening } from "./opening.ts";
import { messageOf } from "./results.ts";
import { LiveRun, type RunControl } from "./run.ts";
import { Toolbox } from "./toolbox.ts";
import type { Agent, AgentOptions, AgentResult, AgentRun, ResumeOptions, RunOptions } from "./types.ts";
import type { Settings } from "./work.ts";

/** Each name once, so that the compiler misses none. */
const AGENT_OPTIONS: Record<keyof AgentOptions, true> = {
  client: true,
  model: true,
  tools: true,
  instructions: true,
  ledger: true,
  request: true,
  call: true,
  maxSteps: true,
  stopWhen: true,
  approve: true,
  append: true,
  maxParallel: true,
  toolTimeoutMs: true,
  maxMessages: true,
  onProblem: true,
  effects: true,
};
const RUN_OPTIONS: Record<keyof RunOptions, true> = { threadId: true, signal: true, idempotencyKey: true };
const RESUME_OPTIONS: Record<keyof ResumeOptions, true> = { signal: true, force: true };

/** Makes an agent. Throws an `AgentError` where an option or a tool cannot be used. */
export function createAgent(options: AgentOptions): Agent {
  const settings = readOptions(options);
  return new LedgerAgent(settings, options.ledger);
}

function readOptions(options: AgentOptions): Settings {
  checkOptionNames(options, Object.keys(AGENT_OPTIONS));
  const { client, model, instructions, request, call, stopWhen, approve, append, maxMessages, onProblem, effects } =
    options;
  if (typeof client?.stream !== "function") {
    throw invalid("/client", "An agent needs a `client`; make one with createClient().");
  }
  if (typeof model !== "string" || model === "") {
    throw invalid("/model", 'An agent needs a `model`, such as "anthropic/claude-opus-4-8".');
  }
  if (maxMessages !== undefined) checkCount(maxMessages, "maxMessages");
  for (const [name, given] of Object.entries({ stopWhen, approve, append, onProblem })) {
    if (given !== undefined && typeof given !== "function")
      throw invalid(`/${name}`, `\`${name}\` must be a function.`);
  }
  return {
    client,
    model,
    toolbox: new Toolbox(options.tools ?? [], onProblem),
    instructions: instructions === undefined ? undefined : system(instructions),
    request,
    call,
    stopWhen,
    approve,
    append,
    maxMessages,
    maxSteps: checkCount(options.maxSteps ?? 32, "maxSteps"),
    maxParallel: checkCount(options.maxParallel ?? 8, "maxParallel"),
    toolTimeoutMs: checkCount(options.toolTimeoutMs ?? 120_000, "toolTimeoutMs"),
    effects: effectsOf(effects),
  };
}

function checkCount(value: unknown, name: string): number {
  if (typeof value === "number" && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY) && value > 0)
    return value;
  throw invalid(`/${name}`, `\`${name}\` must be a whole number above 0, or Infinity.`);
}

class LedgerAgent implements Agent {
  readonly #settings: Settings;
  readonly #given: Ledger | undefined;
  #own: Promise<Ledger> | undefined;
  /** The runs under way, and the threads that they work on. */
  readonly #runs = new Set<AgentRun>();
  readonly #threads = new Set<string>();
  #closing: Promise<void> | undefined;

  constructor(settings: Settings, ledger: Ledger | undefined) {
    this.#settings = settings;
    this.#given = ledger;
  }

  run: Agent["run"] = (input, options = {}) => {
    this.#demandOpen();
    checkOptionNames(options, Object.keys(RUN_OPTIONS));
    const { threadId, idempotencyKey, signal } = options;
    const messages = toMessages(input, "/input");
    if (threadId !== undefined) checkThread(threadId);
    if (idempotencyKey !== undefined && threadId === undefined) {
      const message = "An `idempotencyKey` belongs to a thread: name the thread, too. ledger.createThread() makes one.";
      throw invalid("/idempotencyKey", message);
    }
    return this.#start(threadId, { input: messages, idempotencyKey, force: false, wait: false }, signal);
  };

  resume: Agent["resume"] = (threadId, options = {}) => {
    this.#demandOpen();
    checkOptionNames(options, Object.keys(RESUME_OPTIONS));
    checkThread(threadId);
    return this.#start(threadId, { force: options.force === true, wait: true }, options.signal);
  };

  close(): Promise<void> {
    return (this.#closing ??= this.#closeAll());
  }

  /** Each is closed, whatever becomes of the others. */
  async #closeAll(): Promise<void> {
    await Promise.all([...this.#runs].map((run) => run.cancel()));
    const sources = this.#settings.toolbox.close();
    const ledger = this.#own?.then((own) => own.close());
    const [ofSources, ofLedger] = await Promise.allSettled([sources, ledger]);
    if (ofSources.status === "rejected") {
      const { reason } = ofSources;
      const message = `All is closed, except for tools of a source that could not be: ${messageOf(reason)}`;
      throw new AgentError("source-failed", message, { path: "/tools", cause: reason });
    }
    if (ofLedger.status === "rejected") throw ofLedger.reason;
  }

  #demandOpen(): void {
    if (this.#closing === undefined) return;
    throw new AgentError("closed", "The agent was closed, with its tools and a ledger of its own; make another one.");
  }

  #start(threadId: string | undefined, opening: Opening, signal: AbortSignal | undefined): AgentRun {
    const run = new LiveRun((control) => this.#work(control, threadId, opening), signal);
    this.#runs.add(run);
    const remove = (): boolean => this.#runs.delete(run);
    run.result().then(remove, remove);
    return run;
  }

  async #work(control: RunControl, given: string | undefined, opening: Opening): Promise<AgentResult> {
    const ledger = this.#given ?? (await (this.#own ??= openLedger("memory:")));
    const threadId = given ?? (await ledger.createThread()).id;
    // One at a time: the ledger tells other processes apart, but not two runs of this one between their steps.
    if (this.#threads.has(threadId)) throw busyHere(threadId);
    this.#threads.add(threadId);
    control.settle(threadId);
    const settings = this.#settings;
    const { signal, queue, emit } = control;
    const history = new History(ledger, threadId, settings.maxMessages);
    try {
      return await runLoop({ signal, queue, emit, settings, ledger, threadId, history }, opening);
    } finally {
      this.#threads.delete(threadId);
    }
  }
}

function checkThread(threadId: unknown): void {
  if (typeof threadId === "string" && threadId !== "") return;
  throw invalid("/threadId", "Which thread? Its id must be a string that is not empty.");
}

// Creates agents: checks the options, opens threads, and starts runs.
import { resolveEffects } from "../client/index.ts";
import { type Ledger, openLedger } from "../ledger/index.ts";
import { system } from "../model/index.ts";
import { busyInThisAgentError } from "./runs/exclusive-run.ts";
import { AgentError } from "./errors.ts";
import { ThreadHistory } from "./runs/history.ts";
import { checkOptionNames, invalidInputError, toMessages } from "./check-input.ts";
import { runLoop } from "./runs/run-loop.ts";
import type { RunStart } from "./runs/begin-run.ts";
import { describeThrown } from "./tools/tool-results.ts";
import { LiveRun, type RunControl } from "./runs/live-run.ts";
import { Toolbox } from "./tools/toolbox.ts";
import type { Agent, AgentOptions, AgentResult, AgentRun, ResumeOptions, RunOptions } from "./types.ts";
import type { AgentSettings } from "./runs/run-context.ts";

/** The names of all options. The type makes the compiler report a missing name. */
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

/**
 * Creates an agent. Throws an `AgentError` for an invalid option or tool.
 *
 * @example
 * ```ts
 * import { createAgent, tool } from "koine/agent";
 * import { createClient, demo } from "koine/client";
 *
 * const weather = tool({
 *   name: "weather",
 *   description: "Returns the weather in a city.",
 *   input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
 *   run: () => ({ degrees: 24 }),
 * });
 * const client = createClient({ providers: { demo: demo() } });
 * const agent = createAgent({ client, model: "demo/koine", tools: [weather] });
 * const { text, steps } = await agent.run('call weather {"city":"Corinth"}').result();
 * console.log(text); // The tool weather answered: degrees 24.
 * console.log(steps.length); // 2
 * await agent.close();
 * await client.close();
 * ```
 */
export function createAgent(options: AgentOptions): Agent {
  const settings = readOptions(options);
  return new LedgerAgent(settings, options.ledger);
}

function readOptions(options: AgentOptions): AgentSettings {
  checkOptionNames(options, Object.keys(AGENT_OPTIONS));
  const { client, model, instructions, request, call, stopWhen, approve, append, maxMessages, onProblem, effects } =
    options;
  if (typeof client?.stream !== "function") {
    throw invalidInputError("/client", "An agent needs a `client`; create one with createClient().");
  }
  if (typeof model !== "string" || model === "") {
    throw invalidInputError("/model", 'An agent needs a `model`, such as "anthropic/claude-opus-4-8".');
  }
  if (maxMessages !== undefined) checkCount(maxMessages, "maxMessages");
  for (const [name, callback] of Object.entries({ stopWhen, approve, append, onProblem })) {
    if (callback !== undefined && typeof callback !== "function")
      throw invalidInputError(`/${name}`, `\`${name}\` must be a function.`);
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
    effects: resolveEffects(effects),
  };
}

function checkCount(value: unknown, name: string): number {
  if (typeof value === "number" && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY) && value > 0)
    return value;
  throw invalidInputError(`/${name}`, `\`${name}\` must be a whole number above 0, or Infinity.`);
}

class LedgerAgent implements Agent {
  readonly #settings: AgentSettings;
  readonly #sharedLedger: Ledger | undefined;
  #ownLedger: Promise<Ledger> | undefined;
  /** The active runs. `#threads` contains the ids of their threads. */
  readonly #runs = new Set<AgentRun>();
  readonly #threads = new Set<string>();
  #closing: Promise<void> | undefined;

  constructor(settings: AgentSettings, ledger: Ledger | undefined) {
    this.#settings = settings;
    this.#sharedLedger = ledger;
  }

  run: Agent["run"] = (input, options = {}) => {
    this.#assertOpen();
    checkOptionNames(options, Object.keys(RUN_OPTIONS));
    const { threadId, idempotencyKey, signal } = options;
    const messages = toMessages(input, "/input");
    if (threadId !== undefined) checkThread(threadId);
    if (idempotencyKey !== undefined && threadId === undefined) {
      const message = "An `idempotencyKey` needs a `threadId`; ledger.createThread() creates a thread.";
      throw invalidInputError("/idempotencyKey", message);
    }
    return this.#start(threadId, { input: messages, idempotencyKey, force: false, wait: false }, signal);
  };

  resume: Agent["resume"] = (threadId, options = {}) => {
    this.#assertOpen();
    checkOptionNames(options, Object.keys(RESUME_OPTIONS));
    checkThread(threadId);
    return this.#start(threadId, { force: options.force === true, wait: true }, options.signal);
  };

  close(): Promise<void> {
    return (this.#closing ??= this.#closeAll());
  }

  /**
   * Cancels the runs, then closes the tool sources and the agent's own ledger. Each is closed even if closing another
   * one fails.
   */
  async #closeAll(): Promise<void> {
    await Promise.all([...this.#runs].map((run) => run.cancel()));
    const sources = this.#settings.toolbox.close();
    const ledger = this.#ownLedger?.then((own) => own.close());
    const [sourcesResult, ledgerResult] = await Promise.allSettled([sources, ledger]);
    if (sourcesResult.status === "rejected") {
      const { reason } = sourcesResult;
      const message = `A tool source could not be closed; everything else is closed: ${describeThrown(reason)}`;
      throw new AgentError("source-failed", message, { path: "/tools", cause: reason });
    }
    if (ledgerResult.status === "rejected") throw ledgerResult.reason;
  }

  #assertOpen(): void {
    if (this.#closing === undefined) return;
    throw new AgentError("closed", "The agent is closed, with its tools and its own ledger; create another one.");
  }

  #start(threadId: string | undefined, start: RunStart, signal: AbortSignal | undefined): AgentRun {
    const run = new LiveRun((control) => this.#execute(control, threadId, start), signal);
    this.#runs.add(run);
    const remove = (): boolean => this.#runs.delete(run);
    run.result().then(remove, remove);
    return run;
  }

  async #execute(control: RunControl, requestedThreadId: string | undefined, start: RunStart): Promise<AgentResult> {
    const ledger = this.#sharedLedger ?? (await (this.#ownLedger ??= openLedger("memory:")));
    const threadId = requestedThreadId ?? (await ledger.createThread()).id;
    // Only one run per thread is allowed. The ledger's lease cannot separate two runs of this process, because no lease
    // is held between two steps.
    if (this.#threads.has(threadId)) throw busyInThisAgentError(threadId);
    this.#threads.add(threadId);
    control.setThreadId(threadId);
    const settings = this.#settings;
    const { signal, queue, emit } = control;
    const history = new ThreadHistory(ledger, threadId, settings.maxMessages);
    try {
      return await runLoop({ signal, queue, emit, settings, ledger, threadId, history }, start);
    } finally {
      this.#threads.delete(threadId);
    }
  }
}

function checkThread(threadId: unknown): void {
  if (typeof threadId === "string" && threadId !== "") return;
  throw invalidInputError("/threadId", "`threadId` must be a string that is not empty.");
}

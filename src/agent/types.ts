// Defines the public types of the agent: tools, options, runs, events and results.
import type { AnySchema, CallOptions, Client, Effects, InferSchema } from "../client/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type {
  MessageContent,
  Delta,
  FinishReason,
  Message,
  Part,
  ProviderTool,
  ModelRequest,
  SchemaObject,
  StoredMessage,
  ToolCallPart,
  ToolResultPart,
  Usage,
} from "../model/index.ts";
import type { AgentError } from "./errors.ts";

// ---- Tools ----

/** The context of a tool call. */
export interface ToolContext {
  /** The recorded id of the call. It differs from the model's id if the thread already contains the model's id. */
  readonly toolCallId: string;
  readonly toolName: string;
  /**
   * Aborted when the run is cancelled or the tool's time limit is reached. A value that the tool returns directly after
   * that is still recorded.
   */
  readonly signal: AbortSignal;
  readonly threadId: string;
  readonly runId: string;
  /**
   * True if an earlier process started the call and its result was lost. Only tools with `retry: "safe"` are run again.
   */
  readonly isRerun: boolean;
}

/** The argument of `toolOutput`: an output with content parts, or an error. */
export interface ToolOutput {
  output?: unknown;
  /** Parts of the result: text, images, audio, video and files. */
  content?: Part[];
  isError?: boolean;
}

/** A tool that the agent runs. */
export interface AgentTool<Schema extends AnySchema = AnySchema> {
  name: string;
  description?: string | undefined;
  /**
   * The schema of the arguments. A call with invalid arguments receives an error result, and the tool does not run. If
   * absent, any object is valid.
   */
  input?: Schema | undefined;
  /** The JSON Schema for the model, for a Standard Schema that cannot be converted. */
  inputSchema?: SchemaObject | undefined;
  /** The format of the input: "json" (default), or "text" for a free-form tool, whose input is a string (B32). */
  format?: "json" | "text" | undefined;
  strict?: boolean | undefined;
  /**
   * The rule for a call that was running when the process died: run it again ("safe"), or give it an error result
   * ("never", the default).
   */
  retry?: "safe" | "never" | undefined;
  /** The time limit of a call in milliseconds. Default: the agent's `toolTimeoutMs`. */
  timeoutMs?: number | undefined;
  /**
   * Runs the tool. Returns a string, another value that is converted to JSON, or `toolOutput(…)`. An exception becomes
   * an error result.
   */
  run(input: InferSchema<Schema>, context: ToolContext): unknown;
}

/** A source of tools that may change between two steps, such as an MCP server. */
export interface ToolSource {
  readonly name: string;
  /** Returns the current tools; called before each step. */
  tools(): readonly AgentTool[] | Promise<readonly AgentTool[]>;
  close?(): Promise<void>;
}

// ---- The agent ----

/**
 * The decision about a tool call: true approves it, false rejects it, and a string rejects it with a reason for the
 * model.
 */
export type Approval = boolean | string;

/** Options of `createAgent`. */
export interface AgentOptions {
  client: Client;
  /** The name of the model, as `provider/model`. */
  model: string;
  /**
   * Tools with unique names. A `ProviderTool`, which the provider itself defines (such as web search), is sent
   * unchanged. If the client must run such a tool (such as computer use), add an agent tool with the same name, which
   * runs the calls; the model receives only the provider's declaration.
   */
  tools?: readonly (AgentTool | ToolSource | ProviderTool)[] | undefined;
  /** A system message at the start of every request; it is not stored in the thread. */
  instructions?: MessageContent | undefined;
  /** The ledger that records the runs. Default: a new ledger in memory. */
  ledger?: Ledger | undefined;
  /**
   * Further fields of each request, such as sampling, reasoning and toolChoice. A `toolChoice` that requires a tool
   * call is sent only in the first step of a run, because the model could otherwise never answer without a call.
   */
  request?: Partial<Omit<ModelRequest, "messages" | "model" | "tools" | "stream">> | undefined;
  /** Options of each call to the model: retries, timeouts, fallbacks, headers. */
  call?: Omit<CallOptions, "signal"> | undefined;
  /** The maximum number of calls to the model per run. Default 32. */
  maxSteps?: number | undefined;
  /**
   * Called after every step, if another step would follow. If it returns true, the run ends with the reason "stopped".
   */
  stopWhen?: ((step: StepInfo) => boolean | Promise<boolean>) | undefined;
  /**
   * Called before a tool runs. The function may wait for a person as long as necessary, because the run is recorded and
   * can be resumed if the process ends. `context.signal` is aborted if the run is cancelled.
   */
  approve?: ((call: ToolCallPart, context: ToolContext) => Approval | Promise<Approval>) | undefined;
  /**
   * Appends messages of the queue to the thread. Replaces `ledger.append`, the default, for callers that must make
   * another write in the same transaction. If it throws, the run ends and the messages stay queued.
   */
  append?: ((threadId: string, messages: readonly Message[]) => Promise<StoredMessage[]>) | undefined;
  /** The maximum number of tools that run at the same time. Default 8. */
  maxParallel?: number | undefined;
  /** The time limit of a tool call in milliseconds. Default: 2 minutes. */
  toolTimeoutMs?: number | undefined;
  /**
   * The maximum number of messages per request; see `ledger.context`. The last user message and all messages after it
   * are always sent, even if they are more than this number. Default: unlimited.
   */
  maxMessages?: number | undefined;
  /**
   * Called with problems that do not stop the agent, such as a source that later lists a tool under the name of another
   * tool.
   */
  onProblem?: ((problem: AgentError) => void) | undefined;
  /** Replaces the real wait, for tests. */
  effects?: Partial<Pick<Effects, "sleep">> | undefined;
}

/** The description of a step: one answer of the model, and the results of the tools that it called. */
export interface StepInfo {
  /** The index of the step within this run of the agent, from 0. */
  index: number;
  /** The run of the ledger that contains the step. */
  runId: string;
  /** The answer and, after tool calls, the tool message. Empty if the answer was empty. */
  messages: readonly StoredMessage[];
  finishReason: FinishReason;
  usage?: Usage;
}

/** Options of `Agent.run`. */
export interface RunOptions {
  /** The thread to continue. Default: a new thread. */
  threadId?: string | undefined;
  /**
   * Cancels the run. If the reason of the abort is an `AgentError` "released", the run is released instead: calls
   * without a result stay open, and another process can resume the thread. The result then rejects with that error.
   */
  signal?: AbortSignal | undefined;
  /**
   * Makes a repeated call of `run` safe (B95): the input is appended once. A repeated call returns the answer to the
   * input, or continues the thread until there is an answer.
   */
  idempotencyKey?: string | undefined;
}

/** Options of `Agent.resume`. */
export interface ResumeOptions {
  /** Cancels or releases the run, as in `RunOptions`. */
  signal?: AbortSignal | undefined;
  /**
   * If true, does not wait until the lease of a dead writer expires. Use this only if the other process has certainly
   * ended.
   */
  force?: boolean | undefined;
}

/**
 * The time at which a queued message is delivered: "steer" after the current tool round, "follow-up" after the current
 * answer.
 */
export type QueueKind = "steer" | "follow-up";
/** A message that waits for delivery to the model. */
export interface QueuedMessage {
  id: string;
  kind: QueueKind;
  message: Message;
}

/** The reason why a run ended. */
export type EndReason =
  /** The model has finished, and no message is queued. */
  | "done"
  | "max-steps"
  | "stopped"
  | "cancelled"
  /**
   * The answer was ended by the token limit (and has no tool call), by a filter or by a refusal. The run ends, because
   * a further call to the model would end in the same way.
   */
  | "cut-off";

/** The result of a run. */
export interface AgentResult {
  threadId: string;
  reason: EndReason;
  /** The last answer; undefined if there is none. */
  message?: StoredMessage;
  /**
   * The text of the last answer; an empty string if there is no answer. If the answer continues paused messages (finish
   * reason "pause"), their text precedes it.
   */
  text: string;
  steps: StepInfo[];
  /** The usage of all steps together, including failed attempts. */
  usage: Usage;
  /**
   * Queued messages that were not delivered. If the run ended before its input was appended, they include the input.
   */
  pending: QueuedMessage[];
}

/** An event of a run. */
export type AgentEvent =
  | { type: "message"; message: StoredMessage }
  | { type: "step-start"; index: number; runId: string }
  | { type: "delta"; runId: string; delta: Delta }
  | { type: "tool-start"; runId: string; call: ToolCallPart; isRerun: boolean }
  | { type: "tool-end"; runId: string; call: ToolCallPart; result: ToolResultPart }
  | { type: "step-end"; step: StepInfo }
  | { type: "queued"; queued: QueuedMessage }
  /** The message is no longer queued: it was delivered and is in the thread (`delivered`), or it was removed. */
  | { type: "unqueued"; queued: QueuedMessage; delivered: boolean }
  | { type: "end"; result: AgentResult };

/**
 * A run of the agent. It continues whether or not its events are read. Unread events are buffered, except deltas, which
 * are dropped while there is no reader: there may be very many, and the message event has their content. If an error ends the
 * run, the iterator and `result` throw it. Leaving the loop over the events does not cancel the run.
 */
export interface AgentRun extends AsyncIterableIterator<AgentEvent> {
  readonly threadId: Promise<string>;
  result(): Promise<AgentResult>;
  /**
   * Queues a message with the role user, system or developer. It is delivered after the current tool round, before the
   * next call to the model; if no call follows, it is delivered like a follow-up. If the model paused its answer, the
   * answer is continued before the message is delivered.
   */
  steer(message: string | Message): QueuedMessage;
  /** Queues a message for delivery after the current answer. */
  followUp(message: string | Message): QueuedMessage;
  /** The messages that are queued and not delivered yet. */
  readonly queue: readonly QueuedMessage[];
  /**
   * Removes a queued message. Returns false if the message is not in the queue, for example because it was delivered.
   */
  unqueue(id: string): boolean;
  /** Cancels the run; the history stays valid for every provider. Returns the messages that were not delivered. */
  cancel(reason?: unknown): Promise<QueuedMessage[]>;
}

/** An agent: a model with tools, whose runs are recorded in a ledger. */
export interface Agent {
  /**
   * Appends the input, and runs the model and its tools until the answer is finished. A list may be an imported
   * conversation that ends with a user message. Unfinished steps of the thread are finished first. If another process
   * works on the thread, the run ends with an `AgentError` "busy"; once the input is appended, the run waits as
   * `resume` does.
   */
  run(input: string | Message | readonly Message[], options?: RunOptions): AgentRun;
  /**
   * Continues a thread whose agent died. Calls with recorded results do not run again. If that agent may be alive,
   * waits until it has been inactive for some seconds. A thread that needs no further step is not an error.
   */
  resume(threadId: string, options?: ResumeOptions): AgentRun;
  /**
   * Cancels the runs, closes the tool sources, and closes the ledger if the agent created it. No run can start after
   * that.
   */
  close(): Promise<void>;
}

// The public types of the agent: tools, options, runs, events and results.
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
  /** The recorded id; it differs from the model's id if the thread already contains that. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Aborted when the run is cancelled or the tool's time limit is reached. A value that the tool returns at once is still recorded. */
  readonly signal: AbortSignal;
  readonly threadId: string;
  readonly runId: string;
  /** True if the call was started before and its result was lost. Only tools with `retry: "safe"` are run again. */
  readonly isRerun: boolean;
}

/** The argument of `toolOutput`: an output with content parts, or an error. */
export interface ToolOutput {
  output?: unknown;
  /** Text, images, audio, video and files. */
  content?: Part[];
  isError?: boolean;
}

/** A tool that the agent runs. */
export interface AgentTool<Schema extends AnySchema = AnySchema> {
  name: string;
  description?: string | undefined;
  /** The schema of the arguments. Invalid arguments get an error result, and the tool does not run. Absent: any object is valid. */
  input?: Schema | undefined;
  /** The JSON Schema for the model, for Standard Schemas that cannot be converted. */
  inputSchema?: SchemaObject | undefined;
  /** "text": a free-form tool, whose input is a string (B32). */
  format?: "json" | "text" | undefined;
  strict?: boolean | undefined;
  /** The handling of a call that was running when the process died: "safe" runs it again; "never" (default) gives it an error result. */
  retry?: "safe" | "never" | undefined;
  /** Default: the agent's `toolTimeoutMs`. */
  timeoutMs?: number | undefined;
  /** Runs the tool. Returns a string, any other value as JSON, or `toolOutput(…)`. An exception becomes an error result. */
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

/** The decision about a call: true approves it; a string rejects it with a reason for the model. */
export type Approval = boolean | string;

/** Options of `createAgent`. */
export interface AgentOptions {
  client: Client;
  /** `provider/model`. */
  model: string;
  /**
   * Tools with unique names. A provider's own tool (web search) is declared unchanged. If the client must run it (computer
   * use), add an agent tool with the same name; only the provider's declaration is sent.
   */
  tools?: readonly (AgentTool | ToolSource | ProviderTool)[] | undefined;
  /** A system message at the start of every request; not part of the transcript. */
  instructions?: MessageContent | undefined;
  /** The ledger that records the runs. Default: a new ledger in memory. */
  ledger?: Ledger | undefined;
  /**
   * Further fields of each request: sampling, reasoning, toolChoice, provider options. A `toolChoice` that requires a call
   * applies to the first step of a run only; otherwise the model could never finish.
   */
  request?: Partial<Omit<ModelRequest, "messages" | "model" | "tools" | "stream">> | undefined;
  /** Retries, timeouts, fallbacks, headers of each call. */
  call?: Omit<CallOptions, "signal"> | undefined;
  /** Model calls per run. Default 32. */
  maxSteps?: number | undefined;
  /** Called after every step that another step would follow; true ends the run with the reason "stopped". */
  stopWhen?: ((step: StepInfo) => boolean | Promise<boolean>) | undefined;
  /** Called before a tool runs. It may wait for a person: the run is recorded, and the signal aborts if it is cancelled. */
  approve?: ((call: ToolCallPart, context: ToolContext) => Approval | Promise<Approval>) | undefined;
  /**
   * Appends queued messages to the thread, for callers that must combine this with another write. Default:
   * `ledger.append`. An exception ends the run, and the messages stay queued.
   */
  append?: ((threadId: string, messages: readonly Message[]) => Promise<StoredMessage[]>) | undefined;
  /** The maximum number of tools that run at the same time. Default 8. */
  maxParallel?: number | undefined;
  /** Default 2 minutes. */
  toolTimeoutMs?: number | undefined;
  /**
   * The maximum number of messages per request; see `ledger.context`. If the last user message and the messages after it
   * are more, all of those are sent. Default: unlimited.
   */
  maxMessages?: number | undefined;
  /** Called with problems that do not stop the agent: a source that later lists a tool under the name of another one. */
  onProblem?: ((problem: AgentError) => void) | undefined;
  /** Replaces real waiting in tests. */
  effects?: Partial<Pick<Effects, "sleep">> | undefined;
}

/** A step: one answer of the model, and the results of the tools that it called. */
export interface StepInfo {
  /** From 0, within this run of the agent. */
  index: number;
  /** The run of the ledger that contains it. */
  runId: string;
  /** The answer and, after tool calls, the tool message. Empty if the answer was empty. */
  messages: readonly StoredMessage[];
  finishReason: FinishReason;
  usage?: Usage;
}

/** Options of `Agent.run`. */
export interface RunOptions {
  /** The thread to continue. Default: a new one. */
  threadId?: string | undefined;
  /**
   * Cancels the run. Aborted with an `AgentError` "released" as its reason, it releases the run instead: calls without a
   * result stay open, and another process can resume the thread. The result then rejects with that error.
   */
  signal?: AbortSignal | undefined;
  /**
   * Makes a repeated call safe (B95): the input is appended once. A repeated call returns the answer to it, or continues
   * the thread until there is one.
   */
  idempotencyKey?: string | undefined;
}

/** Options of `Agent.resume`. */
export interface ResumeOptions {
  /** As in `RunOptions`. */
  signal?: AbortSignal | undefined;
  /** true: does not wait for the lease of a dead writer to expire. Use it only if that process is surely gone. */
  force?: boolean | undefined;
}

/** The delivery of a queued message: "steer" after the current tool round, "follow-up" after the current answer. */
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
  /** The answer ended in a way that another call would repeat: token limit without a call, filter, refusal. */
  | "cut-off";

/** The result of a run. */
export interface AgentResult {
  threadId: string;
  reason: EndReason;
  /** The last answer, if any. */
  message?: StoredMessage;
  /** The text of the last answer, including the messages before it in which it paused. */
  text: string;
  steps: StepInfo[];
  /** The sum of all steps, failed attempts included. */
  usage: Usage;
  /** Queued messages that were not delivered; for a run that was cancelled at its start, also its input. */
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
  /** The message left the queue: it was delivered and is in the thread, or it was removed. */
  | { type: "unqueued"; queued: QueuedMessage; delivered: boolean }
  | { type: "end"; result: AgentResult };

/**
 * A run of the agent. It continues with or without a reader of its events. Unread events are buffered, except deltas
 * without a reader: there may be very many, and the message event has their content. An error that ends the run is thrown
 * by the iterator and by `result`. Leaving the loop does not cancel the run.
 */
export interface AgentRun extends AsyncIterableIterator<AgentEvent> {
  readonly threadId: Promise<string>;
  result(): Promise<AgentResult>;
  /**
   * Queues a message of the role user, system or developer. It is delivered after the current tool round, before the next
   * call to the model; without a further call, like a follow-up. A paused answer is continued first.
   */
  steer(message: string | Message): QueuedMessage;
  /** Queues a message for delivery after the current answer. */
  followUp(message: string | Message): QueuedMessage;
  /** The queued messages. */
  readonly queue: readonly QueuedMessage[];
  /** Removes a queued message. Returns false if it was already delivered. */
  unqueue(id: string): boolean;
  /** Cancels the run; the history stays valid for every provider. Resolves with the messages that were not delivered. */
  cancel(reason?: unknown): Promise<QueuedMessage[]>;
}

/** An agent: a model with tools, whose runs are recorded in a ledger. */
export interface Agent {
  /**
   * Appends the input, and runs the model and its tools until the answer is finished. A list may be an imported
   * conversation that ends with a user message. Unfinished steps of the thread are finished first. If another process
   * works on the thread, the run ends with an `AgentError` "busy"; after the input was appended, it waits as `resume` does.
   */
  run(input: string | Message | readonly Message[], options?: RunOptions): AgentRun;
  /**
   * Continues a thread whose agent died: calls with recorded results do not run again. If that agent may be alive, waits
   * until it shows no activity. A thread without open work is no error.
   */
  resume(threadId: string, options?: ResumeOptions): AgentRun;
  /** Cancels the runs, closes the tool sources, and closes the ledger if the agent created it. No run can start afterwards. */
  close(): Promise<void>;
}

// The public face of the agent: tools, runs, events and results.
import type { AnySchema, CallOptions, Client, Effects, InferSchema } from "../client/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type {
  Content,
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

/** What a tool is told beside its input. */
export interface ToolContext {
  /** As it is recorded: where the thread has the model's own id already, another one. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Aborted when the run is cancelled or the tool's time is up. What the tool returns at once then is still recorded. */
  readonly signal: AbortSignal;
  readonly threadId: string;
  readonly runId: string;
  /** True where the call had been started before and its result was lost: only tools that are safe to repeat see it. */
  readonly again: boolean;
}

/** What a tool gives back where a plain value will not do: parts beside the output, or an error that it means. */
export interface ToolOutput {
  output?: unknown;
  /** Text, images, audio, video and files. */
  content?: Part[];
  isError?: boolean;
}

export interface AgentTool<Schema extends AnySchema = AnySchema> {
  name: string;
  description?: string | undefined;
  /** Arguments that do not match are answered with an error, and the tool does not run. Absent: every object is taken. */
  input?: Schema | undefined;
  /** The JSON Schema to show to the model, for Standard Schemas that cannot say theirs. */
  inputSchema?: SchemaObject | undefined;
  /** "text": a free-form tool, whose input is a string (B32). */
  format?: "json" | "text" | undefined;
  strict?: boolean | undefined;
  /** What to do with a call that was started when the process died: run it again, or answer that it was interrupted. Default "never". */
  retry?: "safe" | "never" | undefined;
  /** Default: the agent's `toolTimeoutMs`. */
  timeoutMs?: number | undefined;
  /** A value: text, anything else as JSON; `toolOutput(…)` for more. What it throws becomes an error result. */
  run(input: InferSchema<Schema>, context: ToolContext): unknown;
}

/** Tools that come from elsewhere and may change between two steps, such as those of an MCP server. */
export interface ToolSource {
  readonly name: string;
  /** The tools as they are now; asked before each step. */
  tools(): readonly AgentTool[] | Promise<readonly AgentTool[]>;
  close?(): Promise<void>;
}

// ---- The agent ----

/** Said of a call before it runs: true lets it run; a text is the reason why not, which the model is told. */
export type Approval = boolean | string;

export interface AgentOptions {
  client: Client;
  /** `provider/model`. */
  model: string;
  /**
   * Names must differ. A provider's own tool (its web search) is declared as it is; where the caller has to run it
   * (computer use), an agent's tool of the same name does, and only the provider's declaration is sent.
   */
  tools?: readonly (AgentTool | ToolSource | ProviderTool)[] | undefined;
  /** A system message in front of every call; not part of the transcript. */
  instructions?: Content | undefined;
  /** Where everything is recorded. Default: a ledger in memory of the agent's own. */
  ledger?: Ledger | undefined;
  /**
   * The rest of each request: sampling, reasoning, toolChoice, provider options. A `toolChoice` that demands a call holds
   * for the first step of a run; afterwards the model may choose, or it would never come to an answer.
   */
  request?: Partial<Omit<ModelRequest, "messages" | "model" | "tools" | "stream">> | undefined;
  /** Retries, timeouts, fallbacks, headers of each call. */
  call?: Omit<CallOptions, "signal"> | undefined;
  /** Model calls per run. Default 32. */
  maxSteps?: number | undefined;
  /** Asked after every step that would go on; true ends the run with the reason "stopped". */
  stopWhen?: ((step: StepInfo) => boolean | Promise<boolean>) | undefined;
  /** Asked before a tool runs. Waiting here is fine: the run is recorded, and the signal tells if it is cancelled. */
  approve?: ((call: ToolCallPart, context: ToolContext) => Approval | Promise<Approval>) | undefined;
  /**
   * Writes what was queued into the thread, where that has to be one write with something else. Default: `ledger.append`.
   * What it throws ends the run, and the messages wait again.
   */
  append?: ((threadId: string, messages: readonly Message[]) => Promise<StoredMessage[]>) | undefined;
  /** How many tools run at the same time. Default 8. */
  maxParallel?: number | undefined;
  /** Default 2 minutes. */
  toolTimeoutMs?: number | undefined;
  /**
   * The most messages of the thread that a call sees; see `ledger.context`. Where the last question and what belongs to it
   * are more, the call sees more: it must be about something. Default: all.
   */
  maxMessages?: number | undefined;
  /** Hears of what the agent works around: a tool that a source lists later under a name that another one has. */
  onProblem?: ((problem: AgentError) => void) | undefined;
  /** How time passes, so that tests can hold it. */
  effects?: Partial<Pick<Effects, "sleep">> | undefined;
}

/** A step: one answer of the model, and the results of the tools that it called. */
export interface StepInfo {
  /** From 0, within this run of the agent. */
  index: number;
  /** The ledger's run that holds it. */
  runId: string;
  /** The answer and, where tools were called, the tool message. None where the answer said nothing at all. */
  messages: readonly StoredMessage[];
  finishReason: FinishReason;
  usage?: Usage;
}

export interface RunOptions {
  /** The thread to go on with. Default: a new one. */
  threadId?: string | undefined;
  /**
   * Cancels the run. Aborted with an `AgentError` "left" as its reason, it lets go of the run instead: calls that have no
   * result yet are not answered, and whoever resumes the thread goes on with them. The result rejects with that error.
   */
  signal?: AbortSignal | undefined;
  /**
   * The same key does not say the same again (B95): a repeated call gives the answer that follows what the first one
   * appended, or goes on to it where there is none yet.
   */
  idempotencyKey?: string | undefined;
}

export interface ResumeOptions {
  /** As in `RunOptions`. */
  signal?: AbortSignal | undefined;
  /** Does not wait for the lease of the writer that is gone. Only where it surely is. */
  force?: boolean | undefined;
}

/** What may wait for its turn: *steer* goes in after this round of tools, *follow-up* after this answer. */
export type QueueKind = "steer" | "follow-up";
export interface QueuedMessage {
  id: string;
  kind: QueueKind;
  message: Message;
}

/** Why a run of the agent ended. */
export type EndReason =
  /** The model said all, and nothing waits. */
  | "done"
  | "max-steps"
  | "stopped"
  | "cancelled"
  /** The answer ended in a way that calling again would not mend: length without a call, a filter, a refusal. */
  | "cut-off";

export interface AgentResult {
  threadId: string;
  reason: EndReason;
  /** The last answer; absent where there is none. */
  message?: StoredMessage;
  /** Its text, with that of the pieces before it where it had paused. */
  text: string;
  steps: StepInfo[];
  /** The sum of all steps, failed attempts included. */
  usage: Usage;
  /** What was queued and not said; where the run was cancelled before it could be, its input, too. */
  pending: QueuedMessage[];
}

export type AgentEvent =
  | { type: "message"; message: StoredMessage }
  | { type: "step-start"; index: number; runId: string }
  | { type: "delta"; runId: string; delta: Delta }
  | { type: "tool-start"; runId: string; call: ToolCallPart; again: boolean }
  | { type: "tool-end"; runId: string; call: ToolCallPart; result: ToolResultPart }
  | { type: "step-end"; step: StepInfo }
  | { type: "queued"; queued: QueuedMessage }
  /** It does not wait any more: it was said, and is in the thread, or it was taken back. */
  | { type: "unqueued"; queued: QueuedMessage; said: boolean }
  | { type: "end"; result: AgentResult };

/**
 * A run of the agent. It goes on whether or not somebody iterates. Events that nobody has read wait, except for deltas:
 * those that come before the first reader, or after the loop was left, are not kept, because there may be very many; the
 * message that they come to is an event of its own. What ends the run by an error is thrown by the iterator and by
 * `result`. Leaving the loop does not cancel it.
 */
export interface AgentRun extends AsyncIterableIterator<AgentEvent> {
  readonly threadId: Promise<string>;
  result(): Promise<AgentResult>;
  /**
   * Goes in after the tools that run now, before the model is asked again; where none is asked, as a follow-up. An answer
   * that paused goes on first. Takes one message, of the role user, system or developer.
   */
  steer(message: string | Message): QueuedMessage;
  /** Goes in when the model has nothing more to say. */
  followUp(message: string | Message): QueuedMessage;
  /** What waits. */
  readonly queue: readonly QueuedMessage[];
  /** Takes one back; false where it was said already. */
  unqueue(id: string): boolean;
  /** Ends the run, if it has not ended; the history stays legal. Resolves with what was not said, however it ended. */
  cancel(reason?: unknown): Promise<QueuedMessage[]>;
}

export interface Agent {
  /**
   * Says something, and lets the model and its tools work until the answer is done. A list may be a conversation from
   * elsewhere, if it ends with a message of the user. What was left behind in the thread is finished first. Where somebody
   * else works on it, the run ends with an `AgentError` "busy"; where that shows only after the words were said, it waits
   * as `resume` does.
   */
  run(input: string | Message | readonly Message[], options?: RunOptions): AgentRun;
  /**
   * Goes on with a thread whose agent was killed: calls whose results are recorded do not run again. Where its agent may be
   * alive, waits until it is not heard of any more. Nothing to do is no error.
   */
  resume(threadId: string, options?: ResumeOptions): AgentRun;
  /** Cancels its runs, and closes tool sources, and the ledger if it is the agent's own. It takes no more work then. */
  close(): Promise<void>;
}

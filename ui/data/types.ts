// Defines the types of the page's data: the server's replies, and the states and actions that the views use.
import type { Loss, Message, MessageDelta, ProviderError, ModelRequest, Role, StoredMessage, Usage } from "koine";

// ---- The server's replies ----

export interface ThreadJson {
  id: string;
  title: string | null;
  scope: string | null;
  /** "task" for a task; null for a plain conversation. */
  kind: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  activeLeafId: string | null;
  /** Present only in replies to the request that lists threads. */
  summary?: ThreadListSummary;
}

export interface ThreadListSummary {
  updatedAt: string;
  messages: number;
  /** Models of the thread's answers, most recently used first. */
  models: string[];
  usage?: Usage;
  /** Number of runs of the thread that have not ended. */
  live: number;
  /** Beginning of the first user message. */
  preview: string;
}

export interface ThreadSearchHit {
  threadId: string;
  messageId: string;
  snippet: string;
}

export interface RunJson {
  id: string;
  threadId: string;
  state: "created" | "streaming" | "committed" | "failed" | "cancelled" | "superseded";
  mode: "replace" | "branch";
  createdAt: string;
  finishedAt?: string;
  forkFromMessageId?: string | null;
  error?: ProviderError;
  usage?: Usage;
  losses: Loss[];
  attempts: Record<string, unknown>[];
  metadata: Record<string, unknown>;
}

/** A message of the thread's tree, without its parts. */
export interface OutlineNode {
  id: string;
  parentMessageId: string | null;
  role: Role;
  createdAt: string;
  /** Beginning of the message's text, on one line; "" if it has no text. */
  preview: string;
  runId?: string;
  model?: string;
  interrupted?: true;
  superseded?: true;
  /** Names of the tools that the message calls; absent without tool calls. */
  toolCalls?: string[];
  /** Number of tool results in the message; absent without tool results. */
  toolResults?: number;
}

/** An event of a thread's feed. */
export type ThreadEvent =
  | { cursor: string; type: "delta"; runId: string; delta: MessageDelta }
  | { cursor: string; type: "message"; runId?: string; message: StoredMessage }
  | { cursor: string; type: "run"; runId: string; run: RunJson }
  | { cursor: string; type: "entry"; entry: Record<string, unknown> };

export interface ModelInfo {
  /** Id that requests use, such as "demo/koine". */
  id: string;
  provider: string;
}

// ---- States and actions of the views ----

/** State of the event connection: "connecting" and "offline" mean that the shown data may be outdated. */
export type ConnectionStatus = "live" | "connecting" | "offline";

export type ThreadFilter = "all" | "chats" | "tasks";

export interface ThreadListState {
  status: "loading" | "ready" | "failed";
  error?: Error;
  connection: ConnectionStatus;
  /** Search text; "" lists all threads. */
  search: string;
  filter: ThreadFilter;
  threads: readonly ThreadJson[];
  /** Messages that match the search. */
  hits: readonly ThreadSearchHit[];
  /** True if there is a next page; "failed" if reading it failed. */
  more: boolean | "failed";
  /** Ids of the threads that were created since the page was opened, as the event feed reported. */
  createdIds: ReadonlySet<string>;
}

/** A run that failed, or that was cancelled before it produced a message. */
export interface FailedRun extends RunJson {
  /** Ids of the partial messages that the run stored, in order; the failure is shown after them. */
  messageIds: readonly string[];
}

/** A run that has not ended, with everything that it has streamed so far. */
export interface RunInProgress {
  runId: string;
  /** Id of the message that the run answers; null if the run starts the thread. */
  answeredId: string | null;
  model?: string;
  /** Streamed messages in order; the last one grows. Finished messages and parts stay the same objects (B100). */
  messages: readonly Message[];
  usage?: Usage;
  /** "waiting" before the first content; "ended" if the stream is over and the stored messages have not arrived yet. */
  state: "waiting" | "streaming" | "ended";
}

export interface QueueEntry {
  id: string;
  mode: "steer" | "follow-up";
  message: Message;
}

export interface PendingApproval {
  toolCallId: string;
  toolName: string;
  /** Arguments as the model wrote them, usually JSON. */
  argumentsText: string;
}

/** State of a task, besides its messages. */
export interface TaskActivity {
  state: "idle" | "running" | "waiting" | "failed" | "cancelled";
  approval: "ask" | "never";
  model?: string;
  queue: readonly QueueEntry[];
  approvals: readonly PendingApproval[];
  /** Error of the last failure; absent if the task has not failed since its work last started. */
  error?: { code: string; message: string };
}

/**
 * State of a thread for the views. Every change creates a new state object, in which unchanged values stay the same
 * objects.
 */
export interface ConversationState {
  status: "loading" | "ready" | "missing" | "failed";
  error?: Error;
  connection: ConnectionStatus;
  thread: ThreadJson | undefined;
  /** Every message of the tree, oldest first. */
  nodes: ReadonlyMap<string, OutlineNode>;
  /** Ids from the root to the active leaf. */
  path: readonly string[];
  /** Complete messages that are loaded, of all branches, by id. */
  bodies: ReadonlyMap<string, StoredMessage>;
  /** Runs that have not ended. The view shows a run if its `answeredId` is on the path. */
  liveRuns: readonly RunInProgress[];
  /**
   * Runs that failed, or were cancelled before they produced a message, by the id of the message that they answered. A
   * run is not included if the message has another answer or another run now answers it. Partial messages of a failed
   * run are also in `nodes`.
   */
  failures: ReadonlyMap<string, FailedRun>;
  task: TaskActivity | undefined;
  /** Model and settings that were chosen last in this chat; the next answer uses them. */
  answerSettings: AnswerSettings;
}

/** Model and settings with which an answer is requested. */
export interface AnswerSettings {
  model?: string;
  /** Sampling, reasoning and other settings of a canonical request. */
  settings?: Partial<Omit<ModelRequest, "model" | "messages" | "stream">>;
}

/** Options of `sendMessage`. */
export interface SendMessageOptions extends AnswerSettings {
  /** Time at which a task that is running receives the message: steer or follow-up. Chats ignore it. */
  mode?: QueueEntry["mode"];
  /**
   * Idempotency key: the server stores a message once, even if it is sent repeatedly with this key. In a chat, the
   * metadata of the message contains the key.
   */
  key?: string;
  /** Called when the message is stored, before an answer is requested. */
  onStored?: () => void;
}

/** Operations on a thread. Each rejects with an `ApiError` whose message can be shown. */
export interface ConversationActions {
  /** Loads the complete messages with these ids, except those that are already loaded. */
  loadBodies(ids: readonly string[]): void;
  /** Stores a message and requests an answer. If the task is running, the server queues the message instead. */
  sendMessage(message: Message, how?: SendMessageOptions): Promise<void>;
  /** Cancels the live runs, or the task's work. Returns the messages that were still queued. */
  stop(): Promise<Message[]>;
  /** Makes the newest leaf under this message the active leaf. */
  select(messageId: string): Promise<void>;
  /**
   * Stores an edited version of a message as its sibling; the original stays on its own branch. Requests an answer if
   * `answer` is given.
   */
  edit(messageId: string, message: Message, answer?: AnswerSettings): Promise<void>;
  /** Requests another answer in place of an assistant message, or an answer to a message of another role. */
  regenerate(messageId: string, how?: AnswerSettings): Promise<void>;
  /** Copies the path up to this message into a new thread. Returns the id of the new thread. */
  fork(messageId: string, title?: string): Promise<string>;
  /** Removes a message from a task's queue. Resolves with false if the message was no longer queued. */
  removeQueuedMessage(id: string): Promise<boolean>;
  decideToolCall(toolCallId: string, approve: boolean, reason?: string): Promise<void>;
  rename(title: string): Promise<void>;
  /**
   * Stores the model and settings of the next answer in the thread's metadata, for reloads and other tabs.
   * `sendMessage` and `regenerate` store them, too.
   */
  storeAnswerSettings(how: AnswerSettings): Promise<void>;
  /** Deletes the thread permanently. */
  remove(): Promise<void>;
}

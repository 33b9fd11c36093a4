// Types of the page's data: the server's replies, and the states and actions that the views use. No code.
import type { Loss, Message, MessageDelta, ProviderError, ModelRequest, Role, StoredMessage, Usage } from "koine";

// ---- The server's replies ----

export interface ThreadJson {
  id: string;
  title: string | null;
  scope: string | null;
  /** "task", or null for a plain conversation. */
  kind: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  activeLeafId: string | null;
  /** Only in lists. */
  summary?: ThreadListSummary;
}

export interface ThreadListSummary {
  updatedAt: string;
  messages: number;
  /** Most recently used first. */
  models: string[];
  usage?: Usage;
  /** Number of live runs. */
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

/** A message of the tree without its parts. */
export interface OutlineNode {
  id: string;
  parentMessageId: string | null;
  role: Role;
  createdAt: string;
  /** Beginning of its text, on one line. */
  preview: string;
  runId?: string;
  model?: string;
  interrupted?: true;
  superseded?: true;
  /** Names of the called tools. */
  toolCalls?: string[];
  toolResults?: number;
}

/** An event of a thread's feed. */
export type ThreadEvent =
  | { cursor: string; type: "delta"; runId: string; delta: MessageDelta }
  | { cursor: string; type: "message"; runId?: string; message: StoredMessage }
  | { cursor: string; type: "run"; runId: string; run: RunJson }
  | { cursor: string; type: "entry"; entry: Record<string, unknown> };

export interface ModelInfo {
  /** As a request names it: "demo/koine". */
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
  /** Threads that were created since the page was opened, as the feed reported. */
  createdIds: ReadonlySet<string>;
}

/** A run that ended without an answer. */
export interface FailedRun extends RunJson {
  /** Partial messages that it stored, in order; the failure is shown at these messages if there are any. */
  messageIds: readonly string[];
}

/** A run under way, with everything that it has streamed so far. */
export interface RunInProgress {
  runId: string;
  /** The message that it answers. */
  answeredId: string | null;
  model?: string;
  /** In order; the last one grows. Finished messages and parts keep their identity (B100). */
  messages: readonly Message[];
  usage?: Usage;
  /** "ended": the stored messages are about to arrive and replace this. */
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
  /** JSON text as the model wrote it. */
  argumentsText: string;
}

/** State of a task, besides its messages. */
export interface TaskActivity {
  state: "idle" | "running" | "waiting" | "failed" | "cancelled";
  approval: "ask" | "never";
  model?: string;
  queue: readonly QueueEntry[];
  approvals: readonly PendingApproval[];
  /** Error of the last failure. */
  error?: { code: string; message: string };
}

/** A thread as the views show it: a new object after every change, in which unchanged values keep their identity. */
export interface ConversationState {
  status: "loading" | "ready" | "missing" | "failed";
  error?: Error;
  connection: ConnectionStatus;
  thread: ThreadJson | undefined;
  /** Every message of the tree, oldest first. */
  nodes: ReadonlyMap<string, OutlineNode>;
  /** Ids from the root to the active leaf. */
  path: readonly string[];
  /** Loaded messages, of any branch. */
  bodies: ReadonlyMap<string, StoredMessage>;
  /** Runs under way; those whose `answeredId` is on the path are shown in it. */
  liveRuns: readonly RunInProgress[];
  /**
   * Runs that failed, or were cancelled before they produced a message, by the message that they answered. Runs whose
   * message has or gets another answer are not included. (Partial messages of a failed run are in `nodes`, too.)
   */
  failures: ReadonlyMap<string, FailedRun>;
  task: TaskActivity | undefined;
  /** Model and settings of the chat's next answer: those that were chosen last in this thread. */
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
  /** For a task at work: when the message is delivered. */
  mode?: QueueEntry["mode"];
  /** Idempotency key: repeated sends with it store the message once. Stored in the metadata of a chat's message. */
  key?: string;
  /** Called when the message is stored, before an answer is requested. */
  onStored?: () => void;
}

/** Operations on a thread. Each rejects with an `ApiError` whose message can be shown. */
export interface ConversationActions {
  /** Loads the bodies of these messages of one branch, unless they are loaded. */
  loadBodies(ids: readonly string[]): void;
  /** Stores a message and requests an answer; a task at work queues it. */
  sendMessage(message: Message, how?: SendMessageOptions): Promise<void>;
  /** Cancels the live runs, or the task's work. Returns the messages that were still queued. */
  stop(): Promise<Message[]>;
  /** Makes the branch through this message the active one. */
  select(messageId: string): Promise<void>;
  /** Adds an edited sibling of a message; the original stays as a branch. With `answerSettings`, requests an answer. */
  edit(messageId: string, message: Message, answer?: AnswerSettings): Promise<void>;
  /** Requests another answer in place of this one, or an answer to this message. */
  regenerate(messageId: string, how?: AnswerSettings): Promise<void>;
  /** Copies the path up to this message into a new thread. Returns its id. */
  fork(messageId: string, title?: string): Promise<string>;
  /** Removes a message from a task's queue; false if it was no longer queued. */
  removeQueuedMessage(id: string): Promise<boolean>;
  decideToolCall(toolCallId: string, approve: boolean, reason?: string): Promise<void>;
  rename(title: string): Promise<void>;
  /**
   * Stores the model and settings of the next answer in the thread's metadata, for reloads and other tabs;
   * `sendMessage` and `regenerate` do so, too.
   */
  storeAnswerSettings(how: AnswerSettings): Promise<void>;
  /** Deletes the thread permanently. */
  remove(): Promise<void>;
}

// What the page knows: the server's replies as it reads them, and what its views are given. Nothing here has a behaviour.
import type { Loss, Message, MessageDelta, ProviderError, ModelRequest, Role, StoredMessage, Usage } from "koine";

// ---- The server's replies ----

export interface Thread {
  id: string;
  title: string | null;
  scope: string | null;
  /** "task", or null for a plain conversation. */
  kind: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  activeLeafId: string | null;
  /** Only in lists. */
  summary?: ThreadSummary;
}

export interface ThreadSummary {
  updatedAt: string;
  messages: number;
  /** Last used first. */
  models: string[];
  usage?: Usage;
  /** Runs that are under way. */
  live: number;
  /** The first words that a user said. */
  preview: string;
}

export interface SearchHit {
  threadId: string;
  messageId: string;
  snippet: string;
}

export interface Run {
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

/** A message of the tree without its body. */
export interface OutlineNode {
  id: string;
  parentMessageId: string | null;
  role: Role;
  createdAt: string;
  /** One line of its first words. */
  preview: string;
  runId?: string;
  model?: string;
  interrupted?: true;
  superseded?: true;
  /** Names of the tools that it calls. */
  toolCalls?: string[];
  toolResults?: number;
}

/** What the events of a thread hold. */
export type ThreadEvent =
  | { cursor: string; type: "delta"; runId: string; delta: MessageDelta }
  | { cursor: string; type: "message"; runId?: string; message: StoredMessage }
  | { cursor: string; type: "run"; runId: string; run: Run }
  | { cursor: string; type: "entry"; entry: Record<string, unknown> };

export interface ModelInfo {
  /** As it is asked for: "demo/koine". */
  id: string;
  provider: string;
}

// ---- What views are given ----

/** Whether what is shown is up to date: events come in, are being connected to, or cannot be reached. */
export type Connection = "live" | "connecting" | "offline";

/** Which threads are listed. */
export type ThreadFilter = "all" | "chats" | "tasks";

export interface ThreadListState {
  status: "loading" | "ready" | "failed";
  error?: Error;
  connection: Connection;
  /** What was typed into the search; "" shows all. */
  search: string;
  filter: ThreadFilter;
  threads: readonly Thread[];
  /** Of a search: where the words stand. */
  hits: readonly SearchHit[];
  /** There are more: the next page can be read, unless it could not be. */
  more: boolean | "failed";
  /** Threads that were made since the page was opened, as they were told of. */
  made: ReadonlySet<string>;
}

/** A run without an answer. */
export interface FailedRun extends Run {
  /** What it had said before it broke off, in order; where there is something, that is where its failure is told. */
  messageIds: readonly string[];
}

/** An answer on its way: everything that its run has said so far. */
export interface LiveRun {
  runId: string;
  /** The message that it answers. */
  after: string | null;
  model?: string;
  /** In order; the last one grows. Settled messages and parts keep their identity (B100). */
  messages: readonly Message[];
  usage?: Usage;
  /** "ended": its recorded messages are about to arrive and take its place. */
  state: "waiting" | "streaming" | "ended";
}

export interface QueuedMessage {
  id: string;
  mode: "steer" | "follow-up";
  message: Message;
}

export interface PendingApproval {
  toolCallId: string;
  toolName: string;
  /** As the model wrote them. */
  argumentsText: string;
}

/** What a task is at, beside its messages. */
export interface TaskState {
  state: "idle" | "running" | "waiting" | "failed" | "cancelled";
  approval: "ask" | "never";
  model?: string;
  queue: readonly QueuedMessage[];
  approvals: readonly PendingApproval[];
  /** Why it failed last. */
  error?: { code: string; message: string };
}

/**
 * A thread as its views read it: a new object whenever something in it changed, in which everything that did not change
 * is the same object as before.
 */
export interface ConversationState {
  status: "loading" | "ready" | "missing" | "failed";
  error?: Error;
  connection: Connection;
  thread: Thread | undefined;
  /** Every message of the tree, oldest first. */
  nodes: ReadonlyMap<string, OutlineNode>;
  /** Ids from the root to the active leaf. */
  path: readonly string[];
  /** Bodies that are loaded, of whichever branch. */
  bodies: ReadonlyMap<string, StoredMessage>;
  /** Answers on their way; those whose `after` is on the path are shown in it. */
  live: readonly LiveRun[];
  /**
   * Runs that failed, or were stopped before they said anything: why there is no answer. By the message that they
   * answered; none that was answered since, or is being answered. (What a failed run had said stands in `nodes`, too.)
   */
  failures: ReadonlyMap<string, FailedRun>;
  task: TaskState | undefined;
  /** How the next question of a chat is asked, where nothing else is said: what was chosen last in this thread. */
  ask: AskSettings;
}

/** How a model is asked from the page. */
export interface AskSettings {
  model?: string;
  /** Sampling, reasoning and the like, as a canonical request has them. */
  settings?: Partial<Omit<ModelRequest, "model" | "messages" | "stream">>;
}

/** How something is said. */
export interface SayHow extends AskSettings {
  /** Of a task at work: when. */
  mode?: QueuedMessage["mode"];
  /** The same key says it once, however often it is tried; a chat's message bears it. */
  key?: string;
  /** Told as soon as it is recorded, before anybody is asked for an answer. */
  onSaid?: () => void;
}

/** Everything that can be done with a thread. Each rejects with an `ApiError` whose message can be shown. */
export interface ConversationActions {
  /** Loads the bodies of these messages of one branch, where they are not there yet. */
  need(ids: readonly string[]): void;
  /** Says something, and asks for an answer; of a task, it is queued while it works. */
  say(message: Message, how?: SayHow): Promise<void>;
  /** Ends the answers on their way; of a task, its work. Gives back what was still queued. */
  stop(): Promise<Message[]>;
  /** Makes another branch (or message in it) the active one. */
  select(messageId: string): Promise<void>;
  /** Puts another message in the place of one; the former stays as a branch. With `answer`, asks for an answer to it. */
  edit(messageId: string, message: Message, answer?: AskSettings): Promise<void>;
  /** Another answer in the place of this one, or an answer to this message. */
  regenerate(messageId: string, how?: AskSettings): Promise<void>;
  /** A thread of its own that holds the path up to here. Gives its id. */
  fork(messageId: string, title?: string): Promise<string>;
  /** Takes a message of a task's queue back; false where it does not wait any more. */
  takeBack(id: string): Promise<boolean>;
  decide(toolCallId: string, approve: boolean, reason?: string): Promise<void>;
  rename(title: string): Promise<void>;
  /** Keeps how questions are asked in this thread, over a reload and for other tabs; `say` and the like do so, too. */
  remember(how: AskSettings): Promise<void>;
  /** Deletes the thread for good. */
  remove(): Promise<void>;
}

// Declares the public types of thread lists, summaries, outlines and thread changes.
import type { Role, Usage } from "../../model/index.ts";
import type { SearchHit } from "../store/queries.ts";
import type { RunInfo, Thread, ThreadPage } from "../types.ts";

/** A message of an outline, with a preview instead of its content. */
export interface OutlinedMessage {
  id: string;
  parentMessageId: string | null;
  role: Role;
  createdAt: string;
  /** The beginning of the message's text on one line; "" if it has no text. */
  preview: string;
  runId?: string;
  model?: string;
  interrupted?: true;
  /** True if the run that produced the message was superseded. */
  superseded?: true;
  /** The names of the tools that the message calls. */
  toolCalls?: string[];
  /** The number of tool results in the message. */
  toolResults?: number;
}

/** The complete tree of a thread without contents, and the cursor from which to follow the thread. */
export interface Outline {
  thread: Thread;
  /**
   * The cursor after which to follow the thread. This yields every delta of the live runs from their beginning, and
   * every event that is written after the outline was read; some events that the outline includes may be repeated. null
   * means that the thread must be followed from its beginning.
   */
  cursor: string | null;
  activeLeafId: string | null;
  /** Every message of the tree, oldest first. */
  messages: OutlinedMessage[];
  /** The live runs, oldest first. */
  runs: RunInfo[];
}

/** The summary of a thread in a list. */
export interface ThreadSummary {
  /** The time of the last activity: a message, the beginning or end of a run, or a journal entry. */
  updatedAt: string;
  messages: number;
  /** The models of the last runs, newest first; at most five. */
  models: string[];
  /** The sum of the usage of all ended runs. */
  usage?: Usage;
  /** The number of live runs. */
  live: number;
  /** The beginning of the first user message's text, on one line. */
  preview: string;
}

/** A thread in a list. */
export interface ListedThread extends Thread {
  summary?: ThreadSummary;
}

/** Selects a page of threads and its order. */
export interface ThreadListPage extends Omit<ThreadPage, "before"> {
  /** The value of `next` of the previous page, which must have the same order. */
  before?: string | undefined;
  /** "id" (default): by id, largest first. "activity": latest activity first. */
  order?: "id" | "activity" | undefined;
  /** True to include summaries. Default false. */
  summary?: boolean | undefined;
}
/** A page of threads. */
export interface ThreadList {
  threads: ListedThread[];
  /**
   * The value of `before` for the next page; null if there is no next page. If the last page is full, the next page is
   * empty.
   */
  next: string | null;
}

/** The options of `ledger.searchThreads`. */
export interface ThreadSearchOptions extends Pick<ThreadListPage, "limit" | "kind" | "summary"> {}
/** The result of `ledger.searchThreads`. */
export interface ThreadSearchResult {
  /**
   * Threads whose title matches, newest first, then threads whose messages match, best match first. If there is not
   * enough room for all matches of either kind, half of the result are title matches.
   */
  threads: ListedThread[];
  /** The matching messages, at most three per thread. */
  hits: SearchHit[];
  /** True if there are further matching threads. */
  more: boolean;
}

/** The kinds of thread changes. */
export const THREAD_CHANGES = ["created", "activity", "selected", "updated", "deleted"] as const;

/**
 * A change of a thread. "activity" means a message, the beginning or end of a run, or a journal entry. "selected" means
 * that another message became the active leaf. "updated" means that the title or metadata changed, or that messages or
 * runs were purged.
 */
export interface ThreadChange {
  threadId: string;
  change: (typeof THREAD_CHANGES)[number];
}

/** The options of `ledger.watch`. */
export interface WatchOptions {
  signal?: AbortSignal | undefined;
}

// The public types of thread lists, summaries, outlines and thread changes.
import type { Role, Usage } from "../../model/index.ts";
import type { SearchHit } from "../store/queries.ts";
import type { RunInfo, Thread, ThreadPage } from "../types.ts";

/** A message without its content. */
export interface OutlinedMessage {
  id: string;
  parentMessageId: string | null;
  role: Role;
  createdAt: string;
  /** The beginning of its text, on one line; "" if there is none. */
  preview: string;
  runId?: string;
  model?: string;
  interrupted?: true;
  /** The run that made it was superseded. */
  superseded?: true;
  /** The names of the tools that it calls. */
  toolCalls?: string[];
  /** The number of its tool results. */
  toolResults?: number;
}

/** A thread's whole tree without contents, and the cursor to follow it from. */
export interface Outline {
  thread: Thread;
  /**
   * Following the thread after this cursor yields every delta of the live runs from their beginning, and every event
   * after the outline was read; some events that the outline includes may be repeated. null: the thread has no events
   * yet, follow from the beginning.
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
  /** The time of its last activity: a message, the beginning or end of a run, a journal entry. */
  updatedAt: string;
  messages: number;
  /** The models of its last runs, the newest first; at most five. */
  models: string[];
  /** The sum over its runs. */
  usage?: Usage;
  /** The number of its live runs. */
  live: number;
  /** The beginning of the first user text, on one line. */
  preview: string;
}

/** A thread in a list. */
export interface ListedThread extends Thread {
  summary?: ThreadSummary;
}

/** Selects a page of threads and its order. */
export interface ThreadListPage extends Omit<ThreadPage, "before"> {
  /** `next` of the previous page, in the same order. */
  before?: string | undefined;
  /** "id" (default): by id, largest first. "activity": latest activity first. */
  order?: "id" | "activity" | undefined;
  /** True to include summaries. Default false. */
  summary?: boolean | undefined;
}
/** A page of threads. */
export interface ThreadList {
  threads: ListedThread[];
  /** The position of the next page; null at the end. */
  next: string | null;
}

/** The options of `ledger.searchThreads`. */
export interface ThreadSearchOptions extends Pick<ThreadListPage, "limit" | "kind" | "summary"> {}
/** The result of `ledger.searchThreads`. */
export interface ThreadSearchResult {
  /**
   * Threads whose title matches, newest first, then threads whose messages match, best first. If there are more of both
   * than fit, half of the result are title matches.
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
 * A change of a thread. "created"; "activity": a message, the beginning or end of a run, a journal entry; "selected":
 * another active leaf; "updated": its title or metadata changed, or parts of it were purged; "deleted".
 */
export interface ThreadChange {
  threadId: string;
  change: (typeof THREAD_CHANGES)[number];
}

/** The options of `ledger.watch`. */
export interface WatchOptions {
  signal?: AbortSignal | undefined;
}

// What lists and pictures of threads show: enough to choose one and to draw its tree, without what was said in full.
import type { Role, Usage } from "../../model/index.ts";
import type { SearchHit } from "../store.ts";
import type { RunInfo, Thread, ThreadPage } from "../types.ts";

/** A message without its content. */
export interface OutlinedMessage {
  id: string;
  parentMessageId: string | null;
  role: Role;
  createdAt: string;
  /** How its text begins, on one line; "" where there is none. */
  preview: string;
  runId?: string;
  model?: string;
  interrupted?: true;
  /** The run that made it was replaced by another. */
  superseded?: true;
  /** The names of the tools that it calls. */
  toolCalls?: string[];
  /** How many results it holds. */
  toolResults?: number;
}

/** A thread's whole tree in short, and where to go on from there. */
export interface Outline {
  thread: Thread;
  /**
   * Following the thread after this gives every delta of the runs that are live from their beginning, and everything that
   * came after the outline was read; some of what is in it may be told again. null: nothing has happened yet, follow from
   * the beginning.
   */
  cursor: string | null;
  activeLeafId: string | null;
  /** Every message of the tree, oldest first. */
  messages: OutlinedMessage[];
  /** Those that are live, oldest first. */
  runs: RunInfo[];
}

/** What a list shows of a thread. */
export interface ThreadSummary {
  /** When something last happened in it: a message, the beginning or end of a run, an entry. */
  updatedAt: string;
  messages: number;
  /** Those that were asked in its last runs, the last first; at most five. */
  models: string[];
  /** The sum over its runs. */
  usage?: Usage;
  /** How many of its runs are live. */
  live: number;
  /** How the first text of a user begins, on one line. */
  preview: string;
}

export interface ListedThread extends Thread {
  summary?: ThreadSummary;
}

export interface ThreadListPage extends Omit<ThreadPage, "before"> {
  /** `next` of the page before, in the same order. */
  before?: string | undefined;
  /** "id" (default): by id, largest first. "activity": those in which something happened last come first. */
  order?: "id" | "activity" | undefined;
  /** Whether each comes with its summary. Default false. */
  summary?: boolean | undefined;
}
export interface ThreadList {
  threads: ListedThread[];
  /** Where the next page begins; null at the end. */
  next: string | null;
}

export interface ThreadSearchOptions extends Pick<ThreadListPage, "limit" | "kind" | "summary"> {}
export interface ThreadSearchResult {
  /**
   * Those whose title has the words, newest first, then those whose messages have them, best first. Where there are more
   * of both than fit, half of them are found by their titles.
   */
  threads: ListedThread[];
  /** What was found in messages, at most three a thread. */
  hits: SearchHit[];
  /** Whether there are threads that are not among them. */
  more: boolean;
}

export const THREAD_CHANGES = ["created", "activity", "selected", "updated", "deleted"] as const;

/**
 * What happened to a thread: it was made; something happened in it (a message, the beginning or end of a run, an entry);
 * another leaf was made active; its title or metadata were changed, or parts of it purged; it was deleted.
 */
export interface ThreadChange {
  threadId: string;
  change: (typeof THREAD_CHANGES)[number];
}

export interface WatchOptions {
  signal?: AbortSignal | undefined;
}

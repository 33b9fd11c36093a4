// The evidence of an episode: replies and events of clients and readers, effects of tools, and the content of the
// ledger. Plain data, so that the checker's test can tamper with it.
import type { RunInfo } from "../../../src/ledger/index.ts";
import type { StoredMessage } from "../../../src/model/index.ts";
import type { Effect } from "../../agent/kills/effect-log.ts";
import type { Invariant } from "./findings.ts";
import type { ToolName } from "./campaign-texts.ts";

/** A fault that a participant noticed. */
export interface Fault {
  where: string;
  what: string;
}

/** A turn of a conversation whose answer was read to its end. */
export interface Turn {
  question: string;
  answer: string;
  /** `x-koine-thread` and `x-koine-run` of the reply. */
  thread: string;
  run: string;
}
export interface Conversation {
  name: string;
  turns: readonly Turn[];
}

/** A message to a task. */
export interface Order {
  text: string;
  mode: "steer" | "follow-up";
  tools: readonly ToolName[];
  /** The task's reply; undefined if no reply arrived. */
  acknowledged?: { id: string; queued: boolean };
}
export interface Task {
  name: string;
  id: string;
  orders: readonly Order[];
  /** The task's status at the end. */
  state: string;
  waiting: number;
}

/** An event of a stream, with its id. */
export interface ReceivedEvent {
  id: string;
  // Written by the server under test.
  data: Record<string, unknown>;
}
export interface ReaderEvidence {
  of: "thread" | "task";
  /** The thread's id. */
  threadId: string;
  /** The reader's events, across disconnects. */
  received: readonly ReceivedEvent[];
  /** The same stream, read from its start at the end of the episode. */
  replayed: readonly ReceivedEvent[];
}

export interface ThreadEvidence {
  id: string;
  /** The active path. */
  path: readonly StoredMessage[];
  /** All messages of the tree. */
  tree: readonly StoredMessage[];
  runs: readonly RunInfo[];
}

export interface Evidence {
  conversations: readonly Conversation[];
  tasks: readonly Task[];
  readings: readonly ReaderEvidence[];
  threads: readonly ThreadEvidence[];
  effects: readonly Effect[];
  /** True if the deltas of all answers are still stored. */
  isRecent: boolean;
  /** Faults by invariant, with the number of checks. */
  faults: Readonly<Partial<Record<Invariant, { looked: number; faults: readonly Fault[] }>>>;
}

// What is known at the end of an episode: what clients and readers were told, what tools did, and what the ledger holds.
// Plain data, so that the checker can be shown evidence that was tampered with.
import type { RunInfo } from "../../../src/ledger/index.ts";
import type { StoredMessage } from "../../../src/model/index.ts";
import type { Effect } from "../../agent/kills/effects.ts";
import type { Invariant } from "./findings.ts";
import type { ToolName } from "./talk.ts";

/** Something that must not be, noticed by somebody on the way. */
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
  /** What the task replied; undefined where nobody heard it. */
  acknowledged?: { id: string; queued: boolean };
}
export interface Task {
  name: string;
  id: string;
  orders: readonly Order[];
  /** What the task says of itself at the end. */
  state: string;
  waiting: number;
}

/** An event of a stream, with its id. */
export interface Heard {
  id: string;
  // As the server under test wrote it.
  data: Record<string, unknown>;
}
export interface Reading {
  of: "thread" | "task";
  /** The thread's id. */
  threadId: string;
  /** What the reader heard, cut off and going on elsewhere. */
  heard: readonly Heard[];
  /** The same stream, read from its beginning when all was over. */
  replayed: readonly Heard[];
}

export interface ThreadFacts {
  id: string;
  /** The active path. */
  path: readonly StoredMessage[];
  /** Every message of the tree. */
  tree: readonly StoredMessage[];
  runs: readonly RunInfo[];
}

export interface Evidence {
  conversations: readonly Conversation[];
  tasks: readonly Task[];
  readings: readonly Reading[];
  threads: readonly ThreadFacts[];
  effects: readonly Effect[];
  /** Whether the pieces of all answers are still kept. */
  isRecent: boolean;
  /** By the invariant that they are about, with how often it was looked at. */
  faults: Readonly<Partial<Record<Invariant, { looked: number; found: readonly Fault[] }>>>;
}

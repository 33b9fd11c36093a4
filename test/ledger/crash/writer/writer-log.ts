// The log of a writer on its pipe: one line before an operation, one line with its result. A line that arrived is
// certain; an operation whose second line never arrived may or may not have taken place.
import type { DeletionCounts, RunMode } from "../../../../src/ledger/store/rows.ts";
import type { MessageDraft } from "./content.ts";

/**
 * The kinds of threads. "own": one writer, all operations; "mixed": several writers, no select and purge; "chain":
 * several writers, also no forks.
 */
export type ThreadKind = "own" | "mixed" | "chain";
export const readThreadKind = (threadId: string): ThreadKind => threadId.split("-", 1)[0] as ThreadKind;

interface InThread {
  threadId: string;
}
interface InRun extends InThread {
  runId: string;
}
export type Operation =
  | ({ kind: "create" | "observe" | "purge" } & InThread)
  /** A client that resends the whole active path with a new message. */
  | ({ kind: "findThread" } & InThread)
  | ({
      kind: "append";
      drafts: MessageDraft[];
      /** Absent: follows the active leaf. */
      parent?: string | null;
      expectedLeaf?: string | null;
      key?: string;
    } & InThread)
  /** The key of another operation with other messages: must be rejected. */
  | ({ kind: "misuse"; drafts: MessageDraft[]; key: string } & InThread)
  | ({
      kind: "begin";
      /** Absent: follows the active leaf. */
      fork?: string | null;
      mode: RunMode;
      key?: string;
      script: number;
    } & InThread)
  | ({ kind: "deltas"; from: number; to: number } & InRun)
  | ({ kind: "commit"; drafts?: MessageDraft[] } & InRun)
  | ({ kind: "fail" | "cancel" } & InRun)
  | ({ kind: "select"; messageId: string | null } & InThread)
  | { kind: "blob"; seed: number; size: number }
  | { kind: "recover" | "compact" | "open" };
export type OperationKind = Operation["kind"];

/** A stored message in short. */
export type WrittenMessage = [id: string, parentId: string | null];

export interface OperationResult {
  written?: WrittenMessage[];
  runId?: string;
  attached?: boolean;
  superseded?: string[];
  leaf?: string | null;
  /** For a resent history: its length, the number of known messages, the thread, and the last known message. */
  threadMatch?: { sent: number; known: number; threadId: string | null; leaf: string | null; wanted: string | null };
  recovered?: { runId: string; written: WrittenMessage[] }[];
  deleted?: DeletionCounts;
  blob?: string;
  count?: number;
}

export interface OperationFault {
  /** A LedgerError's code; "" for any other error, which is always wrong. */
  code: string;
  message: string;
  outcome?: "unknown";
}

export type WriterLogLine =
  | { at: "intent"; operation: string; lane: number; what: Operation }
  | { at: "done"; operation: string; result: OperationResult }
  | { at: "fault"; operation: string; fault: OperationFault }
  /** The writer kills itself here, before the statement. */
  | { at: "kill"; kind: OperationKind; point: string }
  /** The points that an undisturbed writer passed, by kind of operation. */
  | { at: "survey"; points: [kind: OperationKind, point: string, times: number][] }
  | { at: "ready" | "end" };

/** Splits chunks of a pipe into lines; a chunk without a line feed is incomplete. */
export class LineReader {
  #rest = "";
  readonly #take: (line: WriterLogLine) => void;

  constructor(take: (line: WriterLogLine) => void) {
    this.#take = take;
  }

  push(piece: string): void {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    // Lines of our own writers: a broken one throws, and the campaign stops.
    for (const line of lines) this.#take(JSON.parse(line) as WriterLogLine);
  }
}

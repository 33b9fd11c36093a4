// What a writer says on its pipe: before an operation what it is about to do, after it what came of it. A line that
// arrived was said; the operation whose second line never arrived may or may not have taken place.
import type { DeletionCounts, RunMode } from "../../../src/ledger/rows.ts";
import type { Draft } from "./content.ts";

/** Threads by what may happen in them. "own": one writer, everything; "mixed": several writers, no selecting and purging; "chain": several, no forks either. */
export type ThreadKind = "own" | "mixed" | "chain";
export const threadKind = (threadId: string): ThreadKind => threadId.split("-", 1)[0] as ThreadKind;

interface InThread {
  threadId: string;
}
interface InRun extends InThread {
  runId: string;
}
export type Operation =
  | ({ kind: "create" | "observe" | "purge" } & InThread)
  /** A client that sends the whole active path again, with something new behind it. */
  | ({ kind: "recognise" } & InThread)
  | ({
      kind: "append";
      drafts: Draft[];
      /** Absent: chains. */
      parent?: string | null;
      expectedLeaf?: string | null;
      key?: string;
    } & InThread)
  /** The key of another operation with other messages: must be refused. */
  | ({ kind: "misuse"; drafts: Draft[]; key: string } & InThread)
  | ({
      kind: "begin";
      /** Absent: chains. */
      fork?: string | null;
      mode: RunMode;
      key?: string;
      script: number;
    } & InThread)
  | ({ kind: "deltas"; from: number; to: number } & InRun)
  | ({ kind: "commit"; drafts?: Draft[] } & InRun)
  | ({ kind: "fail" | "cancel" } & InRun)
  | ({ kind: "select"; messageId: string | null } & InThread)
  | { kind: "blob"; seed: number; size: number }
  | { kind: "recover" | "compact" | "open" };
export type OperationKind = Operation["kind"];

/** A stored message in short. */
export type Written = [id: string, parentId: string | null];

export interface Result {
  written?: Written[];
  runId?: string;
  attached?: boolean;
  superseded?: string[];
  leaf?: string | null;
  /** Of a history that was sent again: how many messages it had, how many were known, of which thread, up to which one. */
  recognised?: { sent: number; known: number; threadId: string | null; leaf: string | null; wanted: string | null };
  recovered?: { runId: string; written: Written[] }[];
  deleted?: DeletionCounts;
  blob?: string;
  count?: number;
}

export interface Fault {
  /** A LedgerError's code; "" for any other error, which is never right. */
  code: string;
  message: string;
  outcome?: "unknown";
}

export type Line =
  | { at: "intent"; operation: string; lane: number; what: Operation }
  | { at: "done"; operation: string; result: Result }
  | { at: "fault"; operation: string; fault: Fault }
  /** The writer ends itself here, before this could happen. */
  | { at: "kill"; kind: OperationKind; point: string }
  /** What a writer that was left in peace passed through: by kind of operation, the points in it. */
  | { at: "survey"; points: [kind: OperationKind, point: string, times: number][] }
  | { at: "ready" | "end" };

/** Turns pieces of a pipe into lines; what has no line feed yet is not a line. */
export class LineReader {
  #rest = "";
  readonly #take: (line: Line) => void;

  constructor(take: (line: Line) => void) {
    this.#take = take;
  }

  push(piece: string): void {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    // Our own writers' lines: a broken one throws, and the campaign stops.
    for (const line of lines) this.#take(JSON.parse(line) as Line);
  }
}

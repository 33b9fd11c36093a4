// The expected content of a thread: a simple model of the tree, the runs and the active leaf.
import { type ReplacedRows, findReplacedMessages } from "../../../../src/ledger/purge/replaced-messages.ts";
import type { RunMode, RunRow, RunState } from "../../../../src/ledger/store/rows.ts";
import type { Delta, Message } from "../../../../src/model/index.ts";
import type { WrittenMessage } from "../writer/writer-log.ts";

export interface ModelMessage {
  id: string;
  parentId: string | null;
  runId: string | null;
  interrupted: boolean;
  content: Message;
  /** The record as it was first read; it never changes. */
  body?: string;
}

export interface ModelRun {
  id: string;
  /** The operation that began it. */
  name: string;
  /** undefined if the run follows the active leaf. */
  fork: string | null | undefined;
  mode: RunMode;
  script: Delta[];
  state: RunState;
  /** The number of deltas that must exist. */
  acknowledged: number;
  /** The numbers of deltas that may exist instead, after batches without a response. */
  possible: Set<number>;
  epoch: number;
  compacted: boolean;
}

export function isLive({ state }: { state: RunState }): boolean {
  return state === "created" || state === "streaming";
}

export class ThreadModel {
  readonly id: string;
  readonly messages = new Map<string, ModelMessage>();
  readonly runs = new Map<string, ModelRun>();
  /** The messages that each operation wrote and the run that it began; not removed by a purge. */
  readonly written = new Map<string, readonly WrittenMessage[]>();
  readonly begun = new Map<string, string>();
  /** Every id of a message or run so far, and the largest of the messages' ids. */
  readonly given = new Set<string>();
  #lastId = "";
  /** The possible active leaves: one, unless the last operation had no response. */
  leaves = new Set<string | null>([null]);

  constructor(id: string) {
    this.id = id;
  }

  /** Records new ids; returns true if all of them are new and, if known, larger than all earlier ones. */
  give(ids: readonly string[], inOrder: boolean): boolean {
    const fresh = ids.every((id) => !this.given.has(id) && (!inOrder || id > this.#lastId));
    for (const id of ids) {
      this.given.add(id);
      if (id > this.#lastId) this.#lastId = id;
    }
    return fresh;
  }

  /** Adds messages that follow each other. */
  add(
    written: readonly WrittenMessage[],
    content: readonly Message[],
    runId: string | null,
    interrupted: boolean,
  ): void {
    for (const [position, [id, parentId]] of written.entries()) {
      const message = content[position];
      if (message !== undefined) this.messages.set(id, { id, parentId, runId, interrupted, content: message });
    }
  }

  path(leaf: string | null): Set<string> {
    const path = new Set<string>();
    for (let at = leaf; at !== null; at = this.messages.get(at)?.parentId ?? null) path.add(at);
    return path;
  }

  /** Moves the leaf like a replacing commit, and returns the superseded runs. */
  replace(oldLeaf: string | null, newLeaf: string): string[] {
    const remaining = this.path(newLeaf);
    const superseded = new Set<string>();
    for (const id of this.path(oldLeaf)) {
      const runId = this.messages.get(id)?.runId;
      const run = remaining.has(id) || typeof runId !== "string" ? undefined : this.runs.get(runId);
      if (run?.state !== "committed") continue;
      run.state = "superseded";
      superseded.add(run.id);
    }
    this.leaves = new Set([newLeaf]);
    return [...superseded];
  }

  /**
   * Returns the messages that a purge deletes. The rule has its own tests; here all of them or none must be deleted.
   */
  replaced(leaf: string | null): ReplacedRows {
    const position = { tenant: "", threadId: this.id, role: "", digest: "" };
    const headers = [...this.messages.values()].map(({ id, parentId, runId }) => ({
      ...position,
      id,
      parentId,
      runId,
    }));
    headers.sort((a, b) => (a.id < b.id ? -1 : 1));
    const runs = [...this.runs.values()].map(({ id, state, fork }) => ({ id, state, forkFromId: fork ?? null }));
    // The rule uses no other column.
    return findReplacedMessages(headers, runs as RunRow[], leaf, Infinity);
  }

  /** Deletes the messages of a purge. */
  purge({ messageIds, runIds }: ReplacedRows): void {
    for (const id of messageIds) this.messages.delete(id);
    for (const id of runIds) this.runs.delete(id);
  }

  /** True if a message is on a path that no purge may delete. */
  isOnPath(leaf: string | null, id: string): boolean {
    if (this.path(leaf).has(id)) return true;
    const committed = [...this.messages.values()].filter(({ runId }) => {
      return runId !== null && this.runs.get(runId)?.state === "committed";
    });
    return committed.some((message) => this.path(message.id).has(id));
  }

  /** The only possible leaf; undefined if there are several. */
  get leaf(): string | null | undefined {
    return this.leaves.size === 1 ? [...this.leaves][0] : undefined;
  }
}

// What a thread should hold, kept beside the database: a plain model of the tree, the runs and the active leaf.
import { type Replaced, replacedOf } from "../../../src/ledger/purge/replaced.ts";
import type { RunMode, RunRow, RunState } from "../../../src/ledger/rows.ts";
import type { Delta, Message } from "../../../src/model/index.ts";
import type { Written } from "./journal.ts";

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
  /** undefined: chains. */
  fork: string | null | undefined;
  mode: RunMode;
  script: Delta[];
  state: RunState;
  /** How many deltas must be there. */
  acknowledged: number;
  /** How many may be there instead: after batches that nobody answered for. */
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
  /** What each operation wrote, and which run it began; kept when that is purged. */
  readonly written = new Map<string, readonly Written[]>();
  readonly begun = new Map<string, string>();
  /** Every id that a message or run ever had, and the largest of the messages'. */
  readonly given = new Set<string>();
  #lastId = "";
  /** Where the active leaf may be: one place, unless nobody answered for the last operation. */
  leaves = new Set<string | null>([null]);

  constructor(id: string) {
    this.id = id;
  }

  /** Notes ids that are given, and says whether all of them are new and, where it is known, larger than any before. */
  give(ids: readonly string[], inOrder: boolean): boolean {
    const fresh = ids.every((id) => !this.given.has(id) && (!inOrder || id > this.#lastId));
    for (const id of ids) {
      this.given.add(id);
      if (id > this.#lastId) this.#lastId = id;
    }
    return fresh;
  }

  /** Adds messages that follow each other. */
  add(written: readonly Written[], content: readonly Message[], runId: string | null, interrupted: boolean): void {
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

  /** Moves the leaf as a replacing commit does, and gives the runs that this supersedes. */
  replace(oldLeaf: string | null, newLeaf: string): string[] {
    const kept = this.path(newLeaf);
    const superseded = new Set<string>();
    for (const id of this.path(oldLeaf)) {
      const runId = this.messages.get(id)?.runId;
      const run = kept.has(id) || typeof runId !== "string" ? undefined : this.runs.get(runId);
      if (run?.state !== "committed") continue;
      run.state = "superseded";
      superseded.add(run.id);
    }
    this.leaves = new Set([newLeaf]);
    return [...superseded];
  }

  /** What a purge takes. Its rule has tests of its own: here it matters that all of it is taken or nothing. */
  replaced(leaf: string | null): Replaced {
    const place = { tenant: "", threadId: this.id, role: "", digest: "" };
    const headers = [...this.messages.values()].map(({ id, parentId, runId }) => ({ ...place, id, parentId, runId }));
    headers.sort((a, b) => (a.id < b.id ? -1 : 1));
    const runs = [...this.runs.values()].map(({ id, state, fork }) => ({ id, state, forkFromId: fork ?? null }));
    // The rule looks at no other column.
    return replacedOf(headers, runs as RunRow[], leaf, Infinity);
  }

  /** Takes what a purge takes. */
  purge({ messageIds, runIds }: Replaced): void {
    for (const id of messageIds) this.messages.delete(id);
    for (const id of runIds) this.runs.delete(id);
  }

  /** Whether a message is on a path that no purge may touch. */
  isHeld(leaf: string | null, id: string): boolean {
    if (this.path(leaf).has(id)) return true;
    const committed = [...this.messages.values()].filter(({ runId }) => {
      return runId !== null && this.runs.get(runId)?.state === "committed";
    });
    return committed.some((message) => this.path(message.id).has(id));
  }

  /** The only place where the leaf may be; undefined where there are several. */
  get leaf(): string | null | undefined {
    return this.leaves.size === 1 ? [...this.leaves][0] : undefined;
  }
}

// What a lane knows of a thread: the messages to fork from, the active leaf, and the runs in its hands.
import type { Run } from "../../../src/ledger/types.ts";
import type { Delta } from "../../../src/model/index.ts";
import { type ThreadKind, threadKind } from "./journal.ts";

export interface HeldRun {
  run: Run;
  script: Delta[];
  /** How many deltas were given. */
  given: number;
}

/** Fork points beyond these are not remembered: a long thread needs no more. */
const MOST = 200;

export class ThreadView {
  readonly id: string;
  readonly kind: ThreadKind;
  readonly held: HeldRun[] = [];
  ids: string[] = [];
  /** As this lane left it; others may move it in a thread that is shared. */
  leaf: string | null = null;
  /** Keys of this lane's appends, for using one again with other messages. */
  readonly keys: string[] = [];

  constructor(id: string) {
    this.id = id;
    this.kind = threadKind(id);
  }

  saw(ids: readonly string[], leaf: string | null): void {
    this.ids = ids.slice(-MOST);
    this.leaf = leaf;
  }

  wrote(ids: readonly string[], leaf: string | null = this.leaf): void {
    this.saw([...this.ids, ...ids], leaf);
  }

  heldRun(runId: string): HeldRun | undefined {
    return this.held.find(({ run }) => run.id === runId);
  }

  drop(runId: string): void {
    const at = this.held.findIndex(({ run }) => run.id === runId);
    if (at >= 0) this.held.splice(at, 1);
  }
}

// The state of a thread as a lane knows it: fork points, the active leaf, and its live runs.
import type { Run } from "../../../../src/ledger/types.ts";
import type { Delta } from "../../../../src/model/index.ts";
import { type ThreadKind, readThreadKind } from "./writer-log.ts";

export interface LiveLaneRun {
  run: Run;
  script: Delta[];
  /** The number of appended deltas. */
  given: number;
}

/** The maximum number of remembered fork points. */
const MAX_FORK_POINTS = 200;

export class ThreadView {
  readonly id: string;
  readonly kind: ThreadKind;
  readonly liveRuns: LiveLaneRun[] = [];
  ids: string[] = [];
  /** As this lane left it; in a shared thread other lanes may move it. */
  leaf: string | null = null;
  /** The idempotency keys of this lane's appends, to reuse one with other messages. */
  readonly keys: string[] = [];

  constructor(id: string) {
    this.id = id;
    this.kind = readThreadKind(id);
  }

  saw(ids: readonly string[], leaf: string | null): void {
    this.ids = ids.slice(-MAX_FORK_POINTS);
    this.leaf = leaf;
  }

  wrote(ids: readonly string[], leaf: string | null = this.leaf): void {
    this.saw([...this.ids, ...ids], leaf);
  }

  findLiveRun(runId: string): LiveLaneRun | undefined {
    return this.liveRuns.find(({ run }) => run.id === runId);
  }

  drop(runId: string): void {
    const at = this.liveRuns.findIndex(({ run }) => run.id === runId);
    if (at >= 0) this.liveRuns.splice(at, 1);
  }
}

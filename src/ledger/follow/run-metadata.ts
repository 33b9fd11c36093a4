// Adds the metadata of a run to its state change events. Metadata can be long, so it is stored only once, in the row of
// the run, and every event receives its current value.
import { toRunInfo } from "../runs/run-info.ts";
import type { RunEventBody } from "../runs/log-bodies.ts";
import { END_STATES, isLive } from "../runs/transitions.ts";
import type { LedgerScope } from "../scope.ts";
import type { RunInfo } from "../types.ts";

/** Reads and caches the metadata of runs. */
export class RunMetadataCache {
  readonly #scope: LedgerScope;
  /**
   * The metadata of ended runs, by run id. The metadata of an ended run cannot change, so it is read only once. The
   * entry of a run is deleted when the event of the run's end is returned.
   */
  readonly #endedRuns = new Map<string, RunInfo["metadata"]>();

  constructor(scope: LedgerScope) {
    this.#scope = scope;
  }

  async addMetadata({ run, hasMetadata }: RunEventBody): Promise<RunInfo> {
    if (hasMetadata !== true) return run;
    const metadata = this.#endedRuns.has(run.id) ? this.#endedRuns.get(run.id) : await this.#read(run.id);
    if (END_STATES.includes(run.state)) this.#endedRuns.delete(run.id);
    return metadata === undefined ? run : { ...run, metadata };
  }

  async #read(runId: string): Promise<RunInfo["metadata"]> {
    const row = await this.#scope.store.reads.run(this.#scope.tenant, runId);
    if (row === undefined) return undefined;
    const { metadata } = toRunInfo(row, this.#scope.report);
    if (!isLive(row.state)) this.#endedRuns.set(runId, metadata);
    return metadata;
  }
}

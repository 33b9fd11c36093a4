// What the caller says of a run, put back into its changes of state: it can be long, so that it is kept once, with the
// run, and is given as it is now.
import { infoOf } from "../runs/info.ts";
import type { RunEvent } from "../runs/log.ts";
import { ENDS, isLive } from "../runs/transitions.ts";
import type { Scope } from "../scope.ts";
import type { RunInfo } from "../types.ts";

export class RunMetadata {
  readonly #scope: Scope;
  /** Of runs that had ended when they were read, and whose end was not yet told: it changes no more. */
  readonly #known = new Map<string, RunInfo["metadata"]>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  async join({ run, hasMetadata }: RunEvent): Promise<RunInfo> {
    if (hasMetadata !== true) return run;
    const metadata = this.#known.has(run.id) ? this.#known.get(run.id) : await this.#read(run.id);
    if (ENDS.includes(run.state)) this.#known.delete(run.id);
    return metadata === undefined ? run : { ...run, metadata };
  }

  async #read(runId: string): Promise<RunInfo["metadata"]> {
    const row = await this.#scope.store.reads.run(this.#scope.tenant, runId);
    if (row === undefined) return undefined;
    const { metadata } = infoOf(row, this.#scope.report);
    if (!isLive(row.state)) this.#known.set(runId, metadata);
    return metadata;
  }
}

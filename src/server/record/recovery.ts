// Ends the runs of processes that are gone: what they had streamed is kept, marked interrupted (B90).
import type { Services } from "../types.ts";

const DEFAULT_LEASE = 30_000;

/** Looks for such runs at once, and from then on whenever a lease may have ended. */
export class Recovery {
  readonly #services: Services;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(services: Services) {
    this.#services = services;
  }

  async start(): Promise<void> {
    const { leaseMs = DEFAULT_LEASE } = this.#services.config.ledger;
    this.#timer = setInterval(() => void this.#recover(), leaseMs).unref();
    await this.#recover();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  #recover(): Promise<void> {
    return (this.#working = this.#endLost());
  }

  /** What cannot be done now is tried again the next time. */
  async #endLost(): Promise<void> {
    const { ledger, log, metrics } = this.#services;
    try {
      const recovered = await ledger.recover({ everyTenant: true });
      if (recovered.length === 0) return;
      metrics.counter("koine_recovered_runs_total", "Runs whose process was gone.").add(recovered.length);
      log.warn("record.recovered", { runs: recovered.length });
    } catch (error) {
      log.error("record.recovery", {}, error);
    }
  }
}

// Recovers the runs of dead processes: the partial answers of the runs are stored and marked as interrupted (B90).
import type { Services } from "../types.ts";

const DEFAULT_RECOVERY_INTERVAL_MS = 30_000;

/** Recovers runs when the server starts, and then once per lease time. */
export class RunRecovery {
  readonly #services: Services;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(services: Services) {
    this.#services = services;
  }

  async start(): Promise<void> {
    const { leaseMs = DEFAULT_RECOVERY_INTERVAL_MS } = this.#services.config.ledger;
    this.#timer = setInterval(() => void this.#recover(), leaseMs).unref();
    await this.#recover();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  #recover(): Promise<void> {
    return (this.#working = this.#recoverOnce());
  }

  /** Recovers runs once. An error is only logged, because the recovery is repeated at the next interval. */
  async #recoverOnce(): Promise<void> {
    const { ledger, log, metrics } = this.#services;
    try {
      const recovered = await ledger.recover({ everyTenant: true });
      if (recovered.length === 0) return;
      metrics.counter("koine_recovered_runs_total", "Recovered runs of dead processes.").add(recovered.length);
      log.warn("record.recovered", { runs: recovered.length });
    } catch (error) {
      log.error("record.recovery", {}, error);
    }
  }
}

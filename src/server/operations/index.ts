// Health, readiness and metrics: what whoever runs a server asks it.
import type { Operation, ServerModule, Reply, Services } from "../types.ts";

/** How long the ledger may take to say that it is there. */
const READY_MS = 2000;

/** For how long what the ledger said holds: whoever asks more often is told the same. */
const KEPT_MS = 1000;

export function operationsPart(services: Services): ServerModule {
  const readiness = createReadiness(services);
  return {
    start: () => warnOfHidden(services),
    routes: [
      { method: "GET", paths: ["/healthz"], public: true, operation: HEALTH, run: () => json(200, { status: "ok" }) },
      { method: "GET", paths: ["/readyz"], public: true, operation: READY, run: readiness },
      // It tells what goes on, so it wants a token where there are tokens; of tenants it does not tell.
      { method: "GET", paths: ["/metrics"], operation: METRICS, run: () => metrics(services) },
    ],
  };
}

/** Asks the ledger, once at a time however many ask, and logs when its state has changed. */
function createReadiness({ draining, ledger, log }: Services): () => Promise<Reply> {
  let wasThere = true;
  let asked: Promise<boolean> | undefined;
  const probe = async (): Promise<boolean> => {
    const error = await within(READY_MS, ledger.threads({ limit: 1 })).then(
      () => undefined,
      (thrown: unknown) => thrown ?? "unknown",
    );
    const isThere = error === undefined;
    if (!isThere && wasThere) log.error("ledger unavailable", {}, error);
    if (isThere && !wasThere) log.info("ledger available");
    wasThere = isThere;
    setTimeout(() => (asked = undefined), KEPT_MS).unref();
    return isThere;
  };
  return async () => {
    if (draining.aborted) return json(503, { status: "unavailable", reason: "shutting down" });
    const isThere = await (asked ??= probe());
    if (isThere) return json(200, { status: "ok" });
    return json(503, { status: "unavailable", reason: "the ledger does not answer" });
  };
}

/** What was recorded before there were tenants belongs to the tenant "default", which nobody may be any more. */
async function warnOfHidden({ config, ledger, log }: Services): Promise<void> {
  if (config.tenants.size === 0 || config.tenants.has(ledger.tenant)) return;
  // Where the ledger does not answer, readiness says so.
  const threads = await ledger.threads({ limit: 1 }).catch(() => []);
  if (threads.length === 0) return;
  log.warn("threads of no tenant", {
    tenant: ledger.tenant,
    hint: `Threads of before there were tenants belong to "${ledger.tenant}": name a tenant so to reach them.`,
  });
}

function within(ms: number, work: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The ledger did not answer within ${ms} ms.`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function metrics(services: Services): Reply {
  const { heapUsed, rss } = process.memoryUsage();
  services.metrics.gauge("koine_memory_bytes", "Memory of the process.").set(rss, { kind: "resident" });
  services.metrics.gauge("koine_memory_bytes", "Memory of the process.").set(heapUsed, { kind: "heap" });
  return {
    status: 200,
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    body: services.metrics.text(),
  };
}

function json(status: number, body: object): Reply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

const STATUS = {
  type: "object",
  properties: { status: { type: "string" }, reason: { type: "string" } },
  required: ["status"],
};
const HEALTH: Operation = {
  id: "getHealth",
  tag: "operations",
  summary: "Whether the process lives.",
  replies: { 200: { description: "It does.", schema: STATUS } },
};
const READY: Operation = {
  id: "getReadiness",
  tag: "operations",
  summary: "Whether calls should be sent here: the ledger answers, and the server is not shutting down.",
  replies: {
    200: { description: "It is ready.", schema: STATUS },
    503: { description: "It is not; `reason` says why.", schema: STATUS },
  },
};
const METRICS: Operation = {
  id: "getMetrics",
  tag: "operations",
  summary: "Counters and histograms in Prometheus' text format.",
  replies: { 200: { description: "Metrics.", type: "text/plain" } },
};

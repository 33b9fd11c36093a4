// Creates the operations module: the routes for liveness, readiness and metrics.
import type { Operation, ServerModule, ServerReply, Services } from "../types.ts";

/** The time limit for the ledger's reply to a readiness check, in milliseconds. */
const READY_MS = 2000;

/** The time for which a readiness result is reused, in milliseconds. */
const READINESS_CACHE_MS = 1000;

export function operationsModule(services: Services): ServerModule {
  const readiness = createReadiness(services);
  return {
    start: () => warnAboutHiddenThreads(services),
    routes: [
      { method: "GET", paths: ["/healthz"], public: true, operation: HEALTH, run: () => json(200, { status: "ok" }) },
      { method: "GET", paths: ["/readyz"], public: true, operation: READY, run: readiness },
      // The route of the metrics is not public, because the metrics show the load of the server. They contain no tenant
      // names, so any tenant may read them.
      { method: "GET", paths: ["/metrics"], operation: METRICS, run: () => metrics(services) },
    ],
  };
}

/** Creates the readiness check. Concurrent checks share one query to the ledger; changes of availability are logged. */
function createReadiness({ draining, ledger, log }: Services): () => Promise<ServerReply> {
  let wasAvailable = true;
  let pendingProbe: Promise<boolean> | undefined;
  const probe = async (): Promise<boolean> => {
    const error = await rejectAfter(READY_MS, ledger.threads({ limit: 1 })).then(
      () => undefined,
      (thrown: unknown) => thrown ?? "unknown",
    );
    const isAvailable = error === undefined;
    if (!isAvailable && wasAvailable) log.error("ledger unavailable", {}, error);
    if (isAvailable && !wasAvailable) log.info("ledger available");
    wasAvailable = isAvailable;
    setTimeout(() => (pendingProbe = undefined), READINESS_CACHE_MS).unref();
    return isAvailable;
  };
  return async () => {
    if (draining.aborted) return json(503, { status: "unavailable", reason: "shutting down" });
    const isAvailable = await (pendingProbe ??= probe());
    if (isAvailable) return json(200, { status: "ok" });
    return json(503, { status: "unavailable", reason: "the ledger does not answer" });
  };
}

/**
 * Logs a warning if threads were recorded before tenants were configured. These threads belong to the tenant "default",
 * which no token can access.
 */
async function warnAboutHiddenThreads({ config, ledger, log }: Services): Promise<void> {
  if (config.tenants.size === 0 || config.tenants.has(ledger.tenant)) return;
  // An error is ignored, because the readiness check reports an unreachable ledger.
  const threads = await ledger.threads({ limit: 1 }).catch(() => []);
  if (threads.length === 0) return;
  log.warn("threads without a configured tenant", {
    tenant: ledger.tenant,
    hint: `Threads that were recorded before tenants were configured belong to "${ledger.tenant}": add a tenant of this name to reach them.`,
  });
}

function rejectAfter(ms: number, work: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The ledger did not answer within ${ms} ms.`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function metrics(services: Services): ServerReply {
  const { heapUsed, rss } = process.memoryUsage();
  services.metrics.gauge("koine_memory_bytes", "Memory of the process.").set(rss, { kind: "resident" });
  services.metrics.gauge("koine_memory_bytes", "Memory of the process.").set(heapUsed, { kind: "heap" });
  return {
    status: 200,
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    body: services.metrics.text(),
  };
}

function json(status: number, body: object): ServerReply {
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
  summary: "Liveness of the process.",
  replies: { 200: { description: "The process is alive.", schema: STATUS } },
};
const READY: Operation = {
  id: "getReadiness",
  tag: "operations",
  summary: "Readiness for calls: the ledger responds, and the server is not shutting down.",
  replies: {
    200: { description: "The server is ready.", schema: STATUS },
    503: { description: "The server is not ready; `reason` has the cause.", schema: STATUS },
  },
};
const METRICS: Operation = {
  id: "getMetrics",
  tag: "operations",
  summary: "Counters and histograms in Prometheus' text format.",
  replies: { 200: { description: "Metrics.", type: "text/plain" } },
};

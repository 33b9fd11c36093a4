// Creates the services that all modules share: ledger, client context, log, metrics, tracer, and the shutdown signals.
import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "../assembly/index.ts";
import { createClientContext } from "../calls/index.ts";
import type { HeadersInput, Transport } from "../client/index.ts";
import { defaultTransport } from "../client/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { openLedger } from "../ledger/index.ts";
import { decodePercent } from "./config/decode-percent.ts";
import type { ServerConfig } from "./config/types.ts";
import { createAttemptObserver } from "./operations/observe-exchanges.ts";
import { createLogger } from "./operations/logger.ts";
import { createTracer } from "./operations/otlp.ts";
import { createMetrics } from "./operations/prometheus.ts";
import { createRedactor } from "./operations/redact.ts";
import type { Services } from "./types.ts";

/** Dependencies of a server that tests and embedding programs can replace. */
export interface ServerOptions {
  clock?: Clock;
  /** Writes log lines. Default: to standard error. */
  write?: (lines: string) => void;
  /** The transport that sends calls to providers. The server does not close a given transport. */
  transport?: Transport;
  /** The ledger that replaces the ledger of the configuration. The server does not close a given ledger. */
  ledger?: Ledger;
  /** The name of this process, which must be unique on a shared database. Default: a random UUID. */
  instance?: string;
  /**
   * The time limit in milliseconds for modules and remaining requests to stop. It starts when all open requests have
   * finished or `drainMs` has passed. Default: 5000.
   */
  stopMs?: number;
  /**
   * Waits for `ms` milliseconds. At shutdown it is called with `lameDuckMs`, while the server still listens. Default: a
   * timer.
   */
  pause?: (ms: number) => Promise<unknown>;
}

/** The services of a server with the controls for shutdown. Modules receive the services without these controls. */
export interface ServerServices extends Services {
  /**
   * The controller of `draining`. It is aborted when shutdown begins, to end streams that only follow stored events.
   */
  readonly drain: AbortController;
  /**
   * The controller of `stopping`. It is aborted when all open requests have finished or `drainMs` has passed, to end
   * all remaining work.
   */
  readonly stop: AbortController;
  readonly stopMs: number;
  readonly pause: (ms: number) => Promise<unknown>;
  /** Resolves when all work that was registered with `background` has ended. */
  backgroundSettled(): Promise<void>;
  close(): Promise<void>;
}

export async function createServices(config: ServerConfig, options: ServerOptions): Promise<ServerServices> {
  const { clock = Date.now, write = (lines) => process.stderr.write(lines), instance = randomUUID() } = options;
  const log = createLogger({ settings: config.log, clock, write, redact: createRedactor(collectSecrets(config)) });
  const metrics = createMetrics();
  const transport = options.transport ?? defaultTransport();
  const drain = new AbortController();
  const stop = new AbortController();
  const pendingWork = new Set<Promise<unknown>>();
  const tracer = createTracer({
    telemetry: config.telemetry,
    transport: () => transport,
    now: () => new Date(clock()).getTime(),
    randomHex: (bytes) => randomBytes(bytes).toString("hex"),
    instance,
    log,
    metrics,
  });
  const clientContext = createClientContext({
    providers: config.providers,
    defaultProvider: config.defaultProvider,
    prices: config.prices,
    onAttempt: createAttemptObserver(metrics, log),
    transport,
    effects: { clock },
  });
  // The ledger is opened last, so that an invalid setting throws before any resource is open.
  const ledger = options.ledger ?? (await openLedger(config.ledger.url, ledgerOptions(config, clock, log)));
  return {
    config,
    ledger,
    clientContext,
    clock,
    log,
    metrics,
    tracer,
    instance,
    drain,
    stop,
    stopMs: options.stopMs ?? 5000,
    pause: options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    draining: drain.signal,
    stopping: stop.signal,
    background(promise) {
      pendingWork.add(promise);
      void promise
        .catch((error: unknown) => log.error("background", {}, error))
        .finally(() => pendingWork.delete(promise));
    },
    async backgroundSettled() {
      // The loop repeats, because work that has ended may have registered more work.
      while (pendingWork.size > 0) await Promise.allSettled(pendingWork);
    },
    async close() {
      // Tracer and ledger are closed in parallel, because an unreachable trace collector must not delay the ledger.
      await Promise.all([tracer.close(), options.ledger === undefined ? ledger.close() : undefined]);
      if (options.transport === undefined) await transport.close();
      log.flush();
    },
  };
}

function ledgerOptions({ ledger }: ServerConfig, clock: Clock, log: Services["log"]): Parameters<typeof openLedger>[1] {
  const { sync, flushMs, leaseMs, connections } = ledger;
  return {
    clock,
    sync,
    flushMs,
    leaseMs,
    connections,
    onProblem: ({ tenant, threadId, messageId, reason }) =>
      log.error("record unreadable", { tenant, threadId, messageId, reason }),
  };
}

/** Returns the texts that must never appear in logs: API keys, passwords, and header values that may contain them. */
function collectSecrets({ providers, telemetry, tasks, ledger }: ServerConfig): string[] {
  const secrets = Object.values(telemetry?.headers ?? {});
  const address = URL.parse(ledger.url);
  // Postgres accepts the password as user information or as a query parameter of the URL, so both places are read.
  for (const password of [address?.password ?? "", address?.searchParams.get("password") ?? ""]) {
    secrets.push(password, decodePercent(password) ?? password);
  }
  for (const provider of Object.values(providers)) {
    if ("answer" in provider) continue;
    if (typeof provider.apiKey === "string") secrets.push(provider.apiKey);
    secrets.push(...headerValues(provider.headers), ...Object.values(provider.query ?? {}));
  }
  for (const server of tasks.mcpServers) {
    if ("headers" in server && typeof server.headers === "object") secrets.push(...Object.values(server.headers));
    for (const [name, value] of Object.entries("env" in server ? (server.env ?? {}) : {})) {
      if (/key|token|secret|password/i.test(name)) secrets.push(value);
    }
  }
  return secrets;
}

function headerValues(headers: HeadersInput | undefined): string[] {
  if (headers === undefined) return [];
  return Symbol.iterator in headers ? [...headers].map(([, value]) => value) : Object.values(headers);
}

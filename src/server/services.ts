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

/** Dependencies of a server that tests and embedders replace. */
export interface ServerOptions {
  clock?: Clock;
  /** Writes log lines; default: standard error. */
  write?: (lines: string) => void;
  /** Sends calls to providers. A given transport is not closed by the server. */
  transport?: Transport;
  /** Replaces the ledger of the configuration. A given ledger is not closed by the server. */
  ledger?: Ledger;
  /** The name of this process; default: a random UUID. */
  instance?: string;
  /** The time limit for modules to stop after `drainMs` has passed, in milliseconds. Default: 5000. */
  stopMs?: number;
  /** Waits for `lameDuckMs`, while a closing server still listens. Default: a timer. */
  pause?: (ms: number) => Promise<unknown>;
}

/** The services, and the controls for shutdown, which modules do not receive. */
export interface ServerServices extends Services {
  /** Aborts `draining` when shutdown begins, which ends streams that only follow stored events. */
  readonly drain: AbortController;
  /** Aborts `stopping` later during shutdown, which ends all other work. */
  readonly stop: AbortController;
  readonly stopMs: number;
  readonly pause: (ms: number) => Promise<unknown>;
  /** Resolves when no background work is left. */
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
  // The ledger opens last, so that a faulty setting throws before any resource is open.
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
      // The loop repeats, because work that has finished may have started more work.
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
  // Postgres also accepts the password as a query parameter, so both places are read.
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

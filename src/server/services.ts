// What the parts are made of, made once: ledger, session, log, metrics, spans, and the signals of a shutdown.
import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "../assembly/index.ts";
import { createSession } from "../client/client.ts";
import type { HeadersInput, Transport } from "../client/index.ts";
import { defaultTransport } from "../client/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { openLedger } from "../ledger/index.ts";
import { decoded } from "./config/decoded.ts";
import type { ServerConfig } from "./config/types.ts";
import { watchAgentCalls } from "./operations/agent-calls.ts";
import { attemptTeller } from "./operations/exchanges.ts";
import { createLogger } from "./operations/logger.ts";
import { createTracer } from "./operations/otlp.ts";
import { createMetrics } from "./operations/prometheus.ts";
import { redactor } from "./operations/redact.ts";
import type { Services } from "./types.ts";

/** What a server takes from its surroundings; each has its real one as default. */
export interface ServerOptions {
  clock?: Clock;
  /** Where log lines go; default: standard error. */
  write?: (lines: string) => void;
  /** How calls to providers travel; one that is given is not closed. */
  transport?: Transport;
  /** Instead of the one that the configuration names; one that is given is not closed. */
  ledger?: Ledger;
  /** Names this process; default: a random one. */
  instance?: string;
  /** How long what was told to stop may take, when the time to finish is over. Default 5 s. */
  stopMs?: number;
}

/** The services, and what only the server itself does with them. */
export interface OwnServices extends Services {
  /** Ends the following of streams, then everything. */
  readonly drain: AbortController;
  readonly stop: AbortController;
  readonly stopMs: number;
  /** Resolves when nothing goes on in the background. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export async function makeServices(config: ServerConfig, options: ServerOptions): Promise<OwnServices> {
  const { clock = Date.now, write = (lines) => process.stderr.write(lines), instance = randomUUID() } = options;
  const log = createLogger({ settings: config.log, clock, write, redact: redactor(secretsOf(config)) });
  const metrics = createMetrics();
  const transport = options.transport ?? defaultTransport();
  const drain = new AbortController();
  const stop = new AbortController();
  const work = new Set<Promise<unknown>>();
  const tracer = createTracer({
    telemetry: config.telemetry,
    transport: () => transport,
    now: () => new Date(clock()).getTime(),
    randomHex: (bytes) => randomBytes(bytes).toString("hex"),
    instance,
    log,
    metrics,
  });
  const session = createSession({
    providers: config.providers,
    defaultProvider: config.defaultProvider,
    prices: config.prices,
    onAttempt: attemptTeller(metrics, log),
    // The gateway asks without a client, and watches its calls itself.
    middleware: [watchAgentCalls(metrics, tracer)],
    transport,
    effects: { clock },
  });
  // Last: what can be wrong with the settings is wrong before anything is open.
  const ledger = options.ledger ?? (await openLedger(config.ledger.url, ledgerOptions(config, clock, log)));
  return {
    config,
    ledger,
    session,
    clock,
    log,
    metrics,
    tracer,
    instance,
    drain,
    stop,
    stopMs: options.stopMs ?? 5000,
    draining: drain.signal,
    stopping: stop.signal,
    background(promise) {
      work.add(promise);
      void promise.catch((error: unknown) => log.error("background", {}, error)).finally(() => work.delete(promise));
    },
    async settled() {
      // What ends may begin something else.
      while (work.size > 0) await Promise.allSettled(work);
    },
    async close() {
      // A collector that is away does not hold up what must be durable.
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

/** Texts that must never be shown: keys, and headers that carry them. */
function secretsOf({ providers, telemetry, tasks, ledger }: ServerConfig): string[] {
  const secrets = Object.values(telemetry?.headers ?? {});
  const address = URL.parse(ledger.url);
  // Postgres also takes it from the query.
  for (const password of [address?.password ?? "", address?.searchParams.get("password") ?? ""]) {
    secrets.push(password, decoded(password) ?? password);
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

// Default values of the server's settings.
import { demo } from "../../client/index.ts";
import { isLoopback } from "../http/access-guard.ts";
import { checkDurations } from "./check-durations.ts";
import type { ServerLimits, ServerConfig } from "./types.ts";

const LAME_DUCK_MS = 2000;

/** The default limits for clients. */
export const DEFAULT_LIMITS: ServerLimits = {
  bodyBytes: 64 * 1024 * 1024,
  importBytes: 1024 * 1024 * 1024,
  depth: 256,
  headers: 100,
  headerBytes: 32 * 1024,
  headersMs: 10_000,
  requestMs: 300_000,
  idleMs: 75_000,
  stallMs: 60_000,
  open: 1000,
  connections: 10_000,
};

/** Settings from code; every omitted setting has its default. */
export type ConfigInput = Partial<Omit<ServerConfig, "limits" | "record" | "ledger" | "tasks">> & {
  limits?: Partial<ServerLimits>;
  record?: Partial<ServerConfig["record"]>;
  ledger?: Partial<ServerConfig["ledger"]>;
  tasks?: Partial<ServerConfig["tasks"]>;
};

/**
 * Completes settings. Default provider: `demo`; default ledger: in memory. Throws a `ConfigError` for durations that no
 * timer supports.
 */
export function completeConfig({ limits, record, ledger, tasks, ...settings }: ConfigInput = {}): ServerConfig {
  const config: ServerConfig = {
    host: "127.0.0.1",
    port: 4141,
    data: "",
    providers: { demo: demo() },
    models: [],
    tenants: new Map(),
    hosts: [],
    origins: [],
    heartbeatMs: 15_000,
    drainMs: 20_000,
    lameDuckMs: isLoopback(settings.host ?? "127.0.0.1") ? 0 : LAME_DUCK_MS,
    log: { level: "info", format: "json" },
    ...settings,
    limits: { ...DEFAULT_LIMITS, ...limits },
    record: { enabled: true, onFailure: "refuse", maxWaitMs: 5000, ...record },
    ledger: { url: "memory:", sync: "full", flushMs: 50, ...ledger },
    tasks: { model: "demo/koine", mcpServers: [], ...tasks },
  };
  checkDurations(config);
  return config;
}

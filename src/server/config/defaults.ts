// Defines the default values of the server's settings.
import { isLoopback } from "../http/access-guard.ts";
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

type RequiredName = "data" | "providers" | "models" | "tenants" | "log";
type GroupName = "limits" | "record" | "ledger" | "tasks";

/** The settings before defaults are added: some are always set, others are optional, and groups may be incomplete. */
type ConvertedSettings = Pick<ServerConfig, RequiredName> &
  Partial<Omit<ServerConfig, RequiredName | GroupName>> & {
    limits?: Partial<ServerLimits>;
    record: Partial<ServerConfig["record"]>;
    ledger: Partial<ServerConfig["ledger"]> & Pick<ServerConfig["ledger"], "url">;
    tasks: Partial<ServerConfig["tasks"]> & Pick<ServerConfig["tasks"], "mcpServers">;
  };

/** Returns the settings with the default of every setting that is not set. */
export function addDefaults({ limits, record, ledger, tasks, ...settings }: ConvertedSettings): ServerConfig {
  return {
    host: "127.0.0.1",
    port: 4141,
    hosts: [],
    origins: [],
    heartbeatMs: 15_000,
    drainMs: 20_000,
    lameDuckMs: isLoopback(settings.host ?? "127.0.0.1") ? 0 : LAME_DUCK_MS,
    ...settings,
    limits: { ...DEFAULT_LIMITS, ...limits },
    record: { enabled: true, onFailure: "refuse", maxWaitMs: 5000, ...record },
    ledger: { sync: "full", flushMs: 50, ...ledger },
    tasks: { model: "demo/koine", ...tasks },
  };
}

// Merges file, environment and flags into a complete configuration. Flags win over Koine's variables, which win over
// the file.
import { join } from "node:path";
import { ClientError, readPrices } from "../../client/index.ts";
import { createProviderAdapter } from "../../calls/index.ts";
import { pointer } from "../../model/json/pointer.ts";
import { ServerError } from "../errors.ts";
import { ModelRouter } from "../gateway/model-router.ts";
import { decodePercent } from "./decode-percent.ts";
import { completeConfig } from "./defaults.ts";
import { toMcpServerOptions } from "./mcp-servers.ts";
import type { ConfigFile } from "./file-settings.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./file-settings.ts";
import type { ConfigFlags } from "./flags.ts";
import { readFlag } from "./flags.ts";
import type { Mistakes } from "./mistakes.ts";
import { toModelRules, describeUnknownProvider } from "./model-rules.ts";
import { toProviderConfigs } from "./providers.ts";
import { readTelemetry } from "./telemetry.ts";
import { readTenants } from "./tenants.ts";
import type { ServerConfig } from "./types.ts";
import type { ConfigEnv } from "./variables.ts";

export interface ResolvedSources {
  file: ConfigFile;
  flags: ConfigFlags;
  env: ConfigEnv;
  /** The absolute data folder. */
  data: string;
  /** `fromFile` resolves paths of the file, `fromHere` those of flags and variables. */
  fromFile: (path: string) => string;
  fromHere: (path: string) => string;
  /** The default log format. */
  logFormat?: ServerConfig["log"]["format"];
}

export function mergeSources(sources: ResolvedSources, mistakes: Mistakes): ServerConfig {
  const { file, env, data } = sources;
  const { host, hosts, origins, heartbeatMs, drainMs, lameDuckMs, limits, defaultProvider, unprotected } = file;
  const providers = toProviderConfigs(file.providers ?? {}, env, mistakes);
  // A provider with a faulty setting still counts as known, to avoid a second mistake.
  const known = { ...providers, ...withoutValue(file.providers ?? {}, false) };
  const models = toModelRules(file.models ?? {}, known, mistakes);
  const unknown = defaultProvider === undefined ? undefined : describeUnknownProvider(defaultProvider, known);
  if (unknown !== undefined) mistakes.add("/defaultProvider", unknown);
  const config = completeConfig({
    data,
    providers,
    models,
    ledger: readLedgerConfig(sources, mistakes),
    log: readLogConfig(sources, mistakes),
    tasks: readTasksConfig(sources, mistakes),
    tenants: readTenants(file.tenants ?? {}, mistakes),
    record: typeof file.record === "boolean" ? { enabled: file.record } : (file.record ?? {}),
    ...withoutUndefined({ limits, hosts, origins, heartbeatMs, drainMs, lameDuckMs, defaultProvider, unprotected }),
    ...withoutUndefined({
      host: (readFlag(sources, "host")?.value ?? host)?.replace(/^\[(.*)\]$/, "$1"),
      port: readPort(sources, mistakes) ?? file.port,
    }),
    ...withoutUndefined({
      prices: readPriceTable(file, mistakes),
      telemetry: readTelemetry(file.telemetry, env, mistakes),
    }),
  });
  if (file.tasks?.model !== undefined && !mistakes.any) checkModel(config, "/tasks/model", mistakes);
  return config;
}

/** Checks that the model of tasks can be routed. */
function checkModel(config: ServerConfig, path: string, mistakes: Mistakes): void {
  const links = Object.entries(config.providers).map(
    ([name, provider]) => [name, createProviderAdapter(name, provider)] as const,
  );
  try {
    new ModelRouter(config, new Map(links)).route(config.tasks.model);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    mistakes.add(path, `is not an available model: ${error.message}`);
  }
}

/** Removes undefined values, which would override defaults. */
function withoutUndefined<T extends object>(settings: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  // Only undefined values are removed.
  return withoutValue(settings, undefined) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

function withoutValue(settings: object, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, each]) => each !== value));
}

function readPort(sources: ResolvedSources, mistakes: Mistakes): number | undefined {
  const port = readFlag(sources, "port");
  if (port === undefined) return undefined;
  if (/^\d{1,5}$/.test(port.value) && Number(port.value) < 65_536) return Number(port.value);
  mistakes.add(port.name, "must be a whole number from 0 to 65535.");
  return undefined;
}

function readLedgerConfig(sources: ResolvedSources, mistakes: Mistakes): Partial<ServerConfig["ledger"]> {
  const { file, data, fromFile, fromHere } = sources;
  const { url, ...own } = typeof file.ledger === "string" ? { url: file.ledger } : (file.ledger ?? {});
  const database = readFlag(sources, "database");
  const path = typeof file.ledger === "string" ? "/ledger" : "/ledger/url";
  const where =
    database !== undefined
      ? ledgerUrl(database.value, fromHere, database.name, mistakes)
      : url !== undefined
        ? ledgerUrl(url, fromFile, path, mistakes)
        : undefined;
  return { ...own, url: where ?? `sqlite:${join(data, "koine.db")}` };
}

/** Returns the URL with an absolute path. A URL may contain a password, so messages never repeat it. */
function ledgerUrl(
  url: string,
  resolve: (path: string) => string,
  path: string,
  mistakes: Mistakes,
): string | undefined {
  if (url === "memory:") return url;
  if (/^postgres(ql)?:\/\/./.test(url)) {
    const fault = describeUrlFault(url);
    if (fault !== undefined) mistakes.add(path, fault);
    return url;
  }
  const [, file] = /^sqlite:(?!\/\/)(.+)$/.exec(url) ?? [];
  if (file !== undefined) return `sqlite:${resolve(file)}`;
  mistakes.add(path, 'must be "sqlite:path/to/file.db", "postgres://…" or "memory:".');
  return undefined;
}

/** Describes the fault of a URL; the driver's own message would show the password. */
function describeUrlFault(url: string): string | undefined {
  const address = URL.parse(url);
  if (address === null) {
    return 'is not a valid URL: special characters in user and password must be percent-encoded ("/" as "%2F", "#" as "%23", "@" as "%40").';
  }
  const { username, password, pathname } = address;
  if ([username, password, pathname].every((part) => decodePercent(part) !== undefined)) return undefined;
  return 'has an invalid percent escape, perhaps in the password: write "%25" for a percent sign.';
}

function readLogConfig(sources: ResolvedSources, mistakes: Mistakes): ServerConfig["log"] {
  const { log } = sources.file;
  const own = typeof log === "string" ? { level: log } : (log ?? {});
  const readChoice = <T extends string>(flag: "logLevel" | "logFormat", choices: readonly T[]): T | undefined => {
    const flagValue = readFlag(sources, flag);
    const match = choices.find((choice) => choice === flagValue?.value);
    if (flagValue !== undefined && match === undefined)
      mistakes.add(flagValue.name, `must be one of ${choices.join(", ")}.`);
    return match;
  };
  return {
    level: readChoice("logLevel", LOG_LEVELS) ?? own.level ?? "info",
    format: readChoice("logFormat", LOG_FORMATS) ?? own.format ?? sources.logFormat ?? "json",
  };
}

function readTasksConfig({ file, fromFile }: ResolvedSources, mistakes: Mistakes): Partial<ServerConfig["tasks"]> {
  const { mcpServers = {}, ...own } = file.tasks ?? {};
  const addMistake = (path: readonly string[], message: string): void =>
    mistakes.add(pointer(["tasks", "mcpServers", ...path]), message);
  return { ...own, mcpServers: toMcpServerOptions(mcpServers, fromFile, addMistake) };
}

function readPriceTable({ prices }: ConfigFile, mistakes: Mistakes): ServerConfig["prices"] {
  if (prices === undefined) return undefined;
  try {
    return readPrices(prices);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    mistakes.add(error.path, `cannot be used: ${error.message.replace(/^.*": /, "")}`);
    return undefined;
  }
}

// Merges settings, environment variables and flags into a complete configuration. Flags have priority over Koine's
// variables, which have priority over the settings.
import { join } from "node:path";
import { ClientError, readPrices } from "../../client/index.ts";
import { createProviderAdapter } from "../../calls/index.ts";
import { pointer } from "../../model/json/pointer.ts";
import { ServerError } from "../errors.ts";
import { ModelRouter } from "../gateway/model-router.ts";
import { decodePercent } from "./decode-percent.ts";
import type { ConfigInput } from "./config-input.ts";
import { addDefaults } from "./defaults.ts";
import { toMcpServerOptions } from "./mcp-servers.ts";
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
  /** The checked settings of a file or of code. */
  settings: ConfigInput;
  flags: ConfigFlags;
  env: ConfigEnv;
  /** The absolute data folder. If it is undefined, there is no folder, and the default ledger is in memory. */
  data: string | undefined;
  /** Makes a path of the settings absolute. */
  fromFolder: (path: string) => string;
  /** Makes a path of a flag or variable absolute. */
  fromHere: (path: string) => string;
  /** The log format if no source sets one; undefined means `json`. */
  logFormat: ServerConfig["log"]["format"] | undefined;
}

export function mergeSources(sources: ResolvedSources, mistakes: Mistakes): ServerConfig {
  const { settings, env, data = "" } = sources;
  const { host, hosts, origins, heartbeatMs, drainMs, lameDuckMs, limits, defaultProvider, unprotected } = settings;
  const providers = toProviderConfigs(settings.providers ?? {}, env, mistakes);
  // A provider with an invalid setting counts as known, so that a rule for the provider does not add a second mistake.
  const known = { ...providers, ...withoutValue(settings.providers ?? {}, false) };
  const models = toModelRules(settings.models ?? {}, known, mistakes);
  const unknown = defaultProvider === undefined ? undefined : describeUnknownProvider(defaultProvider, known);
  if (unknown !== undefined) mistakes.add("/defaultProvider", unknown);
  const config = addDefaults({
    data,
    providers,
    models,
    ledger: readLedgerConfig(sources, mistakes),
    log: readLogConfig(sources, mistakes),
    tasks: readTasksConfig(sources, mistakes),
    tenants: readTenants(settings.tenants ?? {}, mistakes),
    record: typeof settings.record === "boolean" ? { enabled: settings.record } : (settings.record ?? {}),
    ...withoutUndefined({ limits, hosts, origins, heartbeatMs, drainMs, lameDuckMs, defaultProvider, unprotected }),
    ...withoutUndefined({
      host: (readFlag(sources, "host")?.value ?? host)?.replace(/^\[(.*)\]$/, "$1"),
      port: readPort(sources, mistakes) ?? settings.port,
    }),
    ...withoutUndefined({
      prices: readPriceTable(settings, mistakes),
      telemetry: readTelemetry(settings.telemetry, env, mistakes),
    }),
  });
  if (settings.tasks?.model !== undefined && !mistakes.any) checkModel(config, "/tasks/model", mistakes);
  return config;
}

/** Adds a mistake if no target is configured for the model of tasks. */
function checkModel(config: ServerConfig, path: string, mistakes: Mistakes): void {
  const adapters = Object.entries(config.providers).map(
    ([name, provider]) => [name, createProviderAdapter(name, provider)] as const,
  );
  try {
    new ModelRouter(config, new Map(adapters)).route(config.tasks.model);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    mistakes.add(path, `is not an available model: ${error.message}`);
  }
}

/**
 * Returns the settings without undefined values, because an undefined value would override the default of its setting.
 */
function withoutUndefined<T extends object>(settings: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  // The cast is safe: only undefined values are removed.
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

type LedgerSettings = Partial<ServerConfig["ledger"]> & Pick<ServerConfig["ledger"], "url">;

function readLedgerConfig(sources: ResolvedSources, mistakes: Mistakes): LedgerSettings {
  const { data, fromFolder, fromHere } = sources;
  const { ledger } = sources.settings;
  const { url, ...own } = typeof ledger === "string" ? { url: ledger } : (ledger ?? {});
  const database = readFlag(sources, "database");
  const path = typeof ledger === "string" ? "/ledger" : "/ledger/url";
  const where =
    database !== undefined
      ? ledgerUrl(database.value, fromHere, database.name, mistakes)
      : url !== undefined
        ? ledgerUrl(url, fromFolder, path, mistakes)
        : undefined;
  return { ...own, url: where ?? (data === undefined ? "memory:" : `sqlite:${join(data, "koine.db")}`) };
}

/**
 * Returns the URL of the ledger; the path of a SQLite file is made absolute. Adds a mistake if the URL is invalid; the
 * message does not contain the URL, because the URL may contain a password.
 */
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

/**
 * Returns the description of a URL's fault; undefined if the URL is valid. The message of the database driver is not
 * used, because it would contain the password.
 */
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
  const { log } = sources.settings;
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

type TaskSettings = Partial<ServerConfig["tasks"]> & Pick<ServerConfig["tasks"], "mcpServers">;

function readTasksConfig({ settings, fromFolder }: ResolvedSources, mistakes: Mistakes): TaskSettings {
  const { mcpServers = {}, ...own } = settings.tasks ?? {};
  const addMistake = (path: readonly string[], message: string): void =>
    mistakes.add(pointer(["tasks", "mcpServers", ...path]), message);
  return { ...own, mcpServers: toMcpServerOptions(mcpServers, fromFolder, addMistake) };
}

function readPriceTable({ prices }: ConfigInput, mistakes: Mistakes): ServerConfig["prices"] {
  if (prices === undefined) return undefined;
  try {
    return readPrices(prices);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    mistakes.add(error.path, `cannot be used: ${error.message.replace(/^.*": /, "")}`);
    return undefined;
  }
}

// From what the file, the environment and the flags say to complete settings. Flags count first, then variables that are
// Koine's own, then the file.
import { join } from "node:path";
import { ClientError, readPrices } from "../../client/index.ts";
import { linkOf } from "../../client/providers/link.ts";
import { pointer } from "../../model/pointer.ts";
import { ServerError } from "../errors.ts";
import { Router } from "../gateway/routing.ts";
import { decoded } from "./decoded.ts";
import { completeConfig } from "./defaults.ts";
import { mcpServersOf } from "./file-mcp.ts";
import type { ConfigFile } from "./file.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./file.ts";
import type { ConfigFlags } from "./flags.ts";
import { spokenIn } from "./flags.ts";
import type { Mistakes } from "./mistakes.ts";
import { rulesOf, unknownProvider } from "./models.ts";
import { providersOf } from "./providers.ts";
import { telemetryOf } from "./telemetry.ts";
import { tenantsOf } from "./tenants.ts";
import type { ServerConfig } from "./types.ts";
import type { Env } from "./variables.ts";

export interface Said {
  file: ConfigFile;
  flags: ConfigFlags;
  env: Env;
  /** The data folder, absolute. */
  data: string;
  /** Resolves a path of the file, and one of a flag or variable. */
  fromFile: (path: string) => string;
  fromHere: (path: string) => string;
  /** Where nobody says it. */
  logFormat?: ServerConfig["log"]["format"];
}

export function settle(said: Said, mistakes: Mistakes): ServerConfig {
  const { file, env, data } = said;
  const { host, hosts, origins, heartbeatMs, drainMs, lameDuckMs, limits, defaultProvider, unprotected } = file;
  const providers = providersOf(file.providers ?? {}, env, mistakes);
  // One that is wrong in itself is still one that was meant to be there.
  const known = { ...providers, ...without(file.providers ?? {}, false) };
  const models = rulesOf(file.models ?? {}, known, mistakes);
  const unknown = defaultProvider === undefined ? undefined : unknownProvider(defaultProvider, known);
  if (unknown !== undefined) mistakes.add("/defaultProvider", unknown);
  const config = completeConfig({
    data,
    providers,
    models,
    ledger: ledgerOf(said, mistakes),
    log: logOf(said, mistakes),
    tasks: tasksOf(said, mistakes),
    tenants: tenantsOf(file.tenants ?? {}, mistakes),
    record: typeof file.record === "boolean" ? { enabled: file.record } : (file.record ?? {}),
    ...present({ limits, hosts, origins, heartbeatMs, drainMs, lameDuckMs, defaultProvider, unprotected }),
    ...present({
      host: (spokenIn(said, "host")?.value ?? host)?.replace(/^\[(.*)\]$/, "$1"),
      port: portOf(said, mistakes) ?? file.port,
    }),
    ...present({ prices: pricesOf(file, mistakes), telemetry: telemetryOf(file.telemetry, env, mistakes) }),
  });
  if (file.tasks?.model !== undefined && !mistakes.any) checkModel(config, "/tasks/model", mistakes);
  return config;
}

/** The model of tasks must be one that calls for it would reach. */
function checkModel(config: ServerConfig, path: string, mistakes: Mistakes): void {
  const links = Object.entries(config.providers).map(([name, provider]) => [name, linkOf(name, provider)] as const);
  try {
    new Router(config, new Map(links)).route(config.tasks.model);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    mistakes.add(path, `is no model that is served: ${error.message}`);
  }
}

/** Without what is undefined, which must not hide a default. */
function present<T extends object>(settings: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  // The same fields, without those that are undefined.
  return without(settings, undefined) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

function without(settings: object, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, each]) => each !== value));
}

function portOf(said: Said, mistakes: Mistakes): number | undefined {
  const port = spokenIn(said, "port");
  if (port === undefined) return undefined;
  if (/^\d{1,5}$/.test(port.value) && Number(port.value) < 65_536) return Number(port.value);
  mistakes.add(port.name, "must be a whole number from 0 to 65535.");
  return undefined;
}

function ledgerOf(said: Said, mistakes: Mistakes): Partial<ServerConfig["ledger"]> {
  const { file, data, fromFile, fromHere } = said;
  const { url, ...own } = typeof file.ledger === "string" ? { url: file.ledger } : (file.ledger ?? {});
  const database = spokenIn(said, "database");
  const path = typeof file.ledger === "string" ? "/ledger" : "/ledger/url";
  const where =
    database !== undefined
      ? ledgerUrl(database.value, fromHere, database.name, mistakes)
      : url !== undefined
        ? ledgerUrl(url, fromFile, path, mistakes)
        : undefined;
  return { ...own, url: where ?? `sqlite:${join(data, "koine.db")}` };
}

/** With an absolute path. A URL may hold a password, so that it is never repeated. */
function ledgerUrl(
  url: string,
  resolve: (path: string) => string,
  path: string,
  mistakes: Mistakes,
): string | undefined {
  if (url === "memory:") return url;
  if (/^postgres(ql)?:\/\/./.test(url)) {
    const wrong = faultOfUrl(url);
    if (wrong !== undefined) mistakes.add(path, wrong);
    return url;
  }
  const [, file] = /^sqlite:(?!\/\/)(.+)$/.exec(url) ?? [];
  if (file !== undefined) return `sqlite:${resolve(file)}`;
  mistakes.add(path, 'must be "sqlite:path/to/file.db", "postgres://…" or "memory:".');
  return undefined;
}

/** What is wrong with an address, which the driver would only say in a way that shows the password. */
function faultOfUrl(url: string): string | undefined {
  const address = URL.parse(url);
  if (address === null) {
    return 'is no URL that can be read: in a user and a password, signs are written as escapes ("/" as "%2F", "#" as "%23", "@" as "%40").';
  }
  const { username, password, pathname } = address;
  if ([username, password, pathname].every((part) => decoded(part) !== undefined)) return undefined;
  return 'has a "%" that begins no escape, perhaps in its password: write "%25" for the sign itself.';
}

function logOf(said: Said, mistakes: Mistakes): ServerConfig["log"] {
  const { log } = said.file;
  const own = typeof log === "string" ? { level: log } : (log ?? {});
  const word = <T extends string>(flag: "logLevel" | "logFormat", choices: readonly T[]): T | undefined => {
    const spoken = spokenIn(said, flag);
    const found = choices.find((choice) => choice === spoken?.value);
    if (spoken !== undefined && found === undefined) mistakes.add(spoken.name, `must be one of ${choices.join(", ")}.`);
    return found;
  };
  return {
    level: word("logLevel", LOG_LEVELS) ?? own.level ?? "info",
    format: word("logFormat", LOG_FORMATS) ?? own.format ?? said.logFormat ?? "json",
  };
}

function tasksOf({ file, fromFile }: Said, mistakes: Mistakes): Partial<ServerConfig["tasks"]> {
  const { mcpServers = {}, ...own } = file.tasks ?? {};
  const wrong = (path: readonly string[], message: string): void =>
    mistakes.add(pointer(["tasks", "mcpServers", ...path]), message);
  return { ...own, mcpServers: mcpServersOf(mcpServers, fromFile, wrong) };
}

function pricesOf({ prices }: ConfigFile, mistakes: Mistakes): ServerConfig["prices"] {
  if (prices === undefined) return undefined;
  try {
    return readPrices(prices);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    mistakes.add(error.path, `cannot be used: ${error.message.replace(/^.*": /, "")}`);
    return undefined;
  }
}

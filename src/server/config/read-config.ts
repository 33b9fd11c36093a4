// Finds and reads koine.config.json, and returns the complete configuration.
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { JsonError, parseJson } from "../../model/index.ts";
import { CONFIG_FILE } from "./file-settings.ts";
import type { ConfigFile } from "./file-settings.ts";
import type { ConfigFlags } from "./flags.ts";
import { readFlag } from "./flags.ts";
import { ConfigError, Mistakes } from "./mistakes.ts";
import { parseDataLocation, normalizeDataLocation } from "./data-location.ts";
import { readSetting } from "./read-setting.ts";
import { mergeSources } from "./merge-sources.ts";
import type { ServerConfig } from "./types.ts";
import type { ConfigEnv } from "./variables.ts";

const CONFIG_FILE_NAME = "koine.config.json";
const DEFAULT_DATA_FOLDER = "koine-data";

/** The sources of a configuration: file, flags and environment. */
export interface ConfigSources {
  /**
   * The file to read; it must exist. Default: koine.config.json in the data folder or in the working folder, if there
   * is one.
   */
  file?: string | undefined;
  flags?: ConfigFlags | undefined;
  /** Environment variables. Default: none. */
  env?: ConfigEnv | undefined;
  /** The working folder. */
  cwd: string;
  /** Defaults of the caller. */
  defaults?: { logFormat?: ServerConfig["log"]["format"] } | undefined;
}

export interface ConfigFileResult {
  config: ServerConfig;
  /** The absolute path of the file; undefined if there is none. */
  file: string | undefined;
}

/** Reads the configuration. All mistakes together are thrown as one `ConfigError`, a `ServerError` "configuration". */
export async function readConfig(sources: ConfigSources): Promise<ServerConfig> {
  return (await readConfigFile(sources)).config;
}

/** The same, with the path of the file. */
export async function readConfigFile(sources: ConfigSources): Promise<ConfigFileResult> {
  const { file: explicitFile, cwd, defaults = {} } = sources;
  const fromHere = (path: string): string => resolve(cwd, path);
  const { flags, env } = await normalizeDataLocation({ flags: sources.flags ?? {}, env: sources.env ?? {} }, fromHere);
  const folder = readFlag({ flags, env }, "data")?.value;
  const configFile = await findFile(explicitFile ?? (env["KOINE_CONFIG"] || undefined), fromHere, folder);
  const mistakes = new Mistakes();
  const fromFile = (path: string): string => resolve(configFile === undefined ? cwd : dirname(configFile.path), path);
  const parsed = configFile === undefined ? {} : parseConfigText(configFile, env, mistakes);
  const location = parsed.data === undefined ? undefined : await parseDataLocation(parsed.data, fromFile);
  const file = location !== undefined && "database" in location ? { ledger: location.database, ...parsed } : parsed;
  const data =
    folder ?? (location !== undefined && "folder" in location ? location.folder : fromHere(DEFAULT_DATA_FOLDER));
  const config = mergeSources({ file, flags, env, data, fromFile, fromHere, ...defaults }, mistakes);
  mistakes.throwAny(configFile?.path);
  return { config, file: configFile?.path };
}

interface ConfigFileText {
  path: string;
  text: string;
}

async function findFile(
  explicitFile: string | undefined,
  fromHere: (path: string) => string,
  folder: string | undefined,
): Promise<ConfigFileText | undefined> {
  if (explicitFile !== undefined) {
    const path = fromHere(explicitFile);
    const text = await readFileText(path);
    if (text === undefined)
      throw new ConfigError([{ path: "", message: "does not exist: create it, or choose another file." }], path);
    return { path, text };
  }
  for (const path of [join(folder ?? fromHere(DEFAULT_DATA_FOLDER), CONFIG_FILE_NAME), fromHere(CONFIG_FILE_NAME)]) {
    const text = await readFileText(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** Returns undefined if the file does not exist. */
async function readFileText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const reason = code === "EACCES" ? "no permission" : code === "EISDIR" ? "it is a folder" : String(code ?? cause);
    throw new ConfigError([{ path: "", message: `cannot be read: ${reason}.` }], path, { cause });
  }
}

function parseConfigText({ path, text }: ConfigFileText, env: ConfigEnv, mistakes: Mistakes): ConfigFile {
  let value: unknown;
  try {
    // Some editors write a byte order mark.
    value = parseJson(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // The excerpt of the faulty text is removed, because it may contain a key.
    const reason = error.message.replace(/ \(near .*$/s, "");
    throw new ConfigError([{ path: error.path, message: `is not valid JSON: ${reason}.` }], path);
  }
  return readSetting(CONFIG_FILE, value, "", { env, mistakes }) ?? {};
}

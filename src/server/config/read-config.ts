// Finds and reads koine.config.json, and returns the complete configuration.
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { JsonError, parseJson } from "../../model/index.ts";
import type { ConfigFlags } from "./flags.ts";
import { readFlag } from "./flags.ts";
import { ConfigError, Mistakes } from "./mistakes.ts";
import { normalizeDataLocation } from "./data-location.ts";
import { resolveConfig } from "./resolve-config.ts";
import type { ServerConfig } from "./types.ts";
import type { ConfigEnv } from "./variables.ts";

const CONFIG_FILE_NAME = "koine.config.json";
const DEFAULT_DATA_FOLDER = "koine-data";

/** The sources of a configuration: file, flags and environment. */
export interface ConfigSources {
  /**
   * The path of the file to read; the file must exist. Default: koine.config.json in the data folder or, if it is not
   * there, in the working folder. The default file need not exist.
   */
  file?: string | undefined;
  flags?: ConfigFlags | undefined;
  /** The environment variables. Default: none. */
  env?: ConfigEnv | undefined;
  /** The working folder, which relative paths of flags and variables are resolved against. */
  cwd: string;
  /** Defaults of the caller, which replace the defaults of the server. */
  defaults?: { logFormat?: ServerConfig["log"]["format"] } | undefined;
}

export interface ConfigFileResult {
  config: ServerConfig;
  /** The absolute path of the configuration file; undefined if no file was read. */
  file: string | undefined;
}

/**
 * Reads the configuration file and returns the complete configuration. Throws one `ConfigError`, which is a
 * `ServerError` "configuration", that lists all mistakes.
 *
 * @example
 * ```ts
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { readConfig } from "koine/server";
 *
 * const cwd = await mkdtemp(join(tmpdir(), "koine-"));
 * const settings = { port: 5000, providers: { groq: { preset: "groq", apiKey: "$KEY" } } };
 * await writeFile(join(cwd, "koine.config.json"), JSON.stringify(settings));
 * // In a program: `env: process.env`.
 * const config = await readConfig({ cwd, env: { KEY: "gsk-example", KOINE_HOST: "localhost" } });
 * console.log([config.host, config.port]); // ["localhost",5000]
 * console.log(Object.keys(config.providers)); // ["demo","groq"]
 * await rm(cwd, { recursive: true });
 * ```
 */
export async function readConfig(sources: ConfigSources): Promise<ServerConfig> {
  return (await readConfigFile(sources)).config;
}

/** Reads the configuration file, and returns its path with the complete configuration. */
export async function readConfigFile(sources: ConfigSources): Promise<ConfigFileResult> {
  const { file: explicitFile, cwd, defaults = {} } = sources;
  const fromHere = (path: string): string => resolve(cwd, path);
  const { flags, env } = normalizeDataLocation({ flags: sources.flags ?? {}, env: sources.env ?? {} }, fromHere);
  const folder = readFlag({ flags, env }, "data")?.value;
  const configFile = await findFile(explicitFile ?? (env["KOINE_CONFIG"] || undefined), fromHere, folder);
  const mistakes = new Mistakes();
  const config = resolveConfig(
    {
      settings: configFile === undefined ? {} : parseConfigText(configFile),
      isCode: false,
      folder: configFile === undefined ? cwd : dirname(configFile.path),
      cwd,
      flags,
      env,
      defaultData: DEFAULT_DATA_FOLDER,
      logFormat: defaults.logFormat,
    },
    mistakes,
  );
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

/** Returns the text of a file; undefined if the file does not exist. */
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

function parseConfigText({ path, text }: ConfigFileText): unknown {
  try {
    // A byte order mark is removed, because some editors write it.
    return parseJson(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // The excerpt of the invalid text is removed from the message, because it may contain an API key.
    const reason = error.message.replace(/ \(near .*$/s, "");
    throw new ConfigError([{ path: error.path, message: `is not valid JSON: ${reason}.` }], path);
  }
}

// Finds koine.config.json and reads it: from a file to complete settings.
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { JsonError, parseJson } from "../../model/index.ts";
import { CONFIG_FILE } from "./file.ts";
import type { ConfigFile } from "./file.ts";
import type { ConfigFlags } from "./flags.ts";
import { spokenIn } from "./flags.ts";
import { ConfigError, Mistakes } from "./mistakes.ts";
import { placeOf, withPlaces } from "./place.ts";
import { readSetting } from "./read-setting.ts";
import { settle } from "./settle.ts";
import type { ServerConfig } from "./types.ts";
import type { Env } from "./variables.ts";

const NAME = "koine.config.json";
const DATA = "koine-data";

export interface ConfigSources {
  /** Which file; it must be there. Default: koine.config.json in the data folder, else in the working folder, else none. */
  file?: string | undefined;
  flags?: ConfigFlags | undefined;
  /** Default: none. */
  env?: Env | undefined;
  /** The working folder. */
  cwd: string;
  /** What holds where nobody says otherwise. */
  defaults?: { logFormat?: ServerConfig["log"]["format"] } | undefined;
}

export interface ReadConfig {
  config: ServerConfig;
  /** The file that was read, absolute; undefined where there is none. */
  file: string | undefined;
}

/** Reads settings. All mistakes together are a `ConfigError`, which is a `ServerError` "configuration". */
export async function readConfig(sources: ConfigSources): Promise<ServerConfig> {
  return (await readConfigFile(sources)).config;
}

/** The same, with the file that was found. */
export async function readConfigFile(sources: ConfigSources): Promise<ReadConfig> {
  const { file: named, cwd, defaults = {} } = sources;
  const fromHere = (path: string): string => resolve(cwd, path);
  const { flags, env } = await withPlaces({ flags: sources.flags ?? {}, env: sources.env ?? {} }, fromHere);
  const folder = spokenIn({ flags, env }, "data")?.value;
  const found = await findFile(named ?? (env["KOINE_CONFIG"] || undefined), fromHere, folder);
  const mistakes = new Mistakes();
  const fromFile = (path: string): string => resolve(found === undefined ? cwd : dirname(found.path), path);
  const written = found === undefined ? {} : readText(found, env, mistakes);
  const place = written.data === undefined ? undefined : await placeOf(written.data, fromFile);
  const file = place !== undefined && "database" in place ? { ledger: place.database, ...written } : written;
  const data = folder ?? (place !== undefined && "folder" in place ? place.folder : fromHere(DATA));
  const config = settle({ file, flags, env, data, fromFile, fromHere, ...defaults }, mistakes);
  mistakes.throwAny(found?.path);
  return { config, file: found?.path };
}

interface Found {
  path: string;
  text: string;
}

async function findFile(
  named: string | undefined,
  fromHere: (path: string) => string,
  folder: string | undefined,
): Promise<Found | undefined> {
  if (named !== undefined) {
    const path = fromHere(named);
    const text = await textOf(path);
    if (text === undefined)
      throw new ConfigError([{ path: "", message: "is not there; name another, or make it." }], path);
    return { path, text };
  }
  for (const path of [join(folder ?? fromHere(DATA), NAME), fromHere(NAME)]) {
    const text = await textOf(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** undefined where there is no such file. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const reason = code === "EACCES" ? "no permission" : code === "EISDIR" ? "it is a folder" : String(code ?? cause);
    throw new ConfigError([{ path: "", message: `cannot be read: ${reason}.` }], path, { cause });
  }
}

function readText({ path, text }: Found, env: Env, mistakes: Mistakes): ConfigFile {
  let value: unknown;
  try {
    // Some editors put a byte order mark in front.
    value = parseJson(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // The text around the fault is left out: it may be a key.
    const reason = error.message.replace(/ \(near .*$/s, "");
    throw new ConfigError([{ path: error.path, message: `is no JSON: ${reason}.` }], path);
  }
  return readSetting(CONFIG_FILE, value, "", { env, mistakes }) ?? {};
}

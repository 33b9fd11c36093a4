// Checks settings and completes them. `readConfig` and `completeConfig` share this code, so that a setting has the same
// meaning in a file and in code.
import { resolve } from "node:path";
import type { ConfigInput } from "./config-input.ts";
import { parseDataLocation } from "./data-location.ts";
import { CONFIG_FILE } from "./file-settings.ts";
import type { ConfigFlags } from "./flags.ts";
import { readFlag } from "./flags.ts";
import { mergeSources } from "./merge-sources.ts";
import type { Mistakes } from "./mistakes.ts";
import { readSetting } from "./read-setting.ts";
import type { ServerConfig } from "./types.ts";
import type { ConfigEnv } from "./variables.ts";

export interface UncheckedConfig {
  /** The settings of a file or of code. */
  settings: unknown;
  /** True if the settings come from code, which may pass values that a file cannot contain. */
  isCode: boolean;
  /** The folder that relative paths of the settings are resolved against. */
  folder: string;
  /** The folder that relative paths of flags and variables are resolved against. */
  cwd: string;
  /** The flags as `normalizeDataLocation` returns them. */
  flags: ConfigFlags;
  /** The environment variables as `normalizeDataLocation` returns them. */
  env: ConfigEnv;
  /** The data folder if no source sets one. If undefined, the default ledger is in memory. */
  defaultData?: string;
  /** The log format if no source sets one; undefined means `json`. */
  logFormat?: ServerConfig["log"]["format"] | undefined;
}

/** Returns the complete configuration, and adds all mistakes to `mistakes`. The result is unusable if there are any. */
export function resolveConfig(unchecked: UncheckedConfig, mistakes: Mistakes): ServerConfig {
  const { flags, env, isCode, defaultData } = unchecked;
  const fromFolder = (path: string): string => resolve(unchecked.folder, path);
  const fromHere = (path: string): string => resolve(unchecked.cwd, path);
  // Settings from code are also checked, because the type of a setting does not exclude every invalid value.
  const read: ConfigInput = readSetting(CONFIG_FILE, unchecked.settings, "", { env, mistakes, isCode }) ?? {};
  const location = read.data === undefined ? undefined : parseDataLocation(read.data, fromFolder);
  const settings = location !== undefined && "database" in location ? { ledger: location.database, ...read } : read;
  const folder = location !== undefined && "folder" in location ? location.folder : undefined;
  const data = readFlag({ flags, env }, "data")?.value ?? folder ?? (defaultData && fromHere(defaultData));
  const { logFormat } = unchecked;
  return mergeSources({ settings, flags, env, data, fromFolder, fromHere, logFormat }, mistakes);
}

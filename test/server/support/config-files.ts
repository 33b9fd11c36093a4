// Reads settings from files in a temporary folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ConfigSources, Mistake, ConfigFileResult, ServerConfig } from "../../../src/server/config/index.ts";
import { ConfigError, readConfigFile } from "../../../src/server/config/index.ts";

/** Returns the hash of a token. */
export const SHA = (digit: string): string => `sha256:${digit.repeat(64)}`;

export type Sources = Partial<Omit<ConfigSources, "cwd">>;

/**
 * Reads settings in a folder with the files; values that are not text become JSON. `%` in results stands for the
 * folder.
 */
export async function readIn(
  files: Readonly<Record<string, unknown>>,
  sources: Sources = {},
): Promise<ConfigFileResult> {
  const cwd = mkdtempSync(join(tmpdir(), "koine-config-"));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), typeof content === "string" ? content : JSON.stringify(content));
    }
    const { config, file } = await readConfigFile({ ...sources, cwd });
    const plain = (text: string): string => text.replace(cwd, "%");
    const ledger = { ...config.ledger, url: plain(config.ledger.url) };
    return { config: { ...config, data: plain(config.data), ledger }, file: file && plain(file) };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

export async function read(file: unknown, sources?: Sources): Promise<ServerConfig> {
  return (await readIn({ "koine.config.json": file }, sources)).config;
}

/** Returns the mistakes of a file. */
export async function mistakesOf(file: unknown, sources?: Sources): Promise<readonly Mistake[]> {
  return (await failureOf(() => read(file, sources))).mistakes;
}

export async function failureOf(step: () => Promise<unknown>): Promise<ConfigError> {
  try {
    await step();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

// Creates the folder and the file of a SQLite ledger, so that only their owner can read them.
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { ServerConfig } from "../../server/config/index.ts";
import { createIoError } from "../exit.ts";

/** Returns the path of a SQLite ledger; undefined for a ledger in memory or in Postgres. */
export function findLedgerFile({ ledger }: Pick<ServerConfig, "ledger">): string | undefined {
  return ledger.url.startsWith("sqlite:") ? ledger.url.slice("sqlite:".length) : undefined;
}

/** Creates the data folder with mode 700. An existing folder keeps its mode, which `koine doctor` checks. */
export async function createDataFolder(config: Pick<ServerConfig, "ledger">): Promise<void> {
  const file = findLedgerFile(config);
  if (file === undefined) return;
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw createIoError(error, "write", folder);
  }
  await createPrivateFile(file);
}

/**
 * Creates an empty database file with mode 600, because SQLite would use the default mode. SQLite copies the mode to
 * the files that it creates beside the database.
 */
async function createPrivateFile(file: string): Promise<void> {
  try {
    await (await open(file, "wx", 0o600)).close();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EEXIST") throw createIoError(error, "write", file);
  }
}

/** Returns the location of the ledger for display, without user and password. */
export function describeLedger(config: Pick<ServerConfig, "ledger">): string {
  const file = findLedgerFile(config);
  if (file !== undefined) return file;
  const { url } = config.ledger;
  if (!URL.canParse(url) || url === "memory:") return "in memory; lost when the server stops";
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

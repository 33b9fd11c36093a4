// The folder and the file of a SQLite ledger: made where they are not there, for their owner alone.
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { ServerConfig } from "../../server/config/index.ts";
import { createIoError } from "../exit.ts";

/** The file of a ledger; undefined where it is none. */
export function ledgerFile({ ledger }: Pick<ServerConfig, "ledger">): string | undefined {
  return ledger.url.startsWith("sqlite:") ? ledger.url.slice("sqlite:".length) : undefined;
}

/** Conversations are nobody else's business. A folder that is there keeps its rights: `koine doctor` looks at them. */
export async function makeDataFolder(config: Pick<ServerConfig, "ledger">): Promise<void> {
  const file = ledgerFile(config);
  if (file === undefined) return;
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw createIoError(error, "write", folder);
  }
  await makeFile(file);
}

/** Empty, before SQLite would make it for everybody; what SQLite puts beside it has the same rights. */
async function makeFile(file: string): Promise<void> {
  try {
    await (await open(file, "wx", 0o600)).close();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EEXIST") throw createIoError(error, "write", file);
  }
}

/** Where conversations are kept, for people: never a password. */
export function placeOfLedger(config: Pick<ServerConfig, "ledger">): string {
  const file = ledgerFile(config);
  if (file !== undefined) return file;
  const { url } = config.ledger;
  if (!URL.canParse(url) || url === "memory:") return "in memory: nothing is kept when the server ends";
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

// Opens an existing ledger read-only and closes it after use.
import type { Ledger, LedgerOptions } from "../../ledger/index.ts";
import { LedgerError, openLedger } from "../../ledger/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import { toCliError } from "../data.ts";
import { CliError } from "../exit.ts";
import { assertReadable } from "../read/byte-source.ts";
import { findLedgerFile } from "../serve/data-folder.ts";

export async function withReadOnlyLedger<T>(
  config: ServerConfig,
  options: LedgerOptions,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const file = findLedgerFile(config);
  if (file !== undefined) await assertReadable(file);
  const { url, connections } = config.ledger;
  if (url === "memory:")
    throw new CliError("usage", "A ledger in memory is empty; name a file or a database with --data.");
  try {
    const ledger = await openLedger(url, { ...options, connections, indexMs: false, readOnly: true });
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (error instanceof LedgerError && error.code === "schema-too-old") throw createSchemaError(error);
    throw toCliError(error);
  }
}

function createSchemaError(cause: LedgerError): CliError {
  return new CliError("io", `${cause.message} "koine serve" creates and upgrades the tables.`, { cause });
}

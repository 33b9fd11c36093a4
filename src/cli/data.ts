// Opens the ledger that `--data` names, and converts errors of the ledger to CliErrors.
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Ledger, LedgerErrorCode, LedgerOptions } from "../ledger/index.ts";
import { LedgerError, openLedger } from "../ledger/index.ts";
import type { CommandArguments, CommandOptions } from "./command.ts";
import type { CliErrorCode } from "./exit.ts";
import { CliError } from "./exit.ts";
import type { CliIo } from "./io.ts";
import { assertReadable } from "./read/byte-source.ts";
import { isSameFile } from "./write/same-file.ts";

export const LEDGER_OPTIONS: CommandOptions = {
  data: {
    type: "string",
    short: "d",
    value: "ledger",
    description: "The ledger: a file, a folder with koine.db, sqlite:path, or postgres://….",
  },
  tenant: { type: "string", value: "name", description: "The tenant of the ledger. Default: the default tenant." },
};

/** The name of the database file in a data folder. */
const DATABASE_FILE = "koine.db";

export interface OpenDataOptions {
  /** True if a missing file is an error; otherwise the file is created. */
  mustExist: boolean;
  onProblem: NonNullable<LedgerOptions["onProblem"]>;
}

export async function openData(
  args: CommandArguments,
  io: CliIo,
  { mustExist, onProblem }: OpenDataOptions,
): Promise<Ledger> {
  const data = args.text("data");
  if (data === undefined) throw new CliError("usage", "Name the ledger with --data: a file, a folder or a URL.");
  const url = await resolveLedgerUrl(data, mustExist);
  const tenant = args.text("tenant");
  try {
    return await openLedger(url, { clock: io.clock, onProblem, ...(tenant !== undefined && { tenant }) });
  } catch (error) {
    throw toCliError(error);
  }
}

async function resolveLedgerUrl(data: string, mustExist: boolean): Promise<string> {
  const file = await findLedgerFile(data);
  if (mustExist && data.startsWith("memory:"))
    throw new CliError("usage", "A ledger in memory is empty; name a file or a database.");
  if (file === undefined) return data;
  if (mustExist) await assertReadable(file);
  return `sqlite:${file}`;
}

/** Returns the path of a SQLite ledger; undefined for a ledger in memory or in Postgres. */
async function findLedgerFile(data: string): Promise<string | undefined> {
  if (/^(memory|postgres(ql)?):/.test(data)) return undefined;
  const path = data.replace(/^sqlite:/, "");
  if (path === "") throw new CliError("usage", `"${data}" names no file: use sqlite:path/to/file.db.`);
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() === true ? join(path, DATABASE_FILE) : path;
}

/** The suffixes of the database file and of the files that SQLite creates beside it. */
const DATABASE_FILE_SUFFIXES = ["", "-wal", "-shm", "-journal"];

/** Throws if `--output` would overwrite the files of the ledger that the command reads. */
export async function assertOutputIsNotLedger(args: CommandArguments, output: string | undefined): Promise<void> {
  const data = args.text("data");
  const file = data === undefined ? undefined : await findLedgerFile(data);
  if (file === undefined || output === undefined || output === "-") return;
  // SQLite creates the -wal, -shm and -journal files beside the target of a symbolic link, not beside the link.
  const databasePath = await realpath(file).catch(() => file);
  for (const suffix of DATABASE_FILE_SUFFIXES) {
    if (!(await isSameFile(output, databasePath + suffix))) continue;
    throw new CliError("usage", `--output would overwrite "${output}", a file of the ledger; choose another file.`);
  }
}

/**
 * The CLI error codes, by ledger error code, of errors that concern one argument or record; all other ledger errors get
 * `io`.
 */
const CLI_CODES: Partial<Record<LedgerErrorCode, CliErrorCode>> = {
  "invalid-input": "usage",
  "unknown-thread": "record",
  conflict: "record",
};

/** Converts a LedgerError to a CliError; other errors are returned unchanged. */
export function toCliError(error: unknown): unknown {
  if (!(error instanceof LedgerError)) return error;
  return new CliError(CLI_CODES[error.code] ?? "io", error.message, { cause: error });
}

// The ledger that a command works on: which one `--data` names, how it is opened, and what its errors mean to a person.
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Ledger, LedgerErrorCode, LedgerOptions } from "../ledger/index.ts";
import { LedgerError, openLedger } from "../ledger/index.ts";
import type { Arguments, Options } from "./command.ts";
import type { CliErrorCode } from "./exit.ts";
import { CliError } from "./exit.ts";
import type { Io } from "./io.ts";
import { checkFile } from "./read/bytes.ts";
import { isSameFile } from "./write/same-file.ts";

export const DATA: Options = {
  data: {
    type: "string",
    short: "d",
    value: "ledger",
    says: "The ledger: a file, a folder that holds koine.db, sqlite:path, or postgres://….",
  },
  tenant: { type: "string", value: "name", says: "Whose part of the ledger; without, the default one." },
};

/** The file in a folder of data. */
const DATABASE = "koine.db";

export interface DataOptions {
  /** Whether a file that is not there is an error; else it is made. */
  mustExist: boolean;
  onProblem: NonNullable<LedgerOptions["onProblem"]>;
}

export async function openData(given: Arguments, io: Io, { mustExist, onProblem }: DataOptions): Promise<Ledger> {
  const data = given.text("data");
  if (data === undefined) throw new CliError("usage", "Say which ledger with --data: a file, a folder or a URL.");
  const url = await urlOf(data, mustExist);
  const tenant = given.text("tenant");
  try {
    return await openLedger(url, { clock: io.clock, onProblem, ...(tenant !== undefined && { tenant }) });
  } catch (error) {
    throw cliErrorOf(error);
  }
}

async function urlOf(data: string, mustExist: boolean): Promise<string> {
  const file = await fileOf(data);
  if (mustExist && data.startsWith("memory:"))
    throw new CliError("usage", "A ledger in memory is empty: name one that is kept.");
  if (file === undefined) return data;
  if (mustExist) await checkFile(file);
  return `sqlite:${file}`;
}

/** The file of a ledger; undefined where it is none. */
async function fileOf(data: string): Promise<string | undefined> {
  if (/^(memory|postgres(ql)?):/.test(data)) return undefined;
  const path = data.replace(/^sqlite:/, "");
  if (path === "") throw new CliError("usage", `"${data}" names no file: use sqlite:path/to/file.db.`);
  const there = await stat(path).catch(() => undefined);
  return there?.isDirectory() === true ? join(path, DATABASE) : path;
}

/** What SQLite keeps beside a database. */
const BESIDE = ["", "-wal", "-shm", "-journal"];

/** A ledger must not be written over by what is read from it. */
export async function checkOutput(given: Arguments, output: string | undefined): Promise<void> {
  const data = given.text("data");
  const file = data === undefined ? undefined : await fileOf(data);
  if (file === undefined || output === undefined || output === "-") return;
  // What stands beside a database stands beside the file that a link leads to.
  const real = await realpath(file).catch(() => file);
  for (const ending of BESIDE) {
    if (!(await isSameFile(output, real + ending))) continue;
    throw new CliError(
      "usage",
      `--output would write over "${output}", which is the ledger's; give it a file of its own.`,
    );
  }
}

/** Errors that are about one record or argument; all others are about the ledger itself. */
const MEANING: Partial<Record<LedgerErrorCode, CliErrorCode>> = {
  "invalid-input": "usage",
  "unknown-thread": "record",
  conflict: "record",
};

/** The error for people; what is not the ledger's stays what it is. */
export function cliErrorOf(error: unknown): unknown {
  if (!(error instanceof LedgerError)) return error;
  return new CliError(MEANING[error.code] ?? "io", error.message, { cause: error });
}

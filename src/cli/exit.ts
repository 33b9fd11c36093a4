// Defines the exit codes of the program, and the errors that cause them. docs/cli.md lists the codes for users.
import { KoineError } from "../model/index.ts";

export const EXIT = {
  ok: 0,
  /** A record could not be read or converted or is not valid, or a check of `koine doctor` failed. */
  failed: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** The conversion has losses at or above the level of `--fail-on`. */
  losses: 3,
  /** A file cannot be read or written, or an address cannot be listened on. */
  io: 4,
  /** SIGINT (Ctrl-C) ended the program. */
  interrupted: 130,
  /** SIGTERM ended the program. */
  terminated: 143,
} as const;

export type CliErrorCode = "usage" | "io" | "record" | "truncated" | "stopped";

/**
 * An error that the user can fix. It ends the command, unless it is thrown for one record of the input (usually with
 * the code `record` or `truncated`): then it is the failure of that record, and the next record is read.
 */
export class CliError extends KoineError<CliErrorCode> {
  override readonly name = "CliError";
  /** Lines that are printed after the message, for example one for each mistake in the configuration. */
  readonly details: readonly string[];

  constructor(code: CliErrorCode, message: string, options: ErrorOptions & { more?: readonly string[] } = {}) {
    super(code, message, options);
    this.details = options.more ?? [];
  }
}

const EXIT_CODES: Readonly<Record<CliErrorCode, number>> = {
  usage: EXIT.usage,
  io: EXIT.io,
  record: EXIT.failed,
  truncated: EXIT.failed,
  stopped: EXIT.failed,
};

export function getExitCode(error: CliError): number {
  return EXIT_CODES[error.code];
}

/** Creates the error for a failed file operation, with a readable message for the common system error codes. */
export function createIoError(error: unknown, operation: "read" | "write", name: string): CliError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known: Readonly<Record<string, string>> = {
    ENOENT: operation === "read" ? `There is no file "${name}".` : `There is no folder to write "${name}" into.`,
    EACCES: `No permission to ${operation} "${name}".`,
    EPERM: `No permission to ${operation} "${name}".`,
    EISDIR: `"${name}" is a folder; name a file.`,
    ENOTDIR: `A part of the path "${name}" is not a folder.`,
    ENOSPC: `The disk is full: "${name}" was not written.`,
    EROFS: `"${name}" is on a read-only disk.`,
  };
  const reason = error instanceof Error ? error.message : String(error);
  return new CliError("io", known[code] ?? `Cannot ${operation} "${name}": ${reason}`, { cause: error });
}

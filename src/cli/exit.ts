// Exit codes, and the errors that cause them. docs/cli.md lists the codes for users.
import { KoineError } from "../model/index.ts";

export const EXIT = {
  ok: 0,
  /** Some records could not be read, converted or are not valid. */
  failed: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** There are losses at or above the level of `--fail-on`. */
  losses: 3,
  /** A file cannot be read or written, or an address cannot be listened on. */
  io: 4,
  /** Ended with Ctrl-C. */
  interrupted: 130,
  /** Ended by another program. */
  terminated: 143,
} as const;

export type CliErrorCode = "usage" | "io" | "record" | "truncated" | "stopped";

/** An error that ends a command; with the codes `record` and `truncated`, an error of one record. */
export class CliError extends KoineError<CliErrorCode> {
  override readonly name = "CliError";
  /** Further lines, for example one for each mistake of a file. */
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

/** Creates the error for a failed file operation, with a message for the common error codes. */
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

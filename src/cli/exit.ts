// How the program ends: the exit codes, and the errors that lead to them. docs/cli.md lists the codes for users.
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

/** What ends a command, or, with the codes `record` and `truncated`, fails one record. The message is one sentence that says what to do. */
export class CliError extends KoineError<CliErrorCode> {
  override readonly name = "CliError";
  /** Further lines, where one sentence is not enough: each mistake of a file. */
  readonly more: readonly string[];

  constructor(code: CliErrorCode, message: string, options: ErrorOptions & { more?: readonly string[] } = {}) {
    super(code, message, options);
    this.more = options.more ?? [];
  }
}

const EXIT_OF: Readonly<Record<CliErrorCode, number>> = {
  usage: EXIT.usage,
  io: EXIT.io,
  record: EXIT.failed,
  truncated: EXIT.failed,
  stopped: EXIT.failed,
};

export function exitCodeOf(error: CliError): number {
  return EXIT_OF[error.code];
}

/** A sentence for what the operating system refused. */
export function ioError(error: unknown, doing: "read" | "write", name: string): CliError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known: Readonly<Record<string, string>> = {
    ENOENT: doing === "read" ? `There is no file "${name}".` : `There is no folder to write "${name}" into.`,
    EACCES: `No permission to ${doing} "${name}".`,
    EPERM: `No permission to ${doing} "${name}".`,
    EISDIR: `"${name}" is a folder; name a file.`,
    ENOTDIR: `"${name}" goes through something that is no folder.`,
    ENOSPC: `The disk is full: "${name}" was not written.`,
    EROFS: `"${name}" is on a disk that cannot be written to.`,
  };
  const reason = error instanceof Error ? error.message : String(error);
  return new CliError("io", known[code] ?? `Cannot ${doing} "${name}": ${reason}`, { cause: error });
}

// Defines the environment of a command: streams, environment variables, clock and signals. Tests pass an environment of
// their own.
import type { Readable, Writable } from "node:stream";

/** An output stream; `isTTY` is true and `columns` is set if it is a terminal. */
export type TerminalOutput = Writable & { isTTY?: boolean; columns?: number };

export interface CliIo {
  stdin: Readable & { isTTY?: boolean };
  stdout: TerminalOutput;
  stderr: TerminalOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** Returns the time in milliseconds since 1970. */
  clock: () => number;
  /** The working directory. */
  cwd: string;
  /**
   * Registers a listener for the first SIGINT or SIGTERM, so that a command can shut down in order. Without a listener,
   * and at the second signal, the program exits at once.
   */
  onInterrupt: (listener: () => void) => void;
}

export function createProcessIo(onInterrupt: CliIo["onInterrupt"]): CliIo {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, clock: Date.now, cwd: process.cwd(), onInterrupt };
}

// The environment of a command: streams, variables, clock and signals. Tests pass their own.
import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type TerminalOutput = Writable & { isTTY?: boolean; columns?: number };

export interface CliIo {
  stdin: Readable & { isTTY?: boolean };
  stdout: TerminalOutput;
  stderr: TerminalOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** The working folder. */
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

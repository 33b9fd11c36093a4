// What a command has of the world outside: streams, variables, a clock, and what ends it. Tests pass their own.
import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** The working folder. */
  cwd: string;
  /**
   * Ctrl-C and the like end the program at once, unless a command takes the first one over, to end in its own time. The
   * next one ends it all the same.
   */
  onInterrupt: (listener: () => void) => void;
}

export function ioOfProcess(onInterrupt: Io["onInterrupt"]): Io {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, clock: Date.now, cwd: process.cwd(), onInterrupt };
}

// What a command has of the world outside: streams, variables and a clock. Tests pass their own.
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
}

export function ioOfProcess(): Io {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, clock: Date.now };
}

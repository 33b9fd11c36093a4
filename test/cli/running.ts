// Runs a command that goes on until it is told to end, inside the test's process.
import { Readable } from "node:stream";
import { runProgram } from "../../src/cli/program.ts";
import type { Outcome, Setting } from "./support.ts";
import { Collector } from "./support.ts";

export interface Running {
  /** Resolves with what was written to standard output, once that holds a whole line. */
  ready: Promise<string>;
  /** As Ctrl-C does. */
  interrupt(): void;
  ended: Promise<Pick<Outcome, "code" | "stdout" | "stderr">>;
}

export function run(args: readonly string[], cwd: string, { env = {}, terminals = [] }: Setting = {}): Running {
  const [stdout, stderr] = [new Collector(), new Collector()];
  if (terminals.includes("stdout")) stdout.isTTY = true;
  if (terminals.includes("stderr")) stderr.isTTY = true;
  let listener: (() => void) | undefined;
  const io = {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env,
    clock: Date.now,
    cwd,
    onInterrupt: (taken: () => void) => (listener = taken),
  };
  const ended = runProgram(args, io).then((code) => ({ code, stdout: stdout.text, stderr: stderr.text }));
  const ready = new Promise<string>((resolve, reject) => {
    stdout.heard = () => stdout.text.includes("\n") && resolve(stdout.text);
    void ended.then(({ stderr: said }) => reject(new Error(`It ended before it was ready: ${said}`)));
  });
  // Where it is to fail, nobody waits for it.
  ready.catch(() => undefined);
  return { ready, ended, interrupt: () => listener?.() };
}

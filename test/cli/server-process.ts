// Runs a command that runs until it is interrupted, inside the test's process.
import { Readable } from "node:stream";
import { runProgram } from "../../src/cli/program.ts";
import type { CommandResult, CommandSetup } from "./support.ts";
import { OutputCollector } from "./support.ts";

export interface RunningCommand {
  /** Resolves with the standard output once it contains a complete line. */
  ready: Promise<string>;
  /** Has the same effect as Ctrl-C. */
  interrupt(): void;
  ended: Promise<Pick<CommandResult, "code" | "stdout" | "stderr">>;
}

export function startCommand(
  args: readonly string[],
  cwd: string,
  { env = {}, terminals = [] }: CommandSetup = {},
): RunningCommand {
  const [stdout, stderr] = [new OutputCollector(), new OutputCollector()];
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
    onInterrupt: (newListener: () => void) => (listener = newListener),
  };
  const ended = runProgram(args, io).then((code) => ({ code, stdout: stdout.text, stderr: stderr.text }));
  const ready = new Promise<string>((resolve, reject) => {
    stdout.onWrite = () => stdout.text.includes("\n") && resolve(stdout.text);
    void ended.then(({ stderr: errorOutput }) =>
      reject(new Error(`The command ended before it was ready: ${errorOutput}`)),
    );
  });
  // A test of a failing command does not await `ready`.
  ready.catch(() => undefined);
  return { ready, ended, interrupt: () => listener?.() };
}

// From the command line to a command and its exit code. Errors that are somebody's to mend become one sentence.
import { readArguments } from "./command.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import { CliError, EXIT, exitCodeOf, ioError } from "./exit.ts";
import { commandHelp, programHelp } from "./help.ts";
import type { Io } from "./io.ts";
import { ioOfProcess } from "./io.ts";
import { columnsOf, paintFor } from "./show/style.ts";
import { visibleLine } from "./show/visible.ts";
import { readVersion } from "./version.ts";
import { removeUnfinished } from "./write/sink.ts";

/** Runs the program and gives its exit code; it never throws. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    const isOurs = error instanceof CliError;
    const message = error instanceof Error ? error.message : String(error);
    const text = isOurs ? message : `A fault of Koine's own; please report it: ${message}`;
    if (text !== "") io.stderr.write(`koine: ${visibleLine(text)}\n`);
    if (isOurs) for (const line of error.more) io.stderr.write(`  ${visibleLine(line)}\n`);
    return isOurs ? exitCodeOf(error) : EXIT.failed;
  }
}

async function dispatch([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
    const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
    io.stdout.write(programHelp(commands, ...look(io)));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === "--version" || name === "-v" || (Object.hasOwn(COMMANDS, name) && rest.includes("--version"))) {
    io.stdout.write(`${await readVersion()}\n`);
    return EXIT.ok;
  }
  const isHelp = name === "help" || rest.includes("--help") || rest.includes("-h");
  const command = await load(name === "help" ? (rest[0] ?? "") : name);
  if (isHelp) {
    io.stdout.write(commandHelp(command, ...look(io)));
    return EXIT.ok;
  }
  return command.run(readArguments(command, rest), io);
}

function look(io: Io): [columns: number, paint: ReturnType<typeof paintFor>] {
  return [columnsOf(io.stdout, io.env), paintFor(io.stdout, io.env)];
}

async function load(name: string): Promise<Command> {
  const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (found !== undefined) return found();
  throw new CliError("usage", `There is no command "${name}"; there are ${Object.keys(COMMANDS).join(", ")}.`);
}

function leave(code: number): () => void {
  return () => {
    removeUnfinished();
    process.exit(code);
  };
}

const SIGNALS = [
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
] as const;

/** Ends the program at signals, or tells whoever has taken the first one over. */
function catchSignals(): Io["onInterrupt"] {
  let taken: (() => void) | undefined;
  let isTold = false;
  const end = (code: number): void => {
    isTold = true;
    // The line that was being written over ends here.
    if (process.stderr.isTTY) process.stderr.write("\n");
    const listener = taken;
    taken = undefined;
    (listener ?? leave(code))();
  };
  for (const [signal, code] of SIGNALS) process.on(signal, () => end(code));
  // A parent that is gone is as good as the first signal, and never a second one.
  if (process.env["npm_lifecycle_event"] !== undefined) {
    whenParentEnds(() => {
      if (!isTold) end(EXIT.terminated);
    });
  }
  return (listener) => {
    taken = listener;
  };
}

const LOOK_MS = 500;

/** npm ends the shell that it started at a signal, and the shell tells nobody: a program that it ran would go on alone. */
function whenParentEnds(listener: () => void): void {
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    listener();
  }, LOOK_MS).unref();
}

/** Runs as the program of this process. */
export async function runAsProgram(): Promise<void> {
  process.stdout.on("error", (error: Error) => {
    // Whoever reads has seen enough: `koine convert … | head`.
    if ("code" in error && error.code === "EPIPE") leave(EXIT.ok)();
    process.stderr.write(`koine: ${ioError(error, "write", "stdout").message}\n`);
    leave(EXIT.io)();
  });
  process.stderr.on("error", leave(EXIT.io));
  process.exitCode = await runProgram(process.argv.slice(2), ioOfProcess(catchSignals()));
}

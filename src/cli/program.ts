// Runs the command that the command line names and returns the exit code. Errors that the user can fix are printed as
// one sentence.
import { parseCommandArguments } from "./command.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import { CliError, EXIT, getExitCode, createIoError } from "./exit.ts";
import { formatCommandHelp, formatProgramHelp } from "./help.ts";
import type { CliIo } from "./io.ts";
import { createProcessIo } from "./io.ts";
import { readColumns, createPaint } from "./show/style.ts";
import { escapeToLine } from "./show/escape-unsafe.ts";
import { readVersion } from "./version.ts";
import { removeUnfinishedFiles } from "./write/output-sink.ts";

/** Runs the program and returns its exit code; never throws. */
export async function runProgram(args: readonly string[], io: CliIo): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    const isCliError = error instanceof CliError;
    const message = error instanceof Error ? error.message : String(error);
    const text = isCliError ? message : `Internal error of Koine, please report it: ${message}`;
    if (text !== "") io.stderr.write(`koine: ${escapeToLine(text)}\n`);
    if (isCliError) for (const line of error.details) io.stderr.write(`  ${escapeToLine(line)}\n`);
    return isCliError ? getExitCode(error) : EXIT.failed;
  }
}

async function dispatch([name, ...rest]: readonly string[], io: CliIo): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
    const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
    io.stdout.write(formatProgramHelp(commands, ...readTerminalStyle(io)));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === "--version" || name === "-v" || (Object.hasOwn(COMMANDS, name) && rest.includes("--version"))) {
    io.stdout.write(`${await readVersion()}\n`);
    return EXIT.ok;
  }
  const isHelp = name === "help" || rest.includes("--help") || rest.includes("-h");
  const command = await loadCommand(name === "help" ? (rest[0] ?? "") : name);
  if (isHelp) {
    io.stdout.write(formatCommandHelp(command, ...readTerminalStyle(io)));
    return EXIT.ok;
  }
  return command.run(parseCommandArguments(command, rest), io);
}

function readTerminalStyle(io: CliIo): [columns: number, paint: ReturnType<typeof createPaint>] {
  return [readColumns(io.stdout, io.env), createPaint(io.stdout, io.env)];
}

async function loadCommand(name: string): Promise<Command> {
  const loader = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (loader !== undefined) return loader();
  throw new CliError("usage", `There is no command "${name}". Commands: ${Object.keys(COMMANDS).join(", ")}.`);
}

function createExit(code: number): () => void {
  return () => {
    removeUnfinishedFiles();
    process.exit(code);
  };
}

const SIGNALS = [
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
] as const;

/**
 * Ends the program at SIGINT or SIGTERM. The first signal calls the registered listener, if there is one; without a
 * listener, and at the second signal, the program exits. Returns the function that registers the listener.
 */
function listenForSignals(): CliIo["onInterrupt"] {
  let interruptListener: (() => void) | undefined;
  let hasEnded = false;
  const end = (code: number): void => {
    hasEnded = true;
    // The line feed ends the line of the progress display, so that later output begins on a new line.
    if (process.stderr.isTTY) process.stderr.write("\n");
    const listener = interruptListener;
    interruptListener = undefined;
    (listener ?? createExit(code))();
  };
  for (const [signal, code] of SIGNALS) process.on(signal, () => end(code));
  // If npm runs the program, the exit of npm has the effect of a first SIGTERM. After a signal, the exit of npm is
  // ignored, because a second signal would cut the shutdown short.
  if (process.env["npm_lifecycle_event"] !== undefined) {
    onParentExit(() => {
      if (!hasEnded) end(EXIT.terminated);
    });
  }
  return (listener) => {
    interruptListener = listener;
  };
}

const PARENT_CHECK_MS = 500;

/**
 * Calls the listener when the parent process has exited. At a signal, npm ends its shell, which does not forward the
 * signal: without this check, koine would continue to run.
 */
function onParentExit(listener: () => void): void {
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    listener();
  }, PARENT_CHECK_MS).unref();
}

/** Runs the program with the arguments, streams and signals of this process, and sets its exit code. */
export async function runAsProgram(): Promise<void> {
  process.stdout.on("error", (error: Error) => {
    // EPIPE is not an error: the reader has closed the pipe, as in `koine convert … | head`.
    if ("code" in error && error.code === "EPIPE") createExit(EXIT.ok)();
    process.stderr.write(`koine: ${createIoError(error, "write", "stdout").message}\n`);
    createExit(EXIT.io)();
  });
  process.stderr.on("error", createExit(EXIT.io));
  process.exitCode = await runProgram(process.argv.slice(2), createProcessIo(listenForSignals()));
}

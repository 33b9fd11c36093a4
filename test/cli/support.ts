// Runs the CLI inside the test's process with its own streams and temporary files. The folder is removed from the
// captured output, so that outputs can be compared.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runProgram } from "../../src/cli/program.ts";

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
  /** Returns the content of a file of the folder. */
  file: (name: string) => string;
  files: string;
}

export interface CommandSetup {
  stdin?: string | Buffer | readonly (string | Buffer)[];
  files?: Readonly<Record<string, string | Buffer>>;
  env?: Readonly<Record<string, string>>;
  /** The streams that are terminals. */
  terminals?: readonly ("stdout" | "stderr")[];
  columns?: number;
  clock?: () => number;
}

export class OutputCollector extends Writable {
  text = "";
  isTTY?: boolean;
  columns?: number;
  onWrite?: () => void;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    this.onWrite?.();
    done();
  }
}

/** Runs a command line. `%` in an argument is replaced with the temporary folder. */
export async function koine(args: string, setup: CommandSetup = {}): Promise<CommandResult> {
  const folder = mkdtempSync(join(tmpdir(), "koine-cli-"));
  const inFolder = (name: string): string => join(folder, name);
  const [stdout, stderr] = [new OutputCollector(), new OutputCollector()];
  for (const [name, stream] of Object.entries({ stdout, stderr })) {
    if (setup.terminals?.some((each) => each === name) === true) stream.isTTY = true;
    if (setup.columns !== undefined) stream.columns = setup.columns;
  }
  for (const [name, content] of Object.entries(setup.files ?? {})) writeFileSync(inFolder(name), content);
  const { stdin = "" } = setup;
  const argumentList = args
    .split(" ")
    .filter((arg) => arg !== "")
    .map((arg) => arg.replace("%", folder));
  const input = Readable.from(
    (Array.isArray(stdin) ? stdin : [stdin]).map((each: string | Buffer) => Buffer.from(each)),
  );
  const io = {
    stdin: input,
    stdout,
    stderr,
    env: setup.env ?? {},
    clock: setup.clock ?? (() => 1_750_000_000_000),
    cwd: folder,
    // Interrupts a server as soon as it has started.
    onInterrupt: (listener: () => void) => void setImmediate(listener),
  };
  const code = await runProgram(argumentList, io);
  const contents = new Map<string, string>();
  for (const name of readdirSync(folder)) contents.set(name, readFileSync(inFolder(name), "utf8"));
  rmSync(folder, { recursive: true });
  const withoutFolder = (text: string): string => text.replaceAll(`${folder}/`, "");
  return {
    code,
    stdout: withoutFolder(stdout.text),
    stderr: withoutFolder(stderr.text),
    file: (name) => withoutFolder(contents.get(name) ?? ""),
    files: [...contents.keys()].sort().join(" "),
  };
}

export function lines(...values: readonly unknown[]): string {
  return values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join("");
}

/** Parses each line of a text as JSON. */
export function parseLines(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

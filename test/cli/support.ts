// Runs the program inside the test's process, with streams and files of its own. What it says about its files has the
// folder cut off, so that outputs can be compared.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runProgram } from "../../src/cli/program.ts";

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  /** A file of the folder. */
  file: (name: string) => string;
  files: string;
}

export interface Setting {
  stdin?: string | Buffer | readonly (string | Buffer)[];
  files?: Readonly<Record<string, string | Buffer>>;
  env?: Readonly<Record<string, string>>;
  /** Which streams are terminals. */
  terminals?: readonly ("stdout" | "stderr")[];
  columns?: number;
  clock?: () => number;
}

export class Collector extends Writable {
  text = "";
  isTTY?: boolean;
  columns?: number;
  heard?: () => void;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    this.heard?.();
    done();
  }
}

/** `%` stands for the folder of the files. */
export async function koine(args: string, setting: Setting = {}): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "koine-cli-"));
  const inFolder = (name: string): string => join(folder, name);
  const [stdout, stderr] = [new Collector(), new Collector()];
  for (const [name, stream] of Object.entries({ stdout, stderr })) {
    if (setting.terminals?.some((each) => each === name) === true) stream.isTTY = true;
    if (setting.columns !== undefined) stream.columns = setting.columns;
  }
  for (const [name, content] of Object.entries(setting.files ?? {})) writeFileSync(inFolder(name), content);
  const { stdin = "" } = setting;
  const given = args
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
    env: setting.env ?? {},
    clock: setting.clock ?? (() => 1_750_000_000_000),
    cwd: folder,
    // What would go on for ever ends when it has begun.
    onInterrupt: (listener: () => void) => void setImmediate(listener),
  };
  const code = await runProgram(given, io);
  const read = new Map<string, string>();
  for (const name of readdirSync(folder)) read.set(name, readFileSync(inFolder(name), "utf8"));
  rmSync(folder, { recursive: true });
  const plain = (text: string): string => text.replaceAll(`${folder}/`, "");
  return {
    code,
    stdout: plain(stdout.text),
    stderr: plain(stderr.text),
    file: (name) => plain(read.get(name) ?? ""),
    files: [...read.keys()].sort().join(" "),
  };
}

export function lines(...values: readonly unknown[]): string {
  return values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join("");
}

/** What the lines of a text say. */
export function parsed(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

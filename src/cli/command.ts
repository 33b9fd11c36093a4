// What a command is: a file in commands/ that exports one of these, and a line in commands/index.ts.
import { parseArgs } from "node:util";
import { CliError } from "./exit.ts";
import type { Io } from "./io.ts";

export interface Option {
  type: "string" | "boolean";
  short?: string;
  /** The word for its value in the help. */
  value?: string;
  choices?: readonly string[];
  says: string;
}

export type Options = Readonly<Record<string, Option>>;

/** What was given on the command line; an option that was not is absent. */
export interface Arguments {
  text(option: string): string | undefined;
  /** The value of an option that has choices. */
  choice<T extends string>(option: string, choices: readonly T[]): T | undefined;
  has(option: string): boolean;
  files: readonly string[];
}

export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** How it is called, without "koine". */
  usage: string;
  /** Further paragraphs of its help. */
  about: readonly string[];
  options: Options;
  examples: readonly (readonly [command: string, says: string])[];
  /** Does the work and gives the exit code. */
  run(given: Arguments, io: Io): Promise<number>;
}

/** Reads the arguments of a command. What it does not take is a `usage` error. */
export function readArguments(command: Command, args: readonly string[]): Arguments {
  const { values, positionals } = parse(command, args);
  for (const [name, { choices }] of Object.entries(command.options)) {
    const value = values[name];
    if (choices !== undefined && typeof value === "string" && !choices.includes(value)) {
      throw new CliError("usage", `--${name} is one of ${choices.join(", ")}, not "${value}".`);
    }
    if (value === "") throw new CliError("usage", `--${name} needs a value.`);
  }
  const text = (option: string): string | undefined => {
    const value = values[option];
    return typeof value === "string" ? value : undefined;
  };
  return {
    text,
    choice: (option, choices) => choices.find((each) => each === text(option)),
    has: (option) => values[option] === true,
    files: positionals,
  };
}

function parse(command: Command, args: readonly string[]): { values: Record<string, unknown>; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, short }]) => [
      name,
      short === undefined ? { type } : { type, short },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // What follows the first sentence is about positional arguments.
    const [sentence = reason] = reason.split(/\. |\n/);
    throw new CliError("usage", `${sentence.replace(/\.$/, "")}; "koine ${command.name} --help" lists the options.`);
  }
}

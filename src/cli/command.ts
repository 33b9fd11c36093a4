// Defines the type of a command and parses its arguments. To add a command, add a file to commands/ and a line to
// commands/index.ts.
import { parseArgs } from "node:util";
import { CliError } from "./exit.ts";
import type { CliIo } from "./io.ts";

export interface CommandOption {
  type: "string" | "boolean";
  short?: string;
  /** The placeholder for the option's value in the help text. */
  value?: string;
  choices?: readonly string[];
  description: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** The parsed arguments of a command line. */
export interface CommandArguments {
  text(option: string): string | undefined;
  /** Returns the value of an option that has choices; undefined if the option is not set. */
  choice<T extends string>(option: string, choices: readonly T[]): T | undefined;
  has(option: string): boolean;
  files: readonly string[];
}

export interface Command {
  name: string;
  /** The line that describes the command in the output of `koine --help`. */
  summary: string;
  /** The usage line of the command's help, without the leading "koine". */
  usage: string;
  /** The paragraphs between the usage line and the options in the help of the command. */
  about: readonly string[];
  options: CommandOptions;
  examples: readonly (readonly [command: string, description: string])[];
  /** Runs the command and returns the exit code. */
  run(args: CommandArguments, io: CliIo): Promise<number>;
}

/** Parses the arguments of a command. Throws a `usage` error for unknown options and invalid values. */
export function parseCommandArguments(command: Command, args: readonly string[]): CommandArguments {
  const { values, positionals } = parseOptions(command, args);
  for (const [name, { choices }] of Object.entries(command.options)) {
    const value = values[name];
    if (choices !== undefined && typeof value === "string" && !choices.includes(value)) {
      throw new CliError("usage", `--${name} must be one of ${choices.join(", ")}, not "${value}".`);
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

function parseOptions(
  command: Command,
  args: readonly string[],
): { values: Record<string, unknown>; positionals: string[] } {
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
    // Node's message continues with advice about positional arguments, which does not apply here.
    const [sentence = reason] = reason.split(/\. |\n/);
    throw new CliError("usage", `${sentence.replace(/\.$/, "")}; "koine ${command.name} --help" lists the options.`);
  }
}

// The help of the program and of each command, made from what the commands say about themselves.
import type { Command, Option } from "./command.ts";
import type { Paint } from "./show/style.ts";
import { padTo } from "./show/width.ts";
import { wrap } from "./show/wrap.ts";

export function programHelp(commands: readonly Command[], columns: number, paint: Paint): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "Koine: one common language for LLM conversations. Nothing is lost silently.",
    "",
    heading("Usage", paint),
    "  koine <command> [options] [file …]",
    "",
    heading("Commands", paint),
    ...commands.flatMap(({ name, summary }) => hanging(`  ${padTo(name, width)}  `, summary, columns)),
    "",
    heading("Examples", paint),
    ...commands.flatMap(({ examples }) => examples.slice(0, 1).map(([command]) => `  ${command}`)),
    "",
    '"koine <command> --help" tells more; "koine --version" which version this is.',
    "",
  ].join("\n");
}

export function commandHelp(command: Command, columns: number, paint: Paint): string {
  const rows = Object.entries(command.options).map(([name, option]) => [flag(name, option), option] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    ...wrap(command.summary, columns),
    "",
    heading("Usage", paint),
    `  koine ${command.usage}`,
    ...command.about.flatMap((paragraph) => ["", ...wrap(paragraph, columns)]),
    "",
    heading("Options", paint),
    ...rows.flatMap(([left, option]) => hanging(`  ${padTo(left, width)}  `, sentence(option), columns)),
    "",
    heading("Examples", paint),
    ...command.examples.flatMap(([line, says]) => [`  ${line}`, ...hanging("      ", says, columns)]),
    "",
  ].join("\n");
}

function heading(text: string, paint: Paint): string {
  return paint("bold", text);
}

function flag(name: string, { short, value, choices }: Option): string {
  const placeholder = value ?? (choices === undefined ? undefined : name);
  const left = short === undefined ? `    --${name}` : `-${short}, --${name}`;
  return placeholder === undefined ? left : `${left} <${placeholder}>`;
}

function sentence({ says, choices }: Option): string {
  return choices === undefined ? says : `${says} (${choices.join(", ")})`;
}

function hanging(left: string, text: string, columns: number): string[] {
  return wrap(text, columns - left.length).map((line, index) => (index === 0 ? left : " ".repeat(left.length)) + line);
}

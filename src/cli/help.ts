// Formats the help of the program and of each command from the command definitions.
import type { Command, CommandOption } from "./command.ts";
import type { Paint } from "./show/style.ts";
import { padToWidth } from "./show/text-width.ts";
import { wrapText } from "./show/wrap.ts";

export function formatProgramHelp(commands: readonly Command[], columns: number, paint: Paint): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "Koine: one common format for LLM conversations. No data is lost silently.",
    "",
    formatHeading("Usage", paint),
    "  koine <command> [options] [file …]",
    "",
    formatHeading("Commands", paint),
    ...commands.flatMap(({ name, summary }) => formatHangingIndent(`  ${padToWidth(name, width)}  `, summary, columns)),
    "",
    formatHeading("Examples", paint),
    ...commands.flatMap(({ examples }) => examples.slice(0, 1).map(([command]) => `  ${command}`)),
    "",
    '"koine <command> --help" shows the options of a command; "koine --version" shows the version.',
    "",
  ].join("\n");
}

export function formatCommandHelp(command: Command, columns: number, paint: Paint): string {
  const rows = Object.entries(command.options).map(([name, option]) => [formatFlag(name, option), option] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    ...wrapText(command.summary, columns),
    "",
    formatHeading("Usage", paint),
    `  koine ${command.usage}`,
    ...command.about.flatMap((paragraph) => ["", ...wrapText(paragraph, columns)]),
    "",
    formatHeading("Options", paint),
    ...rows.flatMap(([left, option]) =>
      formatHangingIndent(`  ${padToWidth(left, width)}  `, describeOption(option), columns),
    ),
    "",
    formatHeading("Examples", paint),
    ...command.examples.flatMap(([line, description]) => [
      `  ${line}`,
      ...formatHangingIndent("      ", description, columns),
    ]),
    "",
  ].join("\n");
}

function formatHeading(text: string, paint: Paint): string {
  return paint("bold", text);
}

function formatFlag(name: string, { short, value, choices }: CommandOption): string {
  const placeholder = value ?? (choices === undefined ? undefined : name);
  const left = short === undefined ? `    --${name}` : `-${short}, --${name}`;
  return placeholder === undefined ? left : `${left} <${placeholder}>`;
}

function describeOption({ description, choices }: CommandOption): string {
  return choices === undefined ? description : `${description} (${choices.join(", ")})`;
}

function formatHangingIndent(left: string, text: string, columns: number): string[] {
  return wrapText(text, columns - left.length).map(
    (line, index) => (index === 0 ? left : " ".repeat(left.length)) + line,
  );
}

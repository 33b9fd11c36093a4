// Determines the colors and the width of the output. Colors are used if the output is a terminal and NO_COLOR is not
// set. FORCE_COLOR overrides both conditions.
import { styleText } from "node:util";
import type { CliIo, TerminalOutput } from "../io.ts";

export type TextStyle = Parameters<typeof styleText>[0];

/** Applies a style to text; returns the text unchanged if colors are off. */
export type Paint = (format: TextStyle, text: string) => string;

export function hasColor(stream: Pick<TerminalOutput, "isTTY">, env: CliIo["env"]): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: terminal } = env;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  if (no !== undefined && no !== "") return false;
  return stream.isTTY === true && terminal !== "dumb";
}

export function createPaint(stream: Pick<TerminalOutput, "isTTY">, env: CliIo["env"]): Paint {
  if (!hasColor(stream, env)) return (_format, text) => text;
  // `validateStream` is false, because styleText would otherwise check the process's stdout instead of this stream.
  return (format, text) => styleText(format, text, { validateStream: false });
}

const MIN_COLUMNS = 40;
const MAX_COLUMNS = 120;
const DEFAULT_COLUMNS = 80;

/** Returns the line width: the width of the terminal, otherwise COLUMNS, otherwise 80; limited to a readable range. */
export function readColumns(stream: Pick<TerminalOutput, "isTTY" | "columns">, env: CliIo["env"]): number {
  const columns = stream.isTTY === true ? stream.columns : Number(env["COLUMNS"]);
  if (columns === undefined || !Number.isInteger(columns) || columns <= 0) return DEFAULT_COLUMNS;
  return Math.min(Math.max(columns, MIN_COLUMNS), MAX_COLUMNS);
}

// Colours, only where somebody sees them: on a terminal, unless NO_COLOR is set, or wherever FORCE_COLOR asks for them.
import { styleText } from "node:util";
import type { CliIo, TerminalOutput } from "../io.ts";

export type Format = Parameters<typeof styleText>[0];

/** Puts a style on a text, or leaves it as it is. */
export type Paint = (format: Format, text: string) => string;

export function hasColour(stream: Pick<TerminalOutput, "isTTY">, env: CliIo["env"]): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: terminal } = env;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  if (no !== undefined && no !== "") return false;
  return stream.isTTY === true && terminal !== "dumb";
}

export function paintFor(stream: Pick<TerminalOutput, "isTTY">, env: CliIo["env"]): Paint {
  if (!hasColour(stream, env)) return (_format, text) => text;
  // The decision is made; styleText would make its own.
  return (format, text) => styleText(format, text, { validateStream: false });
}

const NARROWEST = 40;
const WIDEST = 120;
const USUAL = 80;

/** How wide lines may be: the terminal's width, or what COLUMNS says, within what is comfortable to read. */
export function columnsOf(stream: Pick<TerminalOutput, "isTTY" | "columns">, env: CliIo["env"]): number {
  const given = stream.isTTY === true ? stream.columns : Number(env["COLUMNS"]);
  if (given === undefined || !Number.isInteger(given) || given <= 0) return USUAL;
  return Math.min(Math.max(given, NARROWEST), WIDEST);
}

// Splits and joins JSON pointers (RFC 6901), and finds the lines of a document that they refer to.
import { listChildLines, findClosingLine, listChildLinesByKey } from "./json-document.ts";
import type { JsonDocument } from "./json-document.ts";

/** Returns the unescaped steps of a pointer. */
export function splitPointer(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function joinPointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Returns the line of a value; if the value does not exist, the line of its deepest ancestor and `exact: false`. */
export function findLine(document: JsonDocument, pointer: string): { line: number; exact: boolean } {
  let line = 0;
  for (const step of splitPointer(pointer)) {
    const child = findChildLine(document, line, step);
    if (child === undefined) return { line, exact: false };
    line = child;
  }
  return { line, exact: true };
}

function findChildLine(document: JsonDocument, line: number, step: string): number | undefined {
  if (findClosingLine(document, line) === 0) return undefined;
  if (!isList(document, line)) return listChildLinesByKey(document, line).get(JSON.stringify(step));
  return /^(0|[1-9]\d*)$/.test(step) ? listChildLines(document, line)[Number(step)] : undefined;
}

function isList({ text, starts }: JsonDocument, line: number): boolean {
  // True for a list: its first line ends with the opening bracket, which is the character before the line break.
  return text[(starts[line + 1] ?? 0) - 2] === "[";
}

// JSON pointers (RFC 6901) and lines: where a pointer leads in a document.
import { childrenOf, endOf, namedChildrenOf } from "./document.ts";
import type { JsonDocument } from "./document.ts";

/** The steps of a pointer, unescaped. */
export function stepsOf(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function pointerOf(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The line of a value, or of the deepest thing on the way to it that is there. */
export function lineAt(document: JsonDocument, pointer: string): { line: number; exact: boolean } {
  let line = 0;
  for (const step of stepsOf(pointer)) {
    const child = childNamed(document, line, step);
    if (child === undefined) return { line, exact: false };
    line = child;
  }
  return { line, exact: true };
}

function childNamed(document: JsonDocument, line: number, step: string): number | undefined {
  if (endOf(document, line) === 0) return undefined;
  if (!isList(document, line)) return namedChildrenOf(document, line).get(JSON.stringify(step));
  return /^(0|[1-9]\d*)$/.test(step) ? childrenOf(document, line)[Number(step)] : undefined;
}

function isList({ text, starts }: JsonDocument, line: number): boolean {
  // Behind the sign that opens it stands the end of the line.
  return text[(starts[line + 1] ?? 0) - 2] === "[";
}

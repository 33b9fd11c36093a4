// JSON pointers (RFC 6901) and lines: where a pointer leads in a document, and what a line is called.
import { childrenOf, depthOf, endOf, isCloser, lineText, parentOf } from "./document.ts";
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
  const children = childrenOf(document, line);
  if (isList(document, line)) return /^(0|[1-9]\d*)$/.test(step) ? children[Number(step)] : undefined;
  const depth = depthOf(document, line) + 1;
  const named = `${"  ".repeat(depth)}${JSON.stringify(step)}: `;
  return children.find((child) => document.text.startsWith(named, document.starts[child]));
}

function isList(document: JsonDocument, line: number): boolean {
  return lineText(document, line).endsWith("[");
}

/** The key that a line begins with; undefined in a list, and for the root. */
function keyOf(text: string): string | undefined {
  const quoted = /^\s*("(?:[^"\\]|\\.)*"): /.exec(text)?.[1];
  // The writer has quoted it.
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
}

/** The pointer to the value that begins, or ends, on a line. */
export function pointerAt(document: JsonDocument, line: number): string {
  const steps: (string | number)[] = [];
  let at = line;
  for (;;) {
    const parent = parentOf(document, at);
    if (isCloser(document, at)) {
      const siblings = parent === undefined ? [0] : childrenOf(document, parent);
      at = siblings.findLast((each) => each < at) ?? 0;
    }
    if (parent === undefined) return pointerOf(steps);
    steps.unshift(keyOf(lineText(document, at)) ?? childrenOf(document, parent).indexOf(at));
    at = parent;
  }
}

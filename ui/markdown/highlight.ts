// Highlights the syntax of code with the common grammars; this module is loaded with the first code block. Some
// grammars are slow on adversarial code, so longer code is first highlighted in small parts, and stays plain if one
// part takes too long.
import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** A span of code with its syntactic kind, such as "keyword"; "" for code without one. */
export interface HighlightSpan {
  kind: string;
  text: string;
}

type Highlighted = ReturnType<typeof lowlight.highlight>;
type HighlightedNode = Highlighted["children"][number];

/**
 * Number of characters in a trial part, and the time limit for highlighting it; a part of usual code takes one or two
 * milliseconds.
 */
const TRIAL_LENGTH = 2000;
const TRIAL_MS = 30;
/** Number of slow code blocks after which no further code is highlighted until the page is reloaded. */
const MAX_SLOW_COUNT = 4;
let slowCount = 0;

/** Returns the spans of the code; undefined if the language is unknown or highlighting is too slow. */
export function highlight(
  code: string,
  language: string,
  now: () => number = () => performance.now(),
): HighlightSpan[] | undefined {
  const name = language.toLowerCase();
  if (slowCount >= MAX_SLOW_COUNT || !lowlight.registered(name)) return undefined;
  try {
    if (code.length > TRIAL_LENGTH && isSlow(code, name, now)) {
      slowCount += 1;
      return undefined;
    }
    const start = now();
    const spans = flatten(lowlight.highlight(name, code));
    if (now() - start > TRIAL_MS * 5) slowCount += 1;
    return spans;
  } catch {
    // If a grammar throws, the code stays plain.
    return undefined;
  }
}

function isSlow(code: string, name: string, now: () => number): boolean {
  for (let at = 0; at < code.length; at += TRIAL_LENGTH) {
    const start = now();
    lowlight.highlight(name, code.slice(at, at + TRIAL_LENGTH));
    if (now() - start > TRIAL_MS) return true;
  }
  return false;
}

/**
 * Converts the syntax tree to spans; the innermost kind applies. A stack replaces recursion, because the tree can be as
 * deep as the code is nested.
 */
function flatten(root: Highlighted): HighlightSpan[] {
  const spans: HighlightSpan[] = [];
  const open: { node: HighlightedNode; kind: string }[] = root.children.map((node) => ({ node, kind: "" })).reverse();
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { node, kind } = top;
    if (node.type === "text") spans.push({ kind, text: node.value });
    if (node.type !== "element") continue;
    const inner = readKind(node.properties["className"]) ?? kind;
    for (const child of node.children.toReversed()) open.push({ node: child, kind: inner });
  }
  return spans;
}

function readKind(classes: unknown): string | undefined {
  const first: unknown = Array.isArray(classes) ? classes[0] : undefined;
  return typeof first === "string" ? first.replace(/^hljs-/, "") : undefined;
}

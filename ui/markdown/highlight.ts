// Colours for code. Loaded when the first code is shown; the grammars are a few dozen common ones.
// Their patterns can be led astray by code that was written for it. So a longer code is tried in small parts first, and where
// that takes long, it stays as it is.
import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** A stretch of code and what it is, "" where it is nothing in particular. */
export interface Stretch {
  kind: string;
  text: string;
}

type Highlighted = ReturnType<typeof lowlight.highlight>;
type HighlightedNode = Highlighted["children"][number];

/** Characters of one trial, and how long it may take, in milliseconds. Usual code takes one or two. */
const TRIAL = 2000;
const TRIAL_MS = 30;
/** After so many codes that took too long, no more are coloured. */
const MAX_STRIKES = 4;
let strikes = 0;

/** undefined: the language is not known, or the code is not worth it. */
export function highlight(
  code: string,
  language: string,
  now: () => number = () => performance.now(),
): Stretch[] | undefined {
  const name = language.toLowerCase();
  if (strikes >= MAX_STRIKES || !lowlight.registered(name)) return undefined;
  try {
    if (code.length > TRIAL && isSlow(code, name, now)) {
      strikes += 1;
      return undefined;
    }
    const start = now();
    const stretches = flatten(lowlight.highlight(name, code));
    if (now() - start > TRIAL_MS * 5) strikes += 1;
    return stretches;
  } catch {
    // A grammar that fails leaves the code as it is: colours say nothing that the code does not.
    return undefined;
  }
}

function isSlow(code: string, name: string, now: () => number): boolean {
  for (let at = 0; at < code.length; at += TRIAL) {
    const start = now();
    lowlight.highlight(name, code.slice(at, at + TRIAL));
    if (now() - start > TRIAL_MS) return true;
  }
  return false;
}

/** Without recursion: grammars nest as deep as the code does. The innermost kind counts. */
function flatten(root: Highlighted): Stretch[] {
  const stretches: Stretch[] = [];
  const open: { node: HighlightedNode; kind: string }[] = root.children.map((node) => ({ node, kind: "" })).reverse();
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { node, kind } = top;
    if (node.type === "text") stretches.push({ kind, text: node.value });
    if (node.type !== "element") continue;
    const inner = kindOf(node.properties["className"]) ?? kind;
    for (const child of node.children.toReversed()) open.push({ node: child, kind: inner });
  }
  return stretches;
}

function kindOf(classes: unknown): string | undefined {
  const first: unknown = Array.isArray(classes) ? classes[0] : undefined;
  return typeof first === "string" ? first.replace(/^hljs-/, "") : undefined;
}

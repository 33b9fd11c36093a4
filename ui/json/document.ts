// JSON as lines of text with an index of them: what a view of any size needs, and nothing that would have to be parsed
// again. It is made in a worker and handed over whole. Digits stay as they were written.

export interface JsonDocument {
  /** Written with two spaces a level, so that every value begins a line. */
  text: string;
  /** Where each line begins, and behind the last one the length of the text. */
  starts: Uint32Array;
  /** Of a line that opens a list or an object: the line that closes it. Of any other: 0. */
  ends: Uint32Array;
}

const INDENT = 2;
const OPENERS: ReadonlySet<string | undefined> = new Set(["{", "["]);

/** Indexes a text that `stringifyJson(value, 2)` has written. A string holds no line break, so that lines tell all. */
export function indexJson(text: string): JsonDocument {
  const starts = lineStarts(text);
  const ends = new Uint32Array(starts.length - 1);
  const open: number[] = [];
  for (let line = 0; line < ends.length; line++) {
    const from = starts[line] ?? 0;
    const end = (starts[line + 1] ?? text.length) - (line === ends.length - 1 ? 0 : 1);
    if (OPENERS.has(text[end - 1])) open.push(line);
    else if (closes(text, from)) {
      const opener = open.pop();
      if (opener !== undefined) ends[opener] = line;
    }
  }
  return { text, starts, ends };
}

function lineStarts(text: string): Uint32Array {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  starts.push(text.length);
  return Uint32Array.from(starts);
}

function closes(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) === 32) at++;
  return text[at] === "}" || text[at] === "]";
}

export function lineCount({ ends }: JsonDocument): number {
  return ends.length;
}

export function lineText({ text, starts }: JsonDocument, line: number): string {
  const end = starts[line + 1] ?? text.length;
  return text.slice(starts[line], text[end - 1] === "\n" ? end - 1 : end);
}

/** The line that closes what this one opens; 0 where it opens nothing. */
export function endOf({ ends }: JsonDocument, line: number): number {
  return ends[line] ?? 0;
}

/** How deep a line stands; the root is 0. */
export function depthOf({ text, starts }: JsonDocument, line: number): number {
  const from = starts[line] ?? 0;
  let at = from;
  while (text.charCodeAt(at) === 32) at++;
  return (at - from) / INDENT;
}

export function isCloser({ text, starts }: JsonDocument, line: number): boolean {
  return closes(text, starts[line] ?? 0);
}

/** Children are looked for again and again, and a list may have thousands. */
const CHILDREN = new WeakMap<JsonDocument, Map<number, readonly number[]>>();

/** The lines on which the values of a list or an object begin. */
export function childrenOf(document: JsonDocument, line: number): readonly number[] {
  let known = CHILDREN.get(document);
  if (known === undefined) CHILDREN.set(document, (known = new Map()));
  const before = known.get(line);
  if (before !== undefined) return before;
  const end = endOf(document, line);
  const children: number[] = [];
  for (let at = line + 1; at < end; at = Math.max(at, endOf(document, at)) + 1) children.push(at);
  known.set(line, children);
  return children;
}

/** The line that opens what a value stands in, which begins or ends on this line; undefined for the root. */
export function parentOf(document: JsonDocument, line: number): number | undefined {
  if (line === 0 || line === endOf(document, 0)) return undefined;
  for (let at = 0; ;) {
    const child = childAt(document, at, line);
    if (child === undefined || child === line || endOf(document, child) === line) return at;
    at = child;
  }
}

/** The last child that begins at or before a line. */
function childAt(document: JsonDocument, parent: number, line: number): number | undefined {
  const children = childrenOf(document, parent);
  let [low, high] = [0, children.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((children[middle] ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  const child = children[low - 1];
  return child !== undefined && line <= Math.max(child, endOf(document, child)) ? child : undefined;
}

// JSON as lines of text with an index of them: what a view of any size needs, and nothing that would have to be parsed
// again. It is made in a worker and handed over whole. Digits stay as they were written.

export interface JsonDocument {
  /** Every value begins a line of its own. */
  text: string;
  /** Where each line begins, and behind the last one the length of the text. */
  starts: Uint32Array;
  /** Of a line that opens a list or an object: the line that closes it. Of any other: 0. */
  ends: Uint32Array;
  /** How deep each line stands; the root is 0. */
  depths: Uint16Array;
}

const INDENT = 2;
/** Deeper lines are indented no further: a thousand levels of spaces would be most of the text. */
const MOST_INDENTED = 40;
const SPACES = " ".repeat(INDENT * MOST_INDENTED);

/** How far a line at a depth is indented, in levels. */
export function indentOf(depth: number): number {
  return Math.min(depth, MOST_INDENTED);
}

/** Lays out a JSON text, however it was written, and indexes its lines. */
export function indexJson(json: string): JsonDocument {
  return new Layout(json).document();
}

class Layout {
  readonly #json: string;
  readonly #pieces: string[] = [];
  #length = 0;
  readonly #starts: number[] = [0];
  readonly #ends: number[] = [0];
  readonly #depths: number[] = [0];
  /** Lines that have opened something. */
  readonly #open: number[] = [];

  constructor(json: string) {
    this.#json = json;
  }

  document(): JsonDocument {
    const json = this.#json;
    for (let at = 0; at < json.length;) at = this.#step(at);
    const text = this.#pieces.join("");
    this.#starts.push(text.length);
    return {
      text,
      starts: Uint32Array.from(this.#starts),
      ends: Uint32Array.from(this.#ends),
      depths: Uint16Array.from(this.#depths),
    };
  }

  /** Writes what stands at a place; gives the next one. */
  #step(at: number): number {
    const sign = this.#json[at] ?? "";
    if (SPACE.test(sign)) return at + 1;
    if (sign === "{" || sign === "[") return this.#opens(at, sign);
    if (sign === "}" || sign === "]") this.#closes(sign);
    else if (sign === ",") {
      this.#put(",");
      this.#line();
    } else if (sign === ":") this.#put(": ");
    else {
      const end = sign === '"' ? endOfString(this.#json, at) : endOfWord(this.#json, at);
      this.#put(this.#json.slice(at, end));
      return end;
    }
    return at + 1;
  }

  #opens(at: number, sign: string): number {
    let next = at + 1;
    while (SPACE.test(this.#json[next] ?? "")) next++;
    const end = this.#json[next] ?? "";
    // What is empty stays on its line.
    if (end === "}" || end === "]") {
      this.#put(sign + end);
      return next + 1;
    }
    this.#put(sign);
    this.#open.push(this.#starts.length - 1);
    this.#line();
    return next;
  }

  #closes(sign: string): void {
    const opener = this.#open.pop();
    this.#line();
    if (opener !== undefined) this.#ends[opener] = this.#starts.length - 1;
    this.#put(sign);
  }

  #put(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  #line(): void {
    const depth = this.#open.length;
    this.#put("\n");
    this.#starts.push(this.#length);
    this.#ends.push(0);
    this.#depths.push(depth);
    if (depth > 0) this.#put(SPACES.slice(0, INDENT * indentOf(depth)));
  }
}

const SPACE = /^[ \t\r\n]$/;

/** Behind the quote that ends a string; the end of the text where none does. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = at;
    while (text[slashes - 1] === "\\") slashes--;
    if ((at - slashes) % 2 === 0) return at + 1;
  }
  return text.length;
}

function endOfWord(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !WORD_END.test(text[at] ?? "")) at++;
  return at;
}

const WORD_END = /^[\s,:{}[\]"]$/;

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
export function depthOf({ depths }: JsonDocument, line: number): number {
  return depths[line] ?? 0;
}

/** Where what a line says begins: behind its spaces. */
function contentStart({ starts, depths }: JsonDocument, line: number): number {
  return (starts[line] ?? 0) + INDENT * indentOf(depths[line] ?? 0);
}

export function isCloser(document: JsonDocument, line: number): boolean {
  const sign = document.text[contentStart(document, line)];
  return sign === "}" || sign === "]";
}

/** The quoted key that a line begins with; undefined in a list, and for the root. */
export function quotedKeyOf(document: JsonDocument, line: number): string | undefined {
  const { text } = document;
  const from = contentStart(document, line);
  if (text[from] !== '"') return undefined;
  const end = endOfString(text, from);
  return text[end] === ":" ? text.slice(from, end) : undefined;
}

/** Children are looked for again and again, and a list may have thousands. */
const CHILDREN = new WeakMap<JsonDocument, Map<number, readonly number[]>>();
const NAMED = new WeakMap<JsonDocument, Map<number, ReadonlyMap<string, number>>>();

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

/** The lines of an object's values, by their keys as they are quoted. */
export function namedChildrenOf(document: JsonDocument, line: number): ReadonlyMap<string, number> {
  let known = NAMED.get(document);
  if (known === undefined) NAMED.set(document, (known = new Map()));
  const before = known.get(line);
  if (before !== undefined) return before;
  const named = new Map<string, number>();
  for (const child of childrenOf(document, line)) {
    const key = quotedKeyOf(document, child);
    if (key !== undefined) named.set(key, child);
  }
  known.set(line, named);
  return named;
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

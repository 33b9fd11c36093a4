// Formats JSON text and indexes its lines, so that views can show documents of any size. A document is built in a
// worker and transferred to the page. The digits of numbers stay as written.

export interface JsonDocument {
  /** Formatted text, in which every value starts a new line. */
  text: string;
  /** Start offset of each line; the last entry is the length of the text. */
  starts: Uint32Array;
  /** Number of the closing line for each line that opens a list or an object; 0 for other lines. */
  ends: Uint32Array;
  /** Nesting depth of each line; the root has depth 0. */
  depths: Uint16Array;
}

const INDENT = 2;
/** Maximum number of indentation levels: at a depth of a thousand levels, most of the text would be indentation. */
const MAX_INDENT_LEVELS = 40;
const SPACES = " ".repeat(INDENT * MAX_INDENT_LEVELS);

/** Returns the number of indentation levels for a nesting depth. */
export function clampIndent(depth: number): number {
  return Math.min(depth, MAX_INDENT_LEVELS);
}

/** Formats a JSON text and indexes its lines. */
export function indexJson(json: string): JsonDocument {
  return new JsonLayout(json).document();
}

class JsonLayout {
  readonly #json: string;
  readonly #chunks: string[] = [];
  #length = 0;
  readonly #starts: number[] = [0];
  readonly #ends: number[] = [0];
  readonly #depths: number[] = [0];
  /** Numbers of the lines that open the lists and objects which are not closed yet, the innermost last. */
  readonly #openLines: number[] = [];

  constructor(json: string) {
    this.#json = json;
  }

  document(): JsonDocument {
    const json = this.#json;
    for (let at = 0; at < json.length;) at = this.#writeToken(at);
    const text = this.#chunks.join("");
    this.#starts.push(text.length);
    return {
      text,
      starts: Uint32Array.from(this.#starts),
      ends: Uint32Array.from(this.#ends),
      depths: Uint16Array.from(this.#depths),
    };
  }

  /** Writes the token at an offset. Returns the offset after the token. */
  #writeToken(at: number): number {
    const character = this.#json[at] ?? "";
    if (SPACE.test(character)) return at + 1;
    if (character === "{" || character === "[") return this.#writeOpening(at, character);
    if (character === "}" || character === "]") this.#writeClosing(character);
    else if (character === ",") {
      this.#write(",");
      this.#startLine();
    } else if (character === ":") this.#write(": ");
    else {
      const end = character === '"' ? findStringEnd(this.#json, at) : findLiteralEnd(this.#json, at);
      this.#write(this.#json.slice(at, end));
      return end;
    }
    return at + 1;
  }

  #writeOpening(at: number, character: string): number {
    let next = at + 1;
    while (SPACE.test(this.#json[next] ?? "")) next++;
    const end = this.#json[next] ?? "";
    // Empty lists and objects stay on one line.
    if (end === "}" || end === "]") {
      this.#write(character + end);
      return next + 1;
    }
    this.#write(character);
    this.#openLines.push(this.#starts.length - 1);
    this.#startLine();
    return next;
  }

  #writeClosing(character: string): void {
    const opener = this.#openLines.pop();
    this.#startLine();
    if (opener !== undefined) this.#ends[opener] = this.#starts.length - 1;
    this.#write(character);
  }

  #write(chunk: string): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  #startLine(): void {
    const depth = this.#openLines.length;
    this.#write("\n");
    this.#starts.push(this.#length);
    this.#ends.push(0);
    this.#depths.push(depth);
    if (depth > 0) this.#write(SPACES.slice(0, INDENT * clampIndent(depth)));
  }
}

const SPACE = /^[ \t\r\n]$/;

/**
 * Returns the offset after the closing quote of the string that starts at `from`; the length of the text if no quote
 * closes the string.
 */
export function findStringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = at;
    while (text[slashes - 1] === "\\") slashes--;
    if ((at - slashes) % 2 === 0) return at + 1;
  }
  return text.length;
}

function findLiteralEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && !LITERAL_END.test(text[at] ?? "")) at++;
  return at;
}

const LITERAL_END = /^[\s,:{}[\]"]$/;

export function countLines({ ends }: JsonDocument): number {
  return ends.length;
}

export function readLine({ text, starts }: JsonDocument, line: number): string {
  const end = starts[line + 1] ?? text.length;
  return text.slice(starts[line], text[end - 1] === "\n" ? end - 1 : end);
}

/** Returns the line that closes the list or object which this line opens; 0 if the line opens none. */
export function findClosingLine({ ends }: JsonDocument, line: number): number {
  return ends[line] ?? 0;
}

export function readDepth({ depths }: JsonDocument, line: number): number {
  return depths[line] ?? 0;
}

/** Returns the offset of the first character after the line's indentation. */
function findContentStart({ starts, depths }: JsonDocument, line: number): number {
  return (starts[line] ?? 0) + INDENT * clampIndent(depths[line] ?? 0);
}

export function isClosingLine(document: JsonDocument, line: number): boolean {
  const sign = document.text[findContentStart(document, line)];
  return sign === "}" || sign === "]";
}

/** Returns the key of a line with its quotes; undefined for an item of a list and for the root. */
export function readQuotedKey(document: JsonDocument, line: number): string | undefined {
  const { text } = document;
  const from = findContentStart(document, line);
  if (text[from] !== '"') return undefined;
  const end = findStringEnd(text, from);
  return text[end] === ":" ? text.slice(from, end) : undefined;
}

/**
 * Caches of the child lines, by document and by the line of the parent: they are read repeatedly, and a list may have
 * thousands of items.
 */
const CHILD_LINES = new WeakMap<JsonDocument, Map<number, readonly number[]>>();
const CHILD_LINES_BY_KEY = new WeakMap<JsonDocument, Map<number, ReadonlyMap<string, number>>>();

/** Returns the lines on which the values of a list or an object start. */
export function listChildLines(document: JsonDocument, line: number): readonly number[] {
  let cache = CHILD_LINES.get(document);
  if (cache === undefined) CHILD_LINES.set(document, (cache = new Map()));
  const cached = cache.get(line);
  if (cached !== undefined) return cached;
  const end = findClosingLine(document, line);
  const children: number[] = [];
  for (let at = line + 1; at < end; at = Math.max(at, findClosingLine(document, at)) + 1) children.push(at);
  cache.set(line, children);
  return children;
}

/** Returns the lines on which the values of an object start, by key; a key includes its quotes. */
export function listChildLinesByKey(document: JsonDocument, line: number): ReadonlyMap<string, number> {
  let cache = CHILD_LINES_BY_KEY.get(document);
  if (cache === undefined) CHILD_LINES_BY_KEY.set(document, (cache = new Map()));
  const cached = cache.get(line);
  if (cached !== undefined) return cached;
  const linesByKey = new Map<string, number>();
  for (const child of listChildLines(document, line)) {
    const key = readQuotedKey(document, child);
    if (key !== undefined) linesByKey.set(key, child);
  }
  cache.set(line, linesByKey);
  return linesByKey;
}

/** Returns the line that opens the list or object which contains the line's value; undefined for the root. */
export function findParentLine(document: JsonDocument, line: number): number | undefined {
  if (line === 0 || line === findClosingLine(document, 0)) return undefined;
  for (let at = 0; ;) {
    const child = findChildAt(document, at, line);
    if (child === undefined || child === line || findClosingLine(document, child) === line) return at;
    at = child;
  }
}

/** Returns the first line of that child of `parent` which contains `line`; undefined if no child contains it. */
function findChildAt(document: JsonDocument, parent: number, line: number): number | undefined {
  const children = listChildLines(document, parent);
  let [low, high] = [0, children.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((children[middle] ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  const child = children[low - 1];
  return child !== undefined && line <= Math.max(child, findClosingLine(document, child)) ? child : undefined;
}

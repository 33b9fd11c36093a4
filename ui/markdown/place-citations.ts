// Inserts citation marks into parsed Markdown, after the cited text or, in blocks without inline text, after the block.
// The marks are inserted after parsing, so that they cannot break fences, tables or emphasis.
import type { Token, Tokens } from "marked";
import type { CitationPosition } from "./citations.ts";
import type { BlockGroups } from "./incremental-parse.ts";

/** Citation data of a block. */
export interface CitedToken {
  /** Identifies the citations of the block; if it changes, the block is rendered again. */
  citationKey?: string;
  /** Source numbers that are shown after the block, because it has no inline text to contain them. */
  trailingNumbers?: readonly number[];
}

interface MarkdownBlocks {
  settled: BlockGroups;
  tail: readonly Token[];
}

/**
 * Returns the blocks with citation marks. A block without citations stays the same object; a block whose citations are
 * those of the previous call is returned as the same object as in that call (B100).
 */
export function placeCitations(
  { settled, tail }: MarkdownBlocks,
  positions: readonly CitationPosition[],
): MarkdownBlocks {
  if (positions.length === 0) return { settled, tail };
  const progress = { from: 0, next: 0 };
  const groups = settled.map((group) => citeGroup(group, positions, progress));
  return { settled: groups, tail: citeGroup(tail, positions, progress) };
}

const memo = new WeakMap<object, { key: string; result: unknown }>();

/**
 * Returns the cached result for this source object if its citations are the same as when the result was made; otherwise
 * calls `make` and caches its result.
 */
function memoize<Thing extends object>(
  source: Thing,
  positions: readonly CitationPosition[],
  from: number,
  make: () => Thing,
): Thing {
  const key = toCitationKey(positions, from);
  const cached = memo.get(source);
  // The cast is safe, because `make` returned the cached result for the same source object, and so it has the type of
  // `source`.
  if (cached?.key === key) return cached.result as Thing;
  const result = make();
  memo.set(source, { key, result });
  return result;
}

function toCitationKey(positions: readonly CitationPosition[], from: number): string {
  return positions.map(({ offset, numbers }) => `${offset - from}:${numbers.join(",")}`).join(" ");
}

function citeGroup(
  tokens: readonly Token[],
  positions: readonly CitationPosition[],
  progress: { from: number; next: number },
): readonly Token[] {
  const { from, next: first } = progress;
  const citedTokens = tokens.map((token) => {
    const [start, begin] = [progress.from, progress.next];
    progress.from += token.raw.length;
    while ((positions[progress.next]?.offset ?? Infinity) <= progress.from) progress.next += 1;
    if (begin === progress.next) return token;
    const ownPositions = positions.slice(begin, progress.next);
    return memoize(token, ownPositions, start, () => citeBlock(token, ownPositions, start));
  });
  if (first === progress.next) return tokens;
  return memoize(tokens, positions.slice(first, progress.next), from, () => citedTokens);
}

/** Adds citations to a block; `from` is the block's offset in the text. */
function citeBlock(token: Token, positions: readonly CitationPosition[], from: number): Token {
  const walker = new CitationWalker(token.raw, positions, from);
  const citationKey = toCitationKey(positions, from);
  return { ...walker.citeBlock(token), citationKey };
}

type CitedNode = Tokens.Generic & CitedToken;
/**
 * A line of a token's text, with its offset in the token's text and in the block's source. In lists and quotes the
 * offsets differ, because the token's lines do not have the prefixes of list items and quotes.
 */
type SourceLine = { textOffset: number; sourceOffset: number; length: number };

const EMPHASIS_TYPES = new Set(["strong", "em", "del"]);

/** Walks through the tokens of one block and its source text in parallel, and inserts the citations. */
class CitationWalker {
  readonly #source: string;
  readonly #positions: readonly CitationPosition[];
  readonly #from: number;
  #cursor = 0;
  #next = 0;

  constructor(source: string, positions: readonly CitationPosition[], from: number) {
    this.#source = source;
    this.#positions = positions;
    this.#from = from;
  }

  citeBlock(token: CitedNode): CitedNode {
    const end = this.#findEnd(token.raw);
    const content = this.#citeContent(token);
    this.#cursor = Math.max(this.#cursor, end);
    const numbers = this.#takeNumbers(end);
    return numbers.length === 0 ? content : { ...content, trailingNumbers: numbers };
  }

  #citeContent(token: CitedNode): CitedNode {
    switch (token.type) {
      case "list":
      case "table":
        return token.type === "list" ? this.#citeList(token) : this.#citeTable(token);
      case "blockquote":
      case "list_item":
        return { ...token, tokens: (token.tokens ?? []).map((inner) => this.citeBlock(inner)) };
      case "code":
      case "html":
      case "def":
      case "space":
      case "hr":
        return token;
      default:
        // Text that is directly in a list item may have no inline tokens, so a text token is created, into which
        // citations can be inserted.
        return {
          ...token,
          tokens: this.#citeInlines(token.tokens ?? [{ type: "text", raw: token.raw, text: token.raw }]),
        };
    }
  }

  #citeList(token: CitedNode): CitedNode {
    const items: CitedNode[] = [];
    for (const item of (token as Tokens.List).items) {
      const before = this.#next;
      const citedItem = this.citeBlock(item);
      items.push({ ...citedItem, citationKey: toCitationKey(this.#positions.slice(before, this.#next), this.#from) });
    }
    return { ...token, items };
  }

  /**
   * Adds citations to a table. A row is one line of the source; a citation at the end of the line goes into the row's
   * last cell.
   */
  #citeTable(token: CitedNode): CitedNode {
    const { header, rows, raw } = token as Tokens.Table;
    const lines = raw.split("\n");
    let start = Math.max(this.#cursor, this.#source.indexOf(raw, this.#cursor));
    const ends = lines.map(({ length }) => (start += length + 1) - 1);
    const row = (cells: readonly Tokens.TableCell[], line: number): Tokens.TableCell[] => {
      const citedCells = cells.map((cell) => ({ ...cell, tokens: this.#citeInlines(cell.tokens) }));
      this.#cursor = Math.max(this.#cursor, ends[line] ?? 0);
      citedCells.at(-1)?.tokens.push(...this.#takeTokens(ends[line] ?? 0));
      return citedCells;
    };
    // In the source, the header is line 0 and the delimiter row is line 1, so the rows start at line 2.
    return { ...token, header: row(header, 0), rows: rows.map((cells, at) => row(cells, at + 2)) };
  }

  #citeInlines(tokens: readonly Token[]): Token[] {
    return tokens.flatMap((token) => this.#citeInline(token as CitedNode));
  }

  #citeInline(token: CitedNode): Token[] {
    const lines = this.#locate(token.raw);
    const [first, last] = [lines[0], lines.at(-1)];
    if (first === undefined || last === undefined) return [token];
    const before = this.#takeTokens(first.sourceOffset);
    const end = last.sourceOffset + last.length;
    if (EMPHASIS_TYPES.has(token.type)) {
      this.#cursor = first.sourceOffset;
      const inner = { ...token, tokens: this.#citeInlines(token.tokens ?? []) };
      this.#cursor = end;
      return [...before, inner, ...this.#takeTokens(end)];
    }
    this.#cursor = end;
    const isText = (token.type === "text" && token.tokens === undefined) || token.type === "plain";
    const tokens = isText ? this.#splitText(token, lines) : [token];
    return [...before, ...tokens, ...this.#takeTokens(end)];
  }

  /** Splits a text token at the citations inside it, and inserts their marks. */
  #splitText(token: CitedNode, lines: readonly SourceLine[]): Token[] {
    const tokens: Token[] = [];
    let from = 0;
    const end = (lines.at(-1)?.sourceOffset ?? 0) + (lines.at(-1)?.length ?? 0);
    for (let at = this.#nextOffset(); at < end; at = this.#nextOffset()) {
      const line = lines.findLast((each) => each.sourceOffset < at) ?? lines[0];
      const target = line === undefined ? 0 : line.textOffset + Math.min(line.length, at - line.sourceOffset);
      const to = Math.max(from, skipCharacterReference(token.raw, target));
      if (to > from) tokens.push({ ...token, raw: token.raw.slice(from, to), text: "" });
      tokens.push(...this.#takeTokens(at));
      from = to;
    }
    if (from < token.raw.length) tokens.push({ ...token, raw: token.raw.slice(from), text: "" });
    return from === 0 ? [...tokens.slice(0, -1), token] : tokens;
  }

  /** Returns the offset of the next citation in the block's source; Infinity if there is none. */
  #nextOffset(): number {
    const mark = this.#positions[this.#next];
    return mark === undefined ? Infinity : mark.offset - this.#from;
  }

  /** Advances past the citations up to an offset, and returns their source numbers. */
  #takeNumbers(end: number): number[] {
    const numbers: number[] = [];
    while (this.#nextOffset() <= end) numbers.push(...(this.#positions[this.#next++]?.numbers ?? []));
    return numbers;
  }

  #takeTokens(end: number): Token[] {
    return this.#takeNumbers(end).map((number) => ({ type: "cite", raw: "", number }));
  }

  #findEnd(raw: string): number {
    const last = this.#locate(raw).at(-1);
    return last === undefined ? this.#cursor : last.sourceOffset + last.length;
  }

  /** Finds a token's text in the source, as a whole or line by line. Returns an empty list if it is not found. */
  #locate(raw: string): SourceLine[] {
    const start = this.#source.indexOf(raw, this.#cursor);
    if (start >= 0) return [{ textOffset: 0, sourceOffset: start, length: raw.length }];
    const lines: SourceLine[] = [];
    let [textOffset, cursor] = [0, this.#cursor];
    for (const line of raw.split("\n")) {
      const content = line.trim();
      const sourceOffset = content === "" ? -1 : this.#source.indexOf(content, cursor);
      if (sourceOffset >= 0) {
        lines.push({ textOffset: textOffset + line.indexOf(content), sourceOffset, length: content.length });
        cursor = sourceOffset + content.length;
      }
      textOffset += line.length + 1;
    }
    return lines;
  }
}

const REFERENCE = /&[#\w]{1,32};/y;

/** Returns the offset, moved to the end of the character reference or surrogate pair if it is inside one. */
function skipCharacterReference(text: string, at: number): number {
  const start = text.lastIndexOf("&", at - 1);
  if (start >= 0 && at - start < 34) {
    REFERENCE.lastIndex = start;
    const end = REFERENCE.test(text) ? REFERENCE.lastIndex : 0;
    if (end > at) return end;
  }
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd8_00 && unit <= 0xdb_ff ? at + 1 : at;
}

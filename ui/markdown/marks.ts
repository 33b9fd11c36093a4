// Puts the marks of citations into a text that was read already: among the words where they belong, else behind the block.
// Markdown never sees them, so that they can break neither a fence, nor a row of a table, nor an emphasis. Pure.
import type { Token, Tokens } from "marked";
import type { Mark } from "./citations.ts";
import type { Groups } from "./grow.ts";

/** What a block that holds marks has beside its tokens. */
export interface Marked {
  /** Which marks: the same text with others is another block. */
  cited?: string;
  /** Numbers that stand behind it, where there are no words to put them to. */
  cites?: readonly number[];
}

interface Blocks {
  settled: Groups;
  tail: readonly Token[];
}

/** Blocks without a mark stay the same objects; those with the same marks as before, too (B100). */
export function placeMarks({ settled, tail }: Blocks, marks: readonly Mark[]): Blocks {
  if (marks.length === 0) return { settled, tail };
  const placed = { from: 0, next: 0 };
  const groups = settled.map((group) => markGroup(group, marks, placed));
  return { settled: groups, tail: markGroup(tail, marks, placed) };
}

const known = new WeakMap<object, { cited: string; made: unknown }>();

/** What was made of the same thing with the same marks. */
function once<Thing extends object>(of: Thing, marks: readonly Mark[], from: number, make: () => Thing): Thing {
  const cited = signOf(marks, from);
  const before = known.get(of);
  // Made below from a thing of this kind.
  if (before?.cited === cited) return before.made as Thing;
  const made = make();
  known.set(of, { cited, made });
  return made;
}

function signOf(marks: readonly Mark[], from: number): string {
  return marks.map(({ at, numbers }) => `${at - from}:${numbers.join(",")}`).join(" ");
}

function markGroup(
  tokens: readonly Token[],
  marks: readonly Mark[],
  placed: { from: number; next: number },
): readonly Token[] {
  const { from, next: first } = placed;
  const whole = tokens.map((token) => {
    const [start, begin] = [placed.from, placed.next];
    placed.from += token.raw.length;
    while ((marks[placed.next]?.at ?? Infinity) <= placed.from) placed.next += 1;
    if (begin === placed.next) return token;
    const own = marks.slice(begin, placed.next);
    return once(token, own, start, () => markBlock(token, own, start));
  });
  if (first === placed.next) return tokens;
  return once(tokens, marks.slice(first, placed.next), from, () => whole);
}

/** A block with its marks; `from`: where it begins. */
function markBlock(token: Token, marks: readonly Mark[], from: number): Token {
  const walk = new Walk(token.raw, marks, from);
  const cited = signOf(marks, from);
  return { ...walk.block(token), cited };
}

type Node = Tokens.Generic & Marked;
/** Where each line of a text stands: lines of lists and quotes have lost what they begin with. */
type Line = { own: number; at: number; length: number };

const AROUND_WORDS = new Set(["strong", "em", "del"]);

/** Follows the tokens of one block through its source. */
class Walk {
  readonly #source: string;
  readonly #marks: readonly Mark[];
  readonly #from: number;
  #cursor = 0;
  #next = 0;

  constructor(source: string, marks: readonly Mark[], from: number) {
    this.#source = source;
    this.#marks = marks;
    this.#from = from;
  }

  block(token: Node): Node {
    const end = this.#endOf(token.raw);
    const made = this.#inside(token);
    this.#cursor = Math.max(this.#cursor, end);
    const left = this.#take(end);
    return left.length === 0 ? made : { ...made, cites: left };
  }

  #inside(token: Node): Node {
    switch (token.type) {
      case "list":
      case "table":
        return token.type === "list" ? this.#list(token) : this.#table(token);
      case "blockquote":
      case "list_item":
        return { ...token, tokens: (token.tokens ?? []).map((inner) => this.block(inner)) };
      case "code":
      case "html":
      case "def":
      case "space":
      case "hr":
        return token;
      default:
        // Words that stand alone in an item have no tokens of their own.
        return { ...token, tokens: this.#words(token.tokens ?? [{ type: "text", raw: token.raw, text: token.raw }]) };
    }
  }

  #list(token: Node): Node {
    const items: Node[] = [];
    for (const item of (token as Tokens.List).items) {
      const before = this.#next;
      const made = this.block(item);
      items.push({ ...made, cited: signOf(this.#marks.slice(before, this.#next), this.#from) });
    }
    return { ...token, items };
  }

  /** A row is a line; what cites all of it stands in its last cell. */
  #table(token: Node): Node {
    const { header, rows, raw } = token as Tokens.Table;
    const lines = raw.split("\n");
    let start = Math.max(this.#cursor, this.#source.indexOf(raw, this.#cursor));
    const ends = lines.map(({ length }) => (start += length + 1) - 1);
    const row = (cells: readonly Tokens.TableCell[], line: number): Tokens.TableCell[] => {
      const made = cells.map((cell) => ({ ...cell, tokens: this.#words(cell.tokens) }));
      this.#cursor = Math.max(this.#cursor, ends[line] ?? 0);
      made.at(-1)?.tokens.push(...this.#cites(ends[line] ?? 0));
      return made;
    };
    // Between the head and the rows stands the line of dashes.
    return { ...token, header: row(header, 0), rows: rows.map((cells, at) => row(cells, at + 2)) };
  }

  #words(tokens: readonly Token[]): Token[] {
    return tokens.flatMap((token) => this.#word(token as Node));
  }

  #word(token: Node): Token[] {
    const lines = this.#find(token.raw);
    const [first, last] = [lines[0], lines.at(-1)];
    if (first === undefined || last === undefined) return [token];
    const before = this.#cites(first.at);
    const end = last.at + last.length;
    if (AROUND_WORDS.has(token.type)) {
      this.#cursor = first.at;
      const inner = { ...token, tokens: this.#words(token.tokens ?? []) };
      this.#cursor = end;
      return [...before, inner, ...this.#cites(end)];
    }
    this.#cursor = end;
    const isWords = (token.type === "text" && token.tokens === undefined) || token.type === "plain";
    const pieces = isWords ? this.#split(token, lines) : [token];
    return [...before, ...pieces, ...this.#cites(end)];
  }

  /** Words with the marks that stand between them. */
  #split(token: Node, lines: readonly Line[]): Token[] {
    const pieces: Token[] = [];
    let from = 0;
    const end = (lines.at(-1)?.at ?? 0) + (lines.at(-1)?.length ?? 0);
    for (let at = this.#place(); at < end; at = this.#place()) {
      const line = lines.findLast((each) => each.at < at) ?? lines[0];
      const wanted = line === undefined ? 0 : line.own + Math.min(line.length, at - line.at);
      const to = Math.max(from, afterReference(token.raw, wanted));
      if (to > from) pieces.push({ ...token, raw: token.raw.slice(from, to), text: "" });
      pieces.push(...this.#cites(at));
      from = to;
    }
    if (from < token.raw.length) pieces.push({ ...token, raw: token.raw.slice(from), text: "" });
    return from === 0 ? [...pieces.slice(0, -1), token] : pieces;
  }

  /** Of the next mark. */
  #place(): number {
    const mark = this.#marks[this.#next];
    return mark === undefined ? Infinity : mark.at - this.#from;
  }

  /** The numbers of all marks up to a place. */
  #take(end: number): number[] {
    const numbers: number[] = [];
    while (this.#place() <= end) numbers.push(...(this.#marks[this.#next++]?.numbers ?? []));
    return numbers;
  }

  #cites(end: number): Token[] {
    return this.#take(end).map((number) => ({ type: "cite", raw: "", number }));
  }

  #endOf(raw: string): number {
    const last = this.#find(raw).at(-1);
    return last === undefined ? this.#cursor : last.at + last.length;
  }

  /** Where a text stands from here on, line by line; none where it does not. */
  #find(raw: string): Line[] {
    const whole = this.#source.indexOf(raw, this.#cursor);
    if (whole >= 0) return [{ own: 0, at: whole, length: raw.length }];
    const lines: Line[] = [];
    let [own, cursor] = [0, this.#cursor];
    for (const line of raw.split("\n")) {
      const words = line.trim();
      const at = words === "" ? -1 : this.#source.indexOf(words, cursor);
      if (at >= 0) {
        lines.push({ own: own + line.indexOf(words), at, length: words.length });
        cursor = at + words.length;
      }
      own += line.length + 1;
    }
    return lines;
  }
}

const REFERENCE = /&[#\w]{1,32};/y;

/** Not within a character reference, which is one character, nor within a character of two units. */
function afterReference(text: string, at: number): number {
  const start = text.lastIndexOf("&", at - 1);
  if (start >= 0 && at - start < 34) {
    REFERENCE.lastIndex = start;
    const end = REFERENCE.test(text) ? REFERENCE.lastIndex : 0;
    if (end > at) return end;
  }
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd8_00 && unit <= 0xdb_ff ? at + 1 : at;
}

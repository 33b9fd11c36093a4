// Markdown that grows: blocks that are settled are read once and keep their tokens, only the end is read again. The cost of a
// whole answer is in proportion to its length, however many pieces it comes in. While it grows, what comes later cannot
// change what is settled; when it has ended, all of it is read anew (`readAll`), which is exact.
import type { Links, Token, Tokens } from "marked";
import { type Lexed, lexMarkdown } from "./lex.ts";
import { mendEnd } from "./mend.ts";
import { closes, pieceAt } from "./pieces.ts";

export interface Growth {
  /** All of it. */
  text: string;
  /** Blocks that will not change any more, in groups of which all but the last keep their identity. */
  settled: Groups;
  settledLength: number;
  /** Blocks that may. */
  tail: readonly Token[];
  /** What has come since the tail was read, not read yet. */
  rest: string;
  links: Links;
  /** How it was before its last piece was read: from there a longer text is read on. */
  resume?: Readable;
  /** The last block is code that is not closed. */
  fence: OpenFence | undefined;
}

type Readable = Pick<Growth, "settled" | "settledLength" | "links">;
export type Groups = readonly (readonly Token[])[];
/** Blocks of a whole group. */
export const GROUP = 32;

/** A list that was read in parts. */
export interface ListPart extends Tokens.List {
  goesOn: true;
}
/** Shorter lists are read as a whole. */
const MANY_ITEMS = 8;

interface OpenFence {
  sign: string;
  language: string;
  /** Where its lines begin. */
  start: number;
}

type Lex = (text: string, known: Links) => Lexed;

/** A tail longer than this is read again only when it has grown by a part of itself, so that the sum stays in proportion. */
const EAGER = 4096;
const PART = 1 / 8;

const NOTHING: Growth = { text: "", settled: [], settledLength: 0, tail: [], rest: "", links: {}, fence: undefined };

/** The text as Markdown counts its lines. */
export function normalised(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** All of a text that has ended; `before`: of its beginning, read the same way. */
export function readAll(text: string, before?: Growth, lex: Lex = lexMarkdown): Growth {
  const base = before?.resume !== undefined && text.startsWith(before.text) ? before.resume : NOTHING;
  return readPieces({ ...NOTHING, ...base, text }, lex);
}

/** How much of both ends is compared: the whole, at every delta, would cost more than the reading. */
const PROBE = 256;

function goesOn(before: string, text: string): boolean {
  const at = Math.max(0, before.length - PROBE);
  return text.startsWith(before.slice(at), at) && text.startsWith(before.slice(0, PROBE));
}

/** The next look at a text that grows; `before`: the last one. Where the text is another one, all is read. */
export function grow(before: Growth | undefined, text: string, lex: Lex = lexMarkdown): Growth {
  const base = before !== undefined && goesOn(before.text, text) ? before : NOTHING;
  if (base.text.length === text.length) return base;
  if (base.fence !== undefined) {
    const longer = growFence(base, base.fence, text);
    if (longer !== undefined) return longer;
  }
  const added = text.length - base.text.length + base.rest.length;
  const length = text.length - base.settledLength;
  if (base.tail.length > 0 && length > EAGER && added < length * PART) {
    return { ...base, text, rest: text.slice(text.length - added) };
  }
  return readTail({ ...base, text, tail: [], rest: "", fence: undefined }, lex);
}

/** Code that goes on needs no reading, as long as no line of what has come closes it. */
function growFence(base: Growth, fence: OpenFence, text: string): Growth | undefined {
  const from = base.text.lastIndexOf("\n") + 1;
  const lines = text.slice(from).split("\n");
  if (lines.some((line) => closes(line, fence.sign))) return undefined;
  return { ...base, text, tail: [...base.tail.slice(0, -1), openCode(text, fence)] };
}

function openCode(text: string, { language, start }: OpenFence): Token {
  // A line that begins like the closing one is probably going to be it.
  const line = text.lastIndexOf("\n");
  const end = line >= start && /^ {0,3}(?:`+|~+)$/.test(text.slice(line + 1)) ? line : text.length;
  return { type: "code", raw: text.slice(start - 1), lang: language, text: text.slice(start, end) };
}

function withBlocks(groups: Groups, tokens: readonly Token[]): Groups {
  if (tokens.length === 0) return groups;
  const all = [...groups];
  let last = all.length > 0 && (all.at(-1)?.length ?? GROUP) < GROUP ? [...(all.pop() ?? [])] : [];
  for (const token of tokens) {
    if (last.length === GROUP) {
      all.push(last);
      last = [];
    }
    last.push(token);
  }
  return [...all, last];
}

/** Settles every whole piece. */
function readPieces(growth: Growth, lex: Lex, untilLast = false): Growth {
  const { text } = growth;
  let { settled, settledLength, links } = growth;
  let resume: Readable = { settled, settledLength, links };
  while (settledLength < text.length) {
    const { end } = pieceAt(text, settledLength);
    if (untilLast && end === text.length) break;
    resume = { settled, settledLength, links };
    const lexed = lex(text.slice(settledLength, end), links);
    settled = withBlocks(settled, lexed.tokens);
    links = lexed.links;
    settledLength = end;
  }
  if (untilLast) return { ...growth, settled, settledLength, links };
  return { ...growth, settled, settledLength, links, resume };
}

function readTail(growth: Growth, lex: Lex): Growth {
  const { text } = growth;
  const grown = readPieces(growth, lex, true);
  const from = grown.settledLength;
  const source = text.slice(from);
  const { open } = pieceAt(text, from);
  const { tokens, links } = lex(open ? source : mendEnd(source), grown.links);
  const { done, length, tail } = settledOf(tokens, source);
  const fence = open ? openFence(tokens.at(-1), text) : undefined;
  return {
    ...grown,
    settled: withBlocks(grown.settled, done),
    settledLength: from + length,
    tail: fence === undefined ? tail : [...tail.slice(0, -1), openCode(text, fence)],
    links,
    fence,
  };
}

interface Split {
  done: readonly Token[];
  /** Of the source, what is done. */
  length: number;
  tail: readonly Token[];
}

/**
 * Which of the tokens can no longer change: those before a block whose first line is complete. (The beginning of a line
 * can still turn out to belong to the block above it.)
 */
function settledOf(tokens: readonly Token[], source: string): Split {
  let best = { count: 0, length: 0 };
  let at = 0;
  for (const [count, { type, raw }] of tokens.entries()) {
    if (type !== "space") {
      if (!source.slice(at).trimStart().includes("\n")) break;
      best = { count, length: at };
    }
    // Where a token is not the source's own text, nothing behind it can be placed.
    if (!source.startsWith(raw, at)) break;
    at += raw.length;
  }
  const done = tokens.slice(0, best.count);
  const tail = tokens.slice(best.count);
  const list = tail[0]?.type === "list" ? splitList(tail[0] as Tokens.List, source, best.length) : undefined;
  if (list === undefined) return { done, length: best.length, tail };
  return {
    done: [...done, list.done],
    length: best.length + list.done.raw.length,
    tail: [list.rest, ...tail.slice(1)],
  };
}

/** Items of a list settle as blocks do: lists become long. Both parts are lists, drawn without a gap between them. */
function splitList(list: Tokens.List, source: string, at: number): { done: ListPart; rest: ListPart } | undefined {
  const items = list.items.slice(0, -2);
  const raw = items.map((item) => item.raw).join("");
  if (items.length < MANY_ITEMS || !source.startsWith(raw, at)) return undefined;
  const start = typeof list.start === "number" ? list.start + items.length : list.start;
  return {
    done: { ...list, items, raw, goesOn: true },
    rest: { ...list, items: list.items.slice(-2), raw: list.raw.slice(raw.length), start, goesOn: true },
  };
}

/** Where the code of the last token begins, if it stands at the margin. Within lists and quotes it is read like all else. */
function openFence(token: Token | undefined, text: string): OpenFence | undefined {
  if (token?.type !== "code" || !text.endsWith(token.raw)) return undefined;
  const opening = /^(`{3,}|~{3,})([^\n]*)\n/.exec(token.raw);
  if (opening === null) return undefined;
  const [line, sign = "", language = ""] = opening;
  return { sign, language: language.trim(), start: text.length - token.raw.length + line.length };
}

// Parses growing Markdown: settled blocks are parsed once and keep their tokens, only the end is parsed again. The
// total cost is proportional to the length of the answer, independent of the number of deltas. A complete text is
// parsed anew (`parseComplete`), which is exact.
import type { Links, Token, Tokens } from "marked";
import { type LexedMarkdown, lexMarkdown } from "./bounded-lexer.ts";
import { closeOpenMarkup } from "./close-open-markup.ts";
import { closesFence, findChunk } from "./text-chunks.ts";

export interface ParsedMarkdown {
  /** The whole text. */
  text: string;
  /** Blocks that no longer change, in groups; all groups but the last keep their identity. */
  settled: BlockGroups;
  settledLength: number;
  /** Blocks that may still change. */
  tail: readonly Token[];
  /** Text that arrived after the tail was parsed. */
  unparsed: string;
  links: Links;
  /** State before the last chunk; a longer text is parsed from there. */
  resume?: ParseCheckpoint;
  /** Set if the last block is an unclosed code block. */
  fence: OpenFence | undefined;
}

type ParseCheckpoint = Pick<ParsedMarkdown, "settled" | "settledLength" | "links">;
export type BlockGroups = readonly (readonly Token[])[];
/** Number of blocks in a group. */
export const GROUP_SIZE = 32;

/** Part of a long list that was split. */
export interface ListPart extends Tokens.List {
  continues: true;
}
/** Shorter lists are not split. */
const MIN_SPLIT_ITEMS = 8;

interface OpenFence {
  fence: string;
  language: string;
  /** Offset of its first line. */
  start: number;
}

type LexFunction = (text: string, known: Links) => LexedMarkdown;

/** A longer tail is parsed again only after it has grown by this fraction, so that the total cost stays linear. */
const EAGER_LENGTH = 4096;
const REPARSE_GROWTH = 1 / 8;

const EMPTY_MARKDOWN: ParsedMarkdown = {
  text: "",
  settled: [],
  settledLength: 0,
  tail: [],
  unparsed: "",
  links: {},
  fence: undefined,
};

/** Converts CR LF and CR to LF, as Markdown does. */
export function normalizeNewlines(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Parses a complete text. `previous`: the result for its beginning. */
export function parseComplete(text: string, previous?: ParsedMarkdown, lex: LexFunction = lexMarkdown): ParsedMarkdown {
  const base = previous?.resume !== undefined && text.startsWith(previous.text) ? previous.resume : EMPTY_MARKDOWN;
  return parseChunks({ ...EMPTY_MARKDOWN, ...base, text }, lex);
}

/** Number of characters compared at both ends: comparing the whole text at every delta would cost more than parsing. */
const PROBE_LENGTH = 256;

function isContinuation(previous: string, text: string): boolean {
  const at = Math.max(0, previous.length - PROBE_LENGTH);
  return text.startsWith(previous.slice(at), at) && text.startsWith(previous.slice(0, PROBE_LENGTH));
}

/** Parses a growing text. `previous`: the last result; if the text is another one, everything is parsed. */
export function parseGrowing(
  previous: ParsedMarkdown | undefined,
  text: string,
  lex: LexFunction = lexMarkdown,
): ParsedMarkdown {
  const base = previous !== undefined && isContinuation(previous.text, text) ? previous : EMPTY_MARKDOWN;
  if (base.text.length === text.length) return base;
  if (base.fence !== undefined) {
    const longer = extendOpenCode(base, base.fence, text);
    if (longer !== undefined) return longer;
  }
  const added = text.length - base.text.length + base.unparsed.length;
  const length = text.length - base.settledLength;
  if (base.tail.length > 0 && length > EAGER_LENGTH && added < length * REPARSE_GROWTH) {
    return { ...base, text, unparsed: text.slice(text.length - added) };
  }
  return parseTail({ ...base, text, tail: [], unparsed: "", fence: undefined }, lex);
}

/** Extends an unclosed code block without parsing, unless a new line closes it. */
function extendOpenCode(base: ParsedMarkdown, fence: OpenFence, text: string): ParsedMarkdown | undefined {
  const from = base.text.lastIndexOf("\n") + 1;
  const lines = text.slice(from).split("\n");
  if (lines.some((line) => closesFence(line, fence.fence))) return undefined;
  return { ...base, text, tail: [...base.tail.slice(0, -1), createOpenCodeToken(text, fence)] };
}

function createOpenCodeToken(text: string, { language, start }: OpenFence): Token {
  // A last line of backticks is probably the start of the closing fence.
  const line = text.lastIndexOf("\n");
  const end = line >= start && /^ {0,3}(?:`+|~+)$/.test(text.slice(line + 1)) ? line : text.length;
  return { type: "code", raw: text.slice(start - 1), lang: language, text: text.slice(start, end) };
}

function appendBlocks(groups: BlockGroups, tokens: readonly Token[]): BlockGroups {
  if (tokens.length === 0) return groups;
  const all = [...groups];
  let last = all.length > 0 && (all.at(-1)?.length ?? GROUP_SIZE) < GROUP_SIZE ? [...(all.pop() ?? [])] : [];
  for (const token of tokens) {
    if (last.length === GROUP_SIZE) {
      all.push(last);
      last = [];
    }
    last.push(token);
  }
  return [...all, last];
}

/** Parses and settles every complete chunk. */
function parseChunks(parsed: ParsedMarkdown, lex: LexFunction, untilLast = false): ParsedMarkdown {
  const { text } = parsed;
  let { settled, settledLength, links } = parsed;
  let resume: ParseCheckpoint = { settled, settledLength, links };
  while (settledLength < text.length) {
    const { end } = findChunk(text, settledLength);
    if (untilLast && end === text.length) break;
    resume = { settled, settledLength, links };
    const lexed = lex(text.slice(settledLength, end), links);
    settled = appendBlocks(settled, lexed.tokens);
    links = lexed.links;
    settledLength = end;
  }
  if (untilLast) return { ...parsed, settled, settledLength, links };
  return { ...parsed, settled, settledLength, links, resume };
}

function parseTail(parsed: ParsedMarkdown, lex: LexFunction): ParsedMarkdown {
  const { text } = parsed;
  const grown = parseChunks(parsed, lex, true);
  const from = grown.settledLength;
  const source = text.slice(from);
  const { open } = findChunk(text, from);
  const { tokens, links } = lex(open ? source : closeOpenMarkup(source), grown.links);
  const { done, length, tail } = splitSettled(tokens, source);
  const fence = open ? findOpenFence(tokens.at(-1), text) : undefined;
  return {
    ...grown,
    settled: appendBlocks(grown.settled, done),
    settledLength: from + length,
    tail: fence === undefined ? tail : [...tail.slice(0, -1), createOpenCodeToken(text, fence)],
    links,
    fence,
  };
}

interface SettledSplit {
  done: readonly Token[];
  /** Length of the settled source. */
  length: number;
  tail: readonly Token[];
}

/**
 * Splits off the tokens that can no longer change: those before a block whose first line is complete. (An incomplete
 * line may still belong to the block above.)
 */
function splitSettled(tokens: readonly Token[], source: string): SettledSplit {
  let best = { count: 0, length: 0 };
  let at = 0;
  for (const [count, { type, raw }] of tokens.entries()) {
    if (type !== "space") {
      if (!source.slice(at).trimStart().includes("\n")) break;
      best = { count, length: at };
    }
    // If a token's raw text is not in the source, the position of later tokens is unknown.
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

/** Settles the items of a long list like blocks. Both parts are lists, rendered without a gap. */
function splitList(list: Tokens.List, source: string, at: number): { done: ListPart; rest: ListPart } | undefined {
  const items = list.items.slice(0, -2);
  const raw = items.map((item) => item.raw).join("");
  if (items.length < MIN_SPLIT_ITEMS || !source.startsWith(raw, at)) return undefined;
  const start = typeof list.start === "number" ? list.start + items.length : list.start;
  return {
    done: { ...list, items, raw, continues: true },
    rest: { ...list, items: list.items.slice(-2), raw: list.raw.slice(raw.length), start, continues: true },
  };
}

/**
 * Returns the start of an unclosed code block at the left margin. Those inside lists and quotes are parsed as usual.
 */
function findOpenFence(token: Token | undefined, text: string): OpenFence | undefined {
  if (token?.type !== "code" || !text.endsWith(token.raw)) return undefined;
  const opening = /^(`{3,}|~{3,})([^\n]*)\n/.exec(token.raw);
  if (opening === null) return undefined;
  const [line, sign = "", language = ""] = opening;
  return { fence: sign, language: language.trim(), start: text.length - token.raw.length + line.length };
}

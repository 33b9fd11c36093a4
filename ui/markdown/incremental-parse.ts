// Parses growing Markdown. Blocks that can no longer change ("settled") are parsed once; only the end of the text is
// parsed again. The total cost is proportional to the length of the answer and independent of the number of deltas. A
// text that no longer grows is parsed by `parseComplete`, which does not close open markup at the end.
import type { Links, Token, Tokens } from "marked";
import { type LexedMarkdown, lexMarkdown } from "./bounded-lexer.ts";
import { closeOpenMarkup } from "./close-open-markup.ts";
import { closesFence, findChunk } from "./text-chunks.ts";

export interface ParsedMarkdown {
  /** The whole text. */
  text: string;
  /**
   * Blocks that can no longer change, in groups. All groups except the last stay the same objects when the text grows.
   */
  settled: BlockGroups;
  /** Length of the text that the settled blocks cover. */
  settledLength: number;
  /** Blocks after the settled ones, which may still change. */
  tail: readonly Token[];
  /** Text that arrived after the tail was parsed. */
  unparsed: string;
  links: Links;
  /**
   * State before the last chunk of the text was parsed. When the text becomes longer, parsing continues from it. Only
   * `parseComplete` sets it.
   */
  resume?: ParseCheckpoint;
  /** The opening fence if the last block is an unclosed code block; undefined otherwise. */
  fence: OpenFence | undefined;
}

type ParseCheckpoint = Pick<ParsedMarkdown, "settled" | "settledLength" | "links">;
export type BlockGroups = readonly (readonly Token[])[];
/** Number of blocks in a group of settled blocks. */
export const GROUP_SIZE = 32;

/**
 * A part of a long list. The list was split, so that its first items are settled and only its last items are parsed
 * again.
 */
export interface ListPart extends Tokens.List {
  continues: true;
}
/** A list is split only if at least this number of items would be settled. */
const MIN_SPLIT_ITEMS = 8;

interface OpenFence {
  fence: string;
  language: string;
  /** Offset of the first line of code, in the whole text. */
  start: number;
}

type LexFunction = (text: string, known: Links) => LexedMarkdown;

/**
 * A tail up to EAGER_LENGTH is parsed with every delta. A longer tail is parsed again only after it has grown by the
 * fraction REPARSE_GROWTH, so that the total cost stays proportional to the length of the text.
 */
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

/**
 * Parses a complete text. `previous` is the result for an earlier text; it is reused if that text is the beginning of
 * `text`.
 */
export function parseComplete(text: string, previous?: ParsedMarkdown, lex: LexFunction = lexMarkdown): ParsedMarkdown {
  const base = previous?.resume !== undefined && text.startsWith(previous.text) ? previous.resume : EMPTY_MARKDOWN;
  return parseChunks({ ...EMPTY_MARKDOWN, ...base, text }, lex);
}

/**
 * Number of characters that are compared at the start and at the end of the previous text; comparing the whole text
 * with every delta would cost more than parsing.
 */
const PROBE_LENGTH = 256;

function isContinuation(previous: string, text: string): boolean {
  const at = Math.max(0, previous.length - PROBE_LENGTH);
  return text.startsWith(previous.slice(at), at) && text.startsWith(previous.slice(0, PROBE_LENGTH));
}

/**
 * Parses a growing text. `previous` is the result of the previous call. If `text` starts with the text of `previous`,
 * only the added text and the tail are parsed; otherwise the whole text is parsed.
 */
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

/**
 * Adds text to an unclosed code block without parsing the block. Returns undefined if one of the added lines closes the
 * block.
 */
function extendOpenCode(base: ParsedMarkdown, fence: OpenFence, text: string): ParsedMarkdown | undefined {
  const from = base.text.lastIndexOf("\n") + 1;
  const lines = text.slice(from).split("\n");
  if (lines.some((line) => closesFence(line, fence.fence))) return undefined;
  return { ...base, text, tail: [...base.tail.slice(0, -1), createOpenCodeToken(text, fence)] };
}

function createOpenCodeToken(text: string, { language, start }: OpenFence): Token {
  // If the last line has only backticks or tildes, it is omitted, because it is probably the start of the closing
  // fence.
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

/**
 * Parses the text after the settled blocks chunk by chunk, and adds the blocks of each chunk to the settled blocks.
 * With `untilLast`, the last chunk is not parsed, because it may still grow.
 */
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
  /** Length of the source text of the `done` tokens. */
  length: number;
  tail: readonly Token[];
}

/**
 * Splits the tokens into those that can no longer change and the tail. A token can no longer change if the first line
 * of the block after it is complete; an incomplete line may still belong to the block above it.
 */
function splitSettled(tokens: readonly Token[], source: string): SettledSplit {
  let best = { count: 0, length: 0 };
  let at = 0;
  for (const [count, { type, raw }] of tokens.entries()) {
    if (type !== "space") {
      if (!source.slice(at).trimStart().includes("\n")) break;
      best = { count, length: at };
    }
    // If a token's raw text is not in the source at this offset, the offsets of the tokens after it are unknown.
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

/**
 * Splits a long list so that all items except the last two are settled. Both parts are list tokens, which are rendered
 * without a gap between them. Returns undefined if the list is short or its text is not in the source.
 */
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
 * Returns the fence of an unclosed code block at the left margin; undefined for other tokens. Code blocks inside lists
 * and quotes are parsed again with every delta.
 */
function findOpenFence(token: Token | undefined, text: string): OpenFence | undefined {
  if (token?.type !== "code" || !text.endsWith(token.raw)) return undefined;
  const opening = /^(`{3,}|~{3,})([^\n]*)\n/.exec(token.raw);
  if (opening === null) return undefined;
  const [line, sign = "", language = ""] = opening;
  return { fence: sign, language: language.trim(), start: text.length - token.raw.length + line.length };
}

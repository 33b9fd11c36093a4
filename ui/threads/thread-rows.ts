// Computes the content of the thread list's rows with pure functions: matching messages, details and highlighted search
// terms.
import type { ThreadSearchHit, ThreadJson, ThreadFilter } from "../data/types.ts";
import { formatCost, formatTokens } from "../kit/format.ts";

export const FILTERS: readonly ThreadFilter[] = ["all", "chats", "tasks"];

export interface ThreadListRow {
  thread: ThreadJson;
  /** Messages of this thread that match the search. */
  hits: readonly ThreadSearchHit[];
}

/** The same empty list for all rows without hits, so that React does not render them again. */
const NO_HITS: readonly ThreadSearchHit[] = [];

export function buildThreadRows(threads: readonly ThreadJson[], hits: readonly ThreadSearchHit[]): ThreadListRow[] {
  const hitsByThread = Map.groupBy(hits, ({ threadId }) => threadId);
  return threads.map((thread) => ({ thread, hits: hitsByThread.get(thread.id) ?? NO_HITS }));
}

/** Matches Markdown syntax: line prefixes, emphasis, code and links. */
const MARKDOWN_SYNTAX =
  /(?<=^|\s)(?:#{1,6}|[-*+>]|\d+\.)(?=\s)|\*{1,3}|~~|`+|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])|\]\([^)\s]*\)|!?\[/gu;

/** Returns a snippet without Markdown syntax. */
export function toPlainText(snippet: string): string {
  return snippet.replace(MARKDOWN_SYNTAX, "").replace(/\s+/gu, " ").trim();
}

/** Returns the model name without its provider, such as "claude-opus-4-8". */
function removeProvider(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

/**
 * Returns the details below the thread's name: models, number of tokens (or of messages, if the usage is unknown), and
 * cost. Returns an empty list if the thread has no summary.
 */
export function listThreadDetails({ summary }: ThreadJson): string[] {
  if (summary === undefined) return [];
  const { models, usage, messages } = summary;
  const details: string[] = [];
  const [model, ...others] = models;
  if (model !== undefined)
    details.push(others.length === 0 ? removeProvider(model) : `${removeProvider(model)} +${others.length}`);
  if (usage !== undefined && usage.totalTokens > 0) details.push(`${formatTokens(usage.totalTokens)} tokens`);
  else details.push(messages === 1 ? "1 message" : `${messages} messages`);
  if (usage?.cost !== undefined && usage.cost > 0) details.push(formatCost(usage.cost));
  return details;
}

export interface HighlightedSpan {
  text: string;
  isMatch: boolean;
}

const TERM_PATTERN = /[\p{L}\p{N}\p{M}]+/gu;

/** Returns the text without case and accents, as the server's search compares it. */
function foldText(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}

/** Splits a text into spans and marks the words that contain a search term. */
export function highlightTerms(text: string, search: string): HighlightedSpan[] {
  const terms = [...search.matchAll(TERM_PATTERN)].map(([term]) => foldText(term)).filter(Boolean);
  const spans: HighlightedSpan[] = [];
  let from = 0;
  const push = (to: number, isMatch: boolean): void => {
    if (to > from) spans.push({ text: text.slice(from, to), isMatch });
    from = to;
  };
  for (const { 0: token, index } of text.matchAll(TERM_PATTERN)) {
    const foldedToken = foldText(token);
    if (!terms.some((each) => foldedToken.includes(each))) continue;
    push(index, false);
    push(index + token.length, true);
  }
  push(text.length, false);
  return spans;
}

// What the list of threads shows of each: its name, what it cost, where the words of a search stand. Pure.
import type { SearchHit, Thread, ThreadFilter } from "../data/types.ts";
import { formatCost, formatTokens } from "../kit/format.ts";

export const FILTERS: readonly ThreadFilter[] = ["all", "chats", "tasks"];

export interface Row {
  thread: Thread;
  /** Of a search: where its words stand in this thread. */
  hits: readonly SearchHit[];
}

/** The same for all, so that rows without hits stay the same, too. */
const NONE: readonly SearchHit[] = [];

export function rowsOf(threads: readonly Thread[], hits: readonly SearchHit[]): Row[] {
  const ofThread = Map.groupBy(hits, ({ threadId }) => threadId);
  return threads.map((thread) => ({ thread, hits: ofThread.get(thread.id) ?? NONE }));
}

/** Signs of Markdown at the beginning of a line, around words, and of links: what is found is read as words. */
const SIGNS =
  /(?<=^|\s)(?:#{1,6}|[-*+>]|\d+\.)(?=\s)|\*{1,3}|~~|`+|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])|\]\([^)\s]*\)|!?\[/gu;

/** A stretch of a message as one reads it. */
export function plainSnippet(snippet: string): string {
  return snippet.replace(SIGNS, "").replace(/\s+/gu, " ").trim();
}

/** The model without its provider: "claude-opus-4-8". */
function shortModel(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

/** What is told below the name, in this order, where it is known. */
export function factsOf({ summary }: Thread): string[] {
  if (summary === undefined) return [];
  const { models, usage, messages } = summary;
  const facts: string[] = [];
  const [model, ...others] = models;
  if (model !== undefined)
    facts.push(others.length === 0 ? shortModel(model) : `${shortModel(model)} +${others.length}`);
  if (usage !== undefined && usage.totalTokens > 0) facts.push(`${formatTokens(usage.totalTokens)} tokens`);
  else facts.push(messages === 1 ? "1 message" : `${messages} messages`);
  if (usage?.cost !== undefined && usage.cost > 0) facts.push(formatCost(usage.cost));
  return facts;
}

export interface Stretch {
  text: string;
  marked: boolean;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Without case and accents, as the server looks for words. */
function folded(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}

/** A text in stretches, of which those words are marked that a search asked for, whole or in part. */
export function markWords(text: string, search: string): Stretch[] {
  const wanted = [...search.matchAll(WORD)].map(([word]) => folded(word)).filter(Boolean);
  const stretches: Stretch[] = [];
  let from = 0;
  const push = (to: number, marked: boolean): void => {
    if (to > from) stretches.push({ text: text.slice(from, to), marked });
    from = to;
  };
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const found = folded(word);
    if (!wanted.some((each) => found.includes(each))) continue;
    push(index, false);
    push(index + word.length, true);
  }
  push(text.length, false);
  return stretches;
}

// Citations of a text: each source gets a number, and a place behind every span that cites it.
import type { Annotation } from "koine";
import { readRemote, visible } from "./address.ts";

export interface Source {
  number: number;
  title: string;
  /** Where it can be read. */
  href: string | undefined;
  host: string;
  /** Words of the source. */
  cited: readonly string[];
}

/** Numbers that stand behind a place of the text. */
export interface Mark {
  at: number;
  numbers: readonly number[];
}

export interface Cited {
  sources: readonly Source[];
  /** In the order of the text. */
  marks: readonly Mark[];
}

const NOTHING: Cited = { sources: [], marks: [] };

export function cite(text: string, annotations: readonly Annotation[] | undefined): Cited {
  if (annotations === undefined || annotations.length === 0) return NOTHING;
  const numbers = new Map<string, number>();
  const sources: Source[] = [];
  const marks = new Map<number, Set<number>>();
  for (const annotation of annotations) {
    const key = JSON.stringify([annotation.url, annotation.title, annotation.fileId, annotation.source]);
    const number = numbers.get(key) ?? sources.length + 1;
    if (!numbers.has(key)) sources.push(sourceOf(annotation, number));
    else addCited(sources, number, annotation.citedText);
    numbers.set(key, number);
    const at = annotation.span?.end;
    if (at === undefined || at < 1 || at > text.length) continue;
    const here = marks.get(at) ?? new Set();
    marks.set(at, here.add(number));
  }
  return { sources, marks: inOrder(marks) };
}

function inOrder(marks: ReadonlyMap<number, ReadonlySet<number>>): Mark[] {
  return [...marks]
    .sort(([a], [b]) => a - b)
    .map(([at, numbers]) => ({ at, numbers: [...numbers].sort((a, b) => a - b) }));
}

/** The same places in the text as Markdown counts its lines: two signs of a line break are one there. */
export function normalisedMarks(text: string, marks: readonly Mark[]): readonly Mark[] {
  if (marks.length === 0 || !text.includes("\r\n")) return marks;
  let [from, shift] = [0, 0];
  return marks.map(({ at, numbers }) => {
    shift += text.slice(from, at).split("\r\n").length - 1;
    from = at;
    return { at: at - shift, numbers };
  });
}

function sourceOf(annotation: Annotation, number: number): Source {
  const { url, title, fileId, source, citedText } = annotation;
  const address = url === undefined ? undefined : readRemote(url);
  const name = title ?? source ?? fileId ?? url ?? `A ${annotation.kind === "other" ? "source" : annotation.kind}`;
  const host = address?.host ?? (url === undefined ? "" : visible(url, 120));
  return { number, title: visible(name, 200), href: address?.href, host, cited: citedText ? [citedText] : [] };
}

function addCited(sources: Source[], number: number, citedText: string | undefined): void {
  const source = sources[number - 1];
  if (source === undefined || citedText === undefined || source.cited.includes(citedText)) return;
  sources[number - 1] = { ...source, cited: [...source.cited, citedText] };
}

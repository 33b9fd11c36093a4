// Collects the citations of a text: numbers the sources, and finds the offsets at which they are cited.
import type { Annotation } from "koine";
import { parseMediaUrl, escapeInvisible } from "./safe-url.ts";

export interface CitedSource {
  number: number;
  title: string;
  /** URL of the source; undefined if it has none or if it is not a web URL. */
  href: string | undefined;
  host: string;
  /** Passages of the source that the text cites. */
  citedTexts: readonly string[];
}

/** Numbers of the sources that are cited at an offset of the text. */
export interface CitationPosition {
  offset: number;
  numbers: readonly number[];
}

export interface TextCitations {
  sources: readonly CitedSource[];
  /** Positions of the citations, sorted by offset. */
  positions: readonly CitationPosition[];
}

const NO_CITATIONS: TextCitations = { sources: [], positions: [] };

export function collectCitations(text: string, annotations: readonly Annotation[] | undefined): TextCitations {
  if (annotations === undefined || annotations.length === 0) return NO_CITATIONS;
  const numbers = new Map<string, number>();
  const sources: CitedSource[] = [];
  const marks = new Map<number, Set<number>>();
  for (const annotation of annotations) {
    const key = JSON.stringify([annotation.url, annotation.title, annotation.fileId, annotation.source]);
    const number = numbers.get(key) ?? sources.length + 1;
    if (!numbers.has(key)) sources.push(toSource(annotation, number));
    else addCitedText(sources, number, annotation.citedText);
    numbers.set(key, number);
    const at = annotation.span?.end;
    if (at === undefined || at < 1 || at > text.length) continue;
    const numbersAtOffset = marks.get(at) ?? new Set();
    marks.set(at, numbersAtOffset.add(number));
  }
  return { sources, positions: sortPositions(marks) };
}

function sortPositions(marks: ReadonlyMap<number, ReadonlySet<number>>): CitationPosition[] {
  return [...marks]
    .sort(([a], [b]) => a - b)
    .map(([offset, numbers]) => ({ offset, numbers: [...numbers].sort((a, b) => a - b) }));
}

/** Returns the positions of the citations in the text with normalized line breaks, in which CR LF is one character. */
export function normalizePositions(text: string, marks: readonly CitationPosition[]): readonly CitationPosition[] {
  if (marks.length === 0 || !text.includes("\r\n")) return marks;
  let [from, shift] = [0, 0];
  return marks.map(({ offset, numbers }) => {
    shift += text.slice(from, offset).split("\r\n").length - 1;
    from = offset;
    return { offset: offset - shift, numbers };
  });
}

function toSource(annotation: Annotation, number: number): CitedSource {
  const { url, title, fileId, source, citedText } = annotation;
  const address = url === undefined ? undefined : parseMediaUrl(url);
  const name = title ?? source ?? fileId ?? url ?? `A ${annotation.kind === "other" ? "source" : annotation.kind}`;
  const host = address?.host ?? (url === undefined ? "" : escapeInvisible(url, 120));
  return {
    number,
    title: escapeInvisible(name, 200),
    href: address?.href,
    host,
    citedTexts: citedText ? [citedText] : [],
  };
}

function addCitedText(sources: CitedSource[], sourceNumber: number, citedText: string | undefined): void {
  const source = sources[sourceNumber - 1];
  if (source === undefined || citedText === undefined || source.citedTexts.includes(citedText)) return;
  sources[sourceNumber - 1] = { ...source, citedTexts: [...source.citedTexts, citedText] };
}

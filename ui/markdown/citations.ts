// Citations of a text: each source gets a number, and signs that Markdown leaves alone mark where it is cited.
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

export interface Cited {
  text: string;
  sources: readonly Source[];
}

// Code points that never stand for a character, so that no text means them.
const OPEN = "\uFDD0";
const CLOSE = "\uFDD1";
const SIGNS = /[\uFDD0\uFDD1]/g;
const MARK = /\uFDD0(\d{1,5})\uFDD1/;

/** The text with a mark behind every span that cites something, and what the marks mean. */
export function cite(text: string, annotations: readonly Annotation[] | undefined): Cited {
  if (annotations === undefined || annotations.length === 0) return { text, sources: [] };
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
  return { text: insertMarks(text, marks), sources };
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

function insertMarks(text: string, marks: ReadonlyMap<number, ReadonlySet<number>>): string {
  let [marked, from] = ["", 0];
  for (const at of [...marks.keys()].sort((a, b) => a - b)) {
    const numbers = [...(marks.get(at) ?? [])].sort((a, b) => a - b);
    marked += text.slice(from, at).replace(SIGNS, "") + numbers.map((number) => OPEN + number + CLOSE).join("");
    from = at;
  }
  return marked + text.slice(from).replace(SIGNS, "");
}

/** Words and the numbers of marks between them. */
export function splitMarks(text: string): (string | number)[] {
  if (!text.includes(OPEN)) return [text];
  return text.split(MARK).map((piece, index) => (index % 2 === 0 ? piece : Number(piece)));
}

/** The text as it was, for places that cannot hold a mark. */
export function withoutMarks(text: string): string {
  return text.includes(OPEN) ? text.replace(/\uFDD0\d*\uFDD1?/g, "") : text;
}

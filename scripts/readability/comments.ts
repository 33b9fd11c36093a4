// Metrics of comments: openings and pronouns that hide the subject of the sentence. Consecutive `//` lines are one
// comment; a comment behind code is a comment of its own.
import type { Measurement, Metric } from "./metric.ts";
import { countBy } from "./metric.ts";
import type { SourceFile } from "./sources.ts";
import { sourceFiles } from "./sources.ts";
import { CODE_FOLDERS, OPENING_WORDS, PRONOUNS } from "./word-lists.ts";

interface WholeComment {
  file: SourceFile;
  start: number;
  text: string;
}

function wholeComments(file: SourceFile): WholeComment[] {
  const comments: WholeComment[] = [];
  let lineEnd = -1;
  for (const { type, value, start, end } of file.comments) {
    const isAlone = /(?:^|\n)[ \t]*$/.test(file.text.slice(Math.max(0, start - 200), start));
    const isNext = type === "Line" && isAlone && lineEnd >= 0 && /^\r?\n[ \t]*$/.test(file.text.slice(lineEnd, start));
    const last = comments.at(-1);
    const text = value.replaceAll(/^[ \t]*\*+/gm, "").trim();
    if (isNext && last !== undefined) last.text += ` ${text}`;
    else comments.push({ file, start, text });
    lineEnd = type === "Line" && isAlone ? end : -1;
  }
  return comments;
}

function commentsIn(root: string, folders: readonly string[]): WholeComment[] {
  return sourceFiles(root, folders).flatMap(wholeComments);
}

function firstWord(text: string): string {
  return /[A-Za-z]+/.exec(text)?.[0].toLowerCase() ?? "";
}

function hasPronoun(text: string): boolean {
  return (text.toLowerCase().match(/[a-z]+/g) ?? []).some((word) => PRONOUNS.has(word));
}

function folderOf({ file }: WholeComment): string {
  return file.path.slice(0, file.path.indexOf("/"));
}

function measureComments(
  all: readonly WholeComment[],
  isCounted: (text: string) => boolean,
  keyOf: (comment: WholeComment) => string,
): Measurement {
  const counted = all.filter(({ text }) => isCounted(text));
  const totals = Object.entries(countBy(all, folderOf)).map(([folder, count]) => [`all comments of ${folder}`, count]);
  return {
    value: counted.length,
    details: { ...countBy(counted, keyOf), ...(Object.fromEntries(totals) as Record<string, number>) },
    positions: counted.map(({ file, start, text }) => file.position(start, text.replaceAll(/\s+/g, " ").slice(0, 80))),
  };
}

function hasHiddenOpening(text: string): boolean {
  return OPENING_WORDS.has(firstWord(text));
}

function openingOf(comment: WholeComment): string {
  return `${folderOf(comment)} "${firstWord(comment.text)}"`;
}

export const COMMENT_METRICS: readonly Metric[] = [
  {
    id: "comment-openings",
    title: "Comments in src and ui whose first word hides the subject.",
    measure: (root) => measureComments(commentsIn(root, CODE_FOLDERS), hasHiddenOpening, openingOf),
  },
  {
    id: "comment-openings-test",
    title: "Comments in test whose first word hides the subject.",
    measure: (root) => measureComments(commentsIn(root, ["test"]), hasHiddenOpening, openingOf),
  },
  {
    id: "comment-pronouns",
    title: "Comments in src and ui with nobody, somebody, whoever or whatever.",
    measure: (root) => measureComments(commentsIn(root, CODE_FOLDERS), hasPronoun, folderOf),
  },
];

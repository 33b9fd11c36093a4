// Tests the positions of citation marks: they are inserted into parsed Markdown and never change the parse.
import type { Token } from "marked";
import { expect, test } from "vitest";
import type { CitationPosition } from "../../../ui/markdown/citations.ts";
import { normalizePositions } from "../../../ui/markdown/citations.ts";
import { type ParsedMarkdown, parseComplete } from "../../../ui/markdown/incremental-parse.ts";
import { placeCitations } from "../../../ui/markdown/place-citations.ts";

type AnyToken = Token & {
  tokens?: AnyToken[];
  items?: AnyToken[];
  header?: AnyToken[];
  rows?: AnyToken[][];
  trailingNumbers?: number[];
  number?: number;
};

/** Formats a token: marks as [1], structure as <type>. */
function describeToken(token: AnyToken): string {
  const lists = [token.tokens, token.items, token.header, token.rows?.flat()].filter((each) => Array.isArray(each));
  const inner = lists.flat().map(describeToken);
  const behind = (token.trailingNumbers ?? []).map((number) => `[${number}]`).join("");
  if (token.type === "cite") return `[${token.number}]`;
  if (token.type === "space") return "";
  if (inner.length > 0) return `<${token.type ?? "cell"}>${inner.join("")}</>${behind}`;
  return (token.type === "text" ? token.raw : `<${token.type}>${token.raw.trimEnd()}</>`) + behind;
}

/** Inserts the marks written as «1» after the cited text, and formats the result. */
function placeAndDescribe(written: string): string {
  const marks: CitationPosition[] = [];
  let text = "";
  for (const [at, piece] of written.split(/«(\d)»/).entries()) {
    if (at % 2 === 0) text += piece;
    else marks.push({ offset: text.length, numbers: [Number(piece)] });
  }
  const plain = parseComplete(text);
  const { settled } = placeCitations(plain, marks);
  const shown = settled
    .flat()
    .map((token) => describeToken(token as AnyToken))
    .join("\n");
  // Without marks, the result equals the plain parse.
  const before = plain.settled
    .flat()
    .map((token) => describeToken(token as AnyToken))
    .join("\n");
  expect(shown.replace(/\[\d\]/g, "")).toBe(before);
  return shown;
}

test.each([
  ["between words", "One.«1» Two.«2»", "<paragraph>One.[1] Two.[2]</>"],
  ["behind emphasis", "It is **so.**«1» Yes.", "<paragraph>It is <strong>so.</>[1] Yes.</>"],
  ["within emphasis", "**One«1» two**", "<paragraph><strong>One[1] two</></>"],
  ["after code and links", "`a«1»b` [c](https://d.e«2»/f)", "<paragraph><codespan>`ab`</>[1] <link>c</>[2]</>"],
  ["not within a reference", "a &am«1»p; b", "<paragraph>a &amp;[1] b</>"],
  ["after code that contains one", "```ts\na«1»\n```«2»\nb", "<code>```ts\na\n```</>[1][2]\n<paragraph>b</>"],
  [
    "in a list",
    "- one«1»\n- two\n  more«2»",
    "<list><list_item><text>one[1]</></><list_item><text>two\nmore[2]</></></>",
  ],
  ["in a quote", "> a\n> b«1» c", "<blockquote><paragraph>a\nb[1] c</></>"],
  ["in a heading", "# Title«1»\nwords", "<heading>Title[1]</>\n<paragraph>words</>"],
])("a citation mark is %s", (_, written, shown) => {
  expect(placeAndDescribe(written)).toBe(shown);
});

test("a citation after a table row is in its last cell, and the table stays intact", () => {
  const shown = placeAndDescribe("| a | b |\n|---|---|\n| c | d |«1»\n| e | f«2» |\n");
  expect(
    shown
      .replace(/<cell>|<table>|<\/>/g, " ")
      .replace(/ +/g, " ")
      .trim(),
  ).toBe("a b c d[1] e f[2]");
});

test("blocks without citations, or with the same ones, keep their identity", () => {
  const growth: ParsedMarkdown = parseComplete("One.\n\nTwo.\n\nThree.");
  const marks = [{ offset: 10, numbers: [1] }];
  const [first, again] = [placeCitations(growth, marks).settled, placeCitations(growth, marks).settled];
  expect(first[0]).toBe(again[0]);
  expect(first[0]?.[0]).toBe(growth.settled[0]?.[0]);
  expect(first[0]?.[2]).not.toBe(growth.settled[0]?.[2]);
  expect(placeCitations(growth, []).settled).toBe(growth.settled);
});

test("offsets are adjusted to normalized line breaks", () => {
  const marks = [1, 4, 7].map((offset) => ({ offset, numbers: [1] }));
  expect(normalizePositions("a\r\nb\r\nc", marks).map(({ offset }) => offset)).toStrictEqual([1, 3, 5]);
});

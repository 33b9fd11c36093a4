// Where the marks of citations stand: they are put into a text that was read already, and never change how it is read.
import type { Token } from "marked";
import { expect, test } from "vitest";
import type { Mark } from "../../ui/markdown/citations.ts";
import { normalisedMarks } from "../../ui/markdown/citations.ts";
import { type Growth, readAll } from "../../ui/markdown/grow.ts";
import { placeMarks } from "../../ui/markdown/marks.ts";

type Any = Token & { tokens?: Any[]; items?: Any[]; header?: Any[]; rows?: Any[][]; cites?: number[]; number?: number };

/** The words with marks as [1], structure as <type>. */
function told(token: Any): string {
  const lists = [token.tokens, token.items, token.header, token.rows?.flat()].filter((each) => Array.isArray(each));
  const inner = lists.flat().map(told);
  const behind = (token.cites ?? []).map((number) => `[${number}]`).join("");
  if (token.type === "cite") return `[${token.number}]`;
  if (token.type === "space") return "";
  if (inner.length > 0) return `<${token.type ?? "cell"}>${inner.join("")}</>${behind}`;
  return (token.type === "text" ? token.raw : `<${token.type}>${token.raw.trimEnd()}</>`) + behind;
}

/** Marks are written «1» behind what they cite. */
function place(written: string): string {
  const marks: Mark[] = [];
  let text = "";
  for (const [at, piece] of written.split(/«(\d)»/).entries()) {
    if (at % 2 === 0) text += piece;
    else marks.push({ at: text.length, numbers: [Number(piece)] });
  }
  const plain = readAll(text);
  const { settled } = placeMarks(plain, marks);
  const shown = settled
    .flat()
    .map((token) => told(token as Any))
    .join("\n");
  // Without the marks it is what it was.
  const before = plain.settled
    .flat()
    .map((token) => told(token as Any))
    .join("\n");
  expect(shown.replace(/\[\d\]/g, "")).toBe(before);
  return shown;
}

test.each([
  ["between words", "One.«1» Two.«2»", "<paragraph>One.[1] Two.[2]</>"],
  ["behind emphasis", "It is **so.**«1» Yes.", "<paragraph>It is <strong>so.</>[1] Yes.</>"],
  ["within emphasis", "**One«1» two**", "<paragraph><strong>One[1] two</></>"],
  ["behind code and links", "`a«1»b` [c](https://d.e«2»/f)", "<paragraph><codespan>`ab`</>[1] <link>c</>[2]</>"],
  ["not within a reference", "a &am«1»p; b", "<paragraph>a &amp;[1] b</>"],
  ["behind code that holds one", "```ts\na«1»\n```«2»\nb", "<code>```ts\na\n```</>[1][2]\n<paragraph>b</>"],
  [
    "in a list",
    "- one«1»\n- two\n  more«2»",
    "<list><list_item><text>one[1]</></><list_item><text>two\nmore[2]</></></>",
  ],
  ["in a quote", "> a\n> b«1» c", "<blockquote><paragraph>a\nb[1] c</></>"],
  ["in a heading", "# Title«1»\nwords", "<heading>Title[1]</>\n<paragraph>words</>"],
])("a mark stands %s", (_, written, shown) => {
  expect(place(written)).toBe(shown);
});

test("a mark behind a row of a table stands in its last cell, and the table stays one", () => {
  const shown = place("| a | b |\n|---|---|\n| c | d |«1»\n| e | f«2» |\n");
  expect(
    shown
      .replace(/<cell>|<table>|<\/>/g, " ")
      .replace(/ +/g, " ")
      .trim(),
  ).toBe("a b c d[1] e f[2]");
});

test("what has no mark stays the same object, and so does what has the same marks", () => {
  const growth: Growth = readAll("One.\n\nTwo.\n\nThree.");
  const marks = [{ at: 10, numbers: [1] }];
  const [first, again] = [placeMarks(growth, marks).settled, placeMarks(growth, marks).settled];
  expect(first[0]).toBe(again[0]);
  expect(first[0]?.[0]).toBe(growth.settled[0]?.[0]);
  expect(first[0]?.[2]).not.toBe(growth.settled[0]?.[2]);
  expect(placeMarks(growth, []).settled).toBe(growth.settled);
});

test("places are those of the text as its lines are counted", () => {
  const marks = [1, 4, 7].map((at) => ({ at, numbers: [1] }));
  expect(normalisedMarks("a\r\nb\r\nc", marks).map(({ at }) => at)).toStrictEqual([1, 3, 5]);
});

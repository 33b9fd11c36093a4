// Markdown as it is read: whole, or as it grows, and whatever it holds.
import fc from "fast-check";
import type { Token } from "marked";
import { expect, test } from "vitest";
import { grow, type Growth, readAll } from "../../ui/markdown/grow.ts";
import { lexMarkdown } from "../../ui/markdown/lex.ts";
import { mendEnd } from "../../ui/markdown/mend.ts";
import { shownEnd } from "../../ui/markdown/shown.ts";

const blocksOf = ({ settled, tail }: Growth): Token[] => [...settled.flat(), ...tail];
const rawOf = (growth: Growth): string =>
  blocksOf(growth)
    .map(({ raw }) => raw)
    .join("") + growth.rest;

/** Grows a text by pieces of one length, and counts the characters that were read. */
function growBy(text: string, step: number, keep = true): { growth: Growth; read: number; looks: Growth[] } {
  let read = 0;
  const lex: typeof lexMarkdown = (source, known) => {
    read += source.length;
    return lexMarkdown(source, known);
  };
  const looks: Growth[] = [];
  let growth: Growth | undefined;
  for (let end = step; ; end += step) {
    growth = grow(growth, text.slice(0, end), lex);
    if (keep) looks.push(growth);
    if (end >= text.length) return { growth, read, looks };
  }
}

const SECTION = `## A heading

Some **bold** words, \`code\`, [a link](https://example.com/a) and more of the same,
on two lines.

- one
- two, with *emphasis*

\`\`\`ts
const answer = 42;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> A quote.

`;

/** What answers are made of, 200 kB each; `most`: how often a character is read on average, at most. */
const ANSWERS: readonly (readonly [title: string, text: string, most: number])[] = [
  ["of usual sections", SECTION, 6],
  ["that is one paragraph", "words and **more** words ", 20],
  ["that is one code block", "", 0.1],
  ["that is one list", "- an item with some words\n", 10],
  ["that is one table", "| 12 | 34 |\n", 60],
  ["that is one quote", "> quoted words, one line after the other\n", 30],
];
/** 200 kB in 5,000 deltas; the odder ones a quarter of it. */
const LENGTH = 200_000;
const STEP = 40;
const HEADS: Record<string, string> = {
  "that is one table": "| a | b |\n|---|---|\n",
  "that is one code block": "```ts\n",
};

test.each(ANSWERS)(
  "an answer %s costs in proportion to its length, however many deltas it comes in",
  (title, unit, most) => {
    const body = unit === "" ? "const answer = 42;\n" : unit;
    const length = unit === SECTION ? LENGTH : LENGTH / 4;
    const text = ((HEADS[title] ?? "") + body.repeat(Math.ceil(length / body.length))).slice(0, length);
    const whole = growBy(text, STEP, false);
    expect(whole.read / length).toBeLessThan(most);
    // Twice the length in twice the deltas is no more for each character.
    const half = growBy(text.slice(0, text.length / 2), STEP, false);
    expect(whole.read).toBeLessThan(half.read * 2.5 + 20_000);
  },
);

test("B100: blocks that are settled stay the same objects while the rest is written", () => {
  const { looks } = growBy(SECTION.repeat(4), 7);
  let seen: Token[] = [];
  for (const { settled } of looks) {
    const now = settled.flat();
    expect(now.length).toBeGreaterThanOrEqual(seen.length);
    for (const [at, token] of seen.entries()) expect(now[at]).toBe(token);
    seen = now;
  }
  expect(seen.length).toBeGreaterThan(30);
});

test("whatever the pieces are, nothing of the text is missing, and usual blocks come out as when it is read at once", () => {
  const lines = fc.constantFrom(
    "# h",
    "words",
    "- item",
    "  more",
    "1. one",
    "> q",
    "---",
    "",
    "",
    "`a` **b**",
    "| a | b |",
    "|---|---|",
  );
  fc.assert(
    fc.property(
      fc.array(lines, { maxLength: 30 }),
      fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }),
      (parts, steps) => {
        const text = `${parts.join("\n")}\n`;
        let growth: Growth | undefined;
        let end = 0;
        for (let at = 0; end < text.length; at++) {
          end += 1 + (steps[at % steps.length] ?? 0);
          growth = grow(growth, text.slice(0, end));
        }
        expect(growth?.text).toBe(text);
        expect(growth === undefined ? "" : rawOf(growth).trimEnd()).toBe(text.trimEnd());
      },
    ),
    { numRuns: 200 },
  );
  const { growth } = growBy(SECTION.repeat(3), 3);
  expect(blocksOf(growth)).toStrictEqual(readAll(SECTION.repeat(3)).settled.flat());
});

test("code that is not closed yet is code, without the sign that is about to close it", () => {
  const { looks } = growBy("Look:\n\n```ts\nconst a = 1;\n\n# not a heading\n```\nDone.", 1);
  const codes = looks.flatMap((look) => blocksOf(look).filter(({ type }) => type === "code"));
  expect(new Set(codes.map((code) => ("text" in code ? code.text : "").includes("``")))).toStrictEqual(
    new Set([false]),
  );
  const last = looks.at(-1);
  expect(last && blocksOf(last).map(({ type }) => type)).toStrictEqual(["paragraph", "space", "code", "paragraph"]);
});

test.each([
  ["opened emphasis is closed", "a **bold wor", "a **bold wor**"],
  ["… before the space at the end", "a **bold ", "a **bold** "],
  ["opened code is closed", "call `foo(", "call `foo(`"],
  ["a long run of ticks is one sign", `a${"`".repeat(20_000)} b`, `a${"`".repeat(20_000)} b${"`".repeat(20_000)}`],
  ["runs of other lengths do not end it", "`a ``b`` c` **d", "`a ``b`` c` **d**"],
  ["a strike is closed", "~~gone", "~~gone~~"],
  ["a sign without words behind it waits", "and **", "and "],
  ["what is closed stays", "a **b** `c`", "a **b** `c`"],
  ["a bullet is no emphasis", "* one\n* two", "* one\n* two"],
  ["only the last block is looked at", "a ** b\n\nc", "a ** b\n\nc"],
])("while it is written: %s", (_, text, mended) => {
  expect(mendEnd(text)).toBe(mended);
});

test("a very long text is cut at a line, and never within something encoded", () => {
  const lines = "0123456789\n".repeat(20_000);
  expect(shownEnd(lines, 60_000) % 11).toBe(0);
  const picture = `![x](data:image/png;base64,${"A".repeat(100_000)})`;
  expect(shownEnd(`${picture} and ${"words ".repeat(40_000)}`, 60_000)).toBe(picture.length);
  expect(shownEnd("short", 60_000)).toBe(5);
});

test("a long picture in the text is one picture, and mathematics stay as they are written", () => {
  const data = `data:image/png;base64,${"A".repeat(90_000)}`;
  const tokens = blocksOf(readAll(`![a](${data}) words`)).flatMap(inlineOf);
  expect(tokens.map(({ type }) => type)).toStrictEqual(["image", "text"]);
  expect(tokens[0] !== undefined && "href" in tokens[0] && tokens[0].href === data).toBe(true);
  const texts = ["$a_1*b*c$", "$$x_{1} * y_{2}$$", "\\(a*b*\\)", "\\[ x_1 \\]"];
  for (const text of texts) expect(lexMarkdown(`so ${text} is`).tokens[0]).toMatchObject({ type: "paragraph" });
  expect(texts.map((text) => wordsOf(lexMarkdown(`so ${text} is`).tokens[0]))).toStrictEqual(
    texts.map((text) => `so ${text} is`),
  );
  expect(inlineOf(lexMarkdown("from $5 to *six* for $7").tokens[0]).map(({ type }) => type)).toContain("em");
});

function inlineOf(token: Token | undefined): Token[] {
  return token !== undefined && "tokens" in token ? (token.tokens ?? []) : [];
}
/** The words of tokens that are words. */
function wordsOf(token: Token | undefined): string {
  return inlineOf(token)
    .map((each) =>
      each.type === "text"
        ? each.raw
        : each.type === "escape" && "text" in each
          ? String(each["text"])
          : `<${each.type}>`,
    )
    .join("");
}

/** How deep tokens nest. */
function depthOf(tokens: readonly Token[]): number {
  let deepest = 0;
  const open = tokens.map((token) => ({ token, depth: 1 }));
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    deepest = Math.max(deepest, top.depth);
    const inner: Token[] = [
      ...inlineOf(top.token),
      ...("items" in top.token ? ((top.token.items as Token[]) ?? []) : []),
    ];
    for (const token of inner) open.push({ token, depth: top.depth + 1 });
  }
  return deepest;
}

const MANY = 100_000;
test.each([
  ["quotes", "> ".repeat(MANY) + "a"],
  ["quotes without spaces", ">".repeat(MANY)],
  ["lists", "- ".repeat(MANY) + "a"],
  ["numbered lists", "1. ".repeat(MANY) + "a"],
  ["lists in quotes", "> - ".repeat(MANY)],
  ["lists by indentation", Array.from({ length: 300 }, (_, at) => `${" ".repeat(at * 2)}- a`).join("\n")],
  ["brackets", "[".repeat(MANY)],
  ["brackets that close", "[".repeat(MANY) + "]".repeat(MANY)],
  ["pictures in pictures", "![".repeat(MANY)],
  ["links in links", `${"[".repeat(MANY / 10)}a${"](b)".repeat(MANY / 10)}`],
  ["emphasis in emphasis", `${"*a **b ".repeat(MANY / 10)}${" c** d*".repeat(MANY / 10)}`],
  ["stars", "*".repeat(MANY)],
  ["stars and underscores", "*a_".repeat(MANY / 3)],
  ["ticks", "`a ".repeat(MANY / 3)],
  ["tags", "<a ".repeat(MANY / 3)],
  ["comments", "<!--".repeat(MANY / 4)],
  ["columns", `${"|a".repeat(MANY)}\n${"|-".repeat(MANY)}\n|b`],
  ["rows", `|a|b|\n|-|-|\n${"|x|y|\n".repeat(MANY / 6)}`],
  ["definitions", "[a]: b\n".repeat(MANY / 7)],
  ["lines", "a\n".repeat(MANY / 2)],
  ["addresses", "a.".repeat(MANY / 2) + "@b"],
])("100,000 signs of %s are read without an end of the stack, in tokens that do not nest deep", (_, text) => {
  const tokens = blocksOf(readAll(text));
  expect(tokens.length).toBeGreaterThan(0);
  expect(depthOf(tokens)).toBeLessThan(60);
  expect(tokens.reduce((sum, { raw }) => sum + raw.length, 0)).toBe(text.length);
});

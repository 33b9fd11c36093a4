// Tests the Markdown parser: complete, growing and adversarial texts.
import fc from "fast-check";
import type { Token } from "marked";
import { expect, test } from "vitest";
import { parseGrowing, type ParsedMarkdown, parseComplete } from "../../../ui/markdown/incremental-parse.ts";
import { lexMarkdown } from "../../../ui/markdown/bounded-lexer.ts";
import { closeOpenMarkup } from "../../../ui/markdown/close-open-markup.ts";
import { findPartialEnd } from "../../../ui/markdown/use-partial-text.ts";

const listBlocks = ({ settled, tail }: ParsedMarkdown): Token[] => [...settled.flat(), ...tail];
const joinRaw = (parsed: ParsedMarkdown): string =>
  listBlocks(parsed)
    .map(({ raw }) => raw)
    .join("") + parsed.unparsed;

/** Parses a text growing in steps of one length, and counts the parsed characters. */
function parseInSteps(
  text: string,
  step: number,
  keep = true,
): { parsed: ParsedMarkdown; read: number; results: ParsedMarkdown[] } {
  let read = 0;
  const lex: typeof lexMarkdown = (source, known) => {
    read += source.length;
    return lexMarkdown(source, known);
  };
  const results: ParsedMarkdown[] = [];
  let parsed: ParsedMarkdown | undefined;
  for (let end = step; ; end += step) {
    parsed = parseGrowing(parsed, text.slice(0, end), lex);
    if (keep) results.push(parsed);
    if (end >= text.length) return { parsed, read, results };
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

/** Units of 200 kB answers; `most`: limit for the average number of times a character is parsed. */
const ANSWERS: readonly (readonly [title: string, text: string, most: number])[] = [
  ["of usual sections", SECTION, 6],
  ["that is one paragraph", "words and **more** words ", 20],
  ["that is one code block", "", 0.1],
  ["that is one list", "- an item with some words\n", 10],
  ["that is one table", "| 12 | 34 |\n", 60],
  ["that is one quote", "> quoted words, one line after the other\n", 30],
];
/** 200 kB in 5,000 deltas; unusual answers are a quarter of that. */
const LENGTH = 200_000;
const STEP = 40;
const HEADS: Record<string, string> = {
  "that is one table": "| a | b |\n|---|---|\n",
  "that is one code block": "```ts\n",
};

test.each(ANSWERS)(
  "parsing an answer %s costs in proportion to its length, independent of the number of deltas",
  (title, unit, most) => {
    const body = unit === "" ? "const answer = 42;\n" : unit;
    const length = unit === SECTION ? LENGTH : LENGTH / 4;
    const text = ((HEADS[title] ?? "") + body.repeat(Math.ceil(length / body.length))).slice(0, length);
    const whole = parseInSteps(text, STEP, false);
    expect(whole.read / length).toBeLessThan(most);
    // Twice the length in twice the deltas costs the same per character.
    const half = parseInSteps(text.slice(0, text.length / 2), STEP, false);
    expect(whole.read).toBeLessThan(half.read * 2.5 + 20_000);
  },
);

test("B100: settled blocks keep their identity while the rest streams", () => {
  const { results } = parseInSteps(SECTION.repeat(4), 7);
  let seen: Token[] = [];
  for (const { settled } of results) {
    const now = settled.flat();
    expect(now.length).toBeGreaterThanOrEqual(seen.length);
    for (const [at, token] of seen.entries()) expect(now[at]).toBe(token);
    seen = now;
  }
  expect(seen.length).toBeGreaterThan(30);
});

test("for any chunks no text is lost, and usual blocks equal those of the complete text", () => {
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
        let parsed: ParsedMarkdown | undefined;
        let end = 0;
        for (let at = 0; end < text.length; at++) {
          end += 1 + (steps[at % steps.length] ?? 0);
          parsed = parseGrowing(parsed, text.slice(0, end));
        }
        expect(parsed?.text).toBe(text);
        expect(parsed === undefined ? "" : joinRaw(parsed).trimEnd()).toBe(text.trimEnd());
      },
    ),
    { numRuns: 200 },
  );
  const { parsed } = parseInSteps(SECTION.repeat(3), 3);
  expect(listBlocks(parsed)).toStrictEqual(parseComplete(SECTION.repeat(3)).settled.flat());
});

test("unclosed code is shown as code, without an incomplete closing fence", () => {
  const { results } = parseInSteps("Look:\n\n```ts\nconst a = 1;\n\n# not a heading\n```\nDone.", 1);
  const codes = results.flatMap((look) => listBlocks(look).filter(({ type }) => type === "code"));
  expect(new Set(codes.map((code) => ("text" in code ? code.text : "").includes("``")))).toStrictEqual(
    new Set([false]),
  );
  const last = results.at(-1);
  expect(last && listBlocks(last).map(({ type }) => type)).toStrictEqual(["paragraph", "space", "code", "paragraph"]);
});

test.each([
  ["opened emphasis is closed", "a **bold wor", "a **bold wor**"],
  ["… before the space at the end", "a **bold ", "a **bold** "],
  ["opened code is closed", "call `foo(", "call `foo(`"],
  ["a long run of ticks is one sign", `a${"`".repeat(20_000)} b`, `a${"`".repeat(20_000)} b${"`".repeat(20_000)}`],
  ["runs of other lengths do not end it", "`a ``b`` c` **d", "`a ``b`` c` **d**"],
  ["a strike is closed", "~~gone", "~~gone~~"],
  ["an opening mark without following text waits", "and **", "and "],
  ["closed marks stay", "a **b** `c`", "a **b** `c`"],
  ["a bullet is not emphasis", "* one\n* two", "* one\n* two"],
  ["only the last block is looked at", "a ** b\n\nc", "a ** b\n\nc"],
])("while it streams: %s", (_, text, mended) => {
  expect(closeOpenMarkup(text)).toBe(mended);
});

test("a very long text is cut at a line, and never within base64 data", () => {
  const lines = "0123456789\n".repeat(20_000);
  expect(findPartialEnd(lines, 60_000) % 11).toBe(0);
  const picture = `![x](data:image/png;base64,${"A".repeat(100_000)})`;
  expect(findPartialEnd(`${picture} and ${"words ".repeat(40_000)}`, 60_000)).toBe(picture.length);
  expect(findPartialEnd("short", 60_000)).toBe(5);
});

test("a long inline image is one token, and formulas stay as written", () => {
  const data = `data:image/png;base64,${"A".repeat(90_000)}`;
  const tokens = listBlocks(parseComplete(`![a](${data}) words`)).flatMap(listInlines);
  expect(tokens.map(({ type }) => type)).toStrictEqual(["image", "text"]);
  expect(tokens[0] !== undefined && "href" in tokens[0] && tokens[0].href === data).toBe(true);
  const texts = ["$a_1*b*c$", "$$x_{1} * y_{2}$$", "\\(a*b*\\)", "\\[ x_1 \\]"];
  for (const text of texts) expect(lexMarkdown(`so ${text} is`).tokens[0]).toMatchObject({ type: "paragraph" });
  expect(texts.map((text) => joinText(lexMarkdown(`so ${text} is`).tokens[0]))).toStrictEqual(
    texts.map((text) => `so ${text} is`),
  );
  expect(listInlines(lexMarkdown("from $5 to *six* for $7").tokens[0]).map(({ type }) => type)).toContain("em");
});

function listInlines(token: Token | undefined): Token[] {
  return token !== undefined && "tokens" in token ? (token.tokens ?? []) : [];
}
/** Joins the text of text tokens. */
function joinText(token: Token | undefined): string {
  return listInlines(token)
    .map((each) =>
      each.type === "text"
        ? each.raw
        : each.type === "escape" && "text" in each
          ? String(each["text"])
          : `<${each.type}>`,
    )
    .join("");
}

/** Returns the nesting depth of tokens. */
function measureDepth(tokens: readonly Token[]): number {
  let deepest = 0;
  const open = tokens.map((token) => ({ token, depth: 1 }));
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    deepest = Math.max(deepest, top.depth);
    const inner: Token[] = [
      ...listInlines(top.token),
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
])("100,000 characters of %s are parsed without a stack overflow or deep nesting", (_, text) => {
  const tokens = listBlocks(parseComplete(text));
  expect(tokens.length).toBeGreaterThan(0);
  expect(measureDepth(tokens)).toBeLessThan(60);
  expect(tokens.reduce((sum, { raw }) => sum + raw.length, 0)).toBe(text.length);
});

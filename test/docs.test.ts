// Compares documents and tests: a fulfilled requirement names its test, a test that cites a behavior is named in its
// row, and every link has a target.
import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import {
  citationProblems,
  numberProblems,
  readRows,
  relativeLinks,
  rowProblems,
  type Titles,
  titlesByFile,
} from "./support/documents.ts";

const read = (path: string): string => readFileSync(path, "utf8");
const filesOf = (pattern: string | string[]): string[] => globSync(pattern).map((path) => path.replaceAll("\\", "/"));

const tests = titlesByFile(new Map(filesOf("test/**/*.ts").map((path) => [path, read(path)])));
const behaviours = readRows(read("docs/behaviours.md"));
const requirements = readRows(read("docs/requirements.md"));
const documents = filesOf(["README.md", "CONTRIBUTING.md", "docs/**/*.md"]);

test("there are rows, titles and documents to look at", () => {
  expect(behaviours.length).toBeGreaterThan(0);
  expect(requirements.length).toBeGreaterThan(0);
  expect(tests.get("test/docs.test.ts")).toContain("there are rows, titles and documents to look at");
  expect(documents).toContain("docs/behaviours.md");
  expect(behaviours.some(({ references }) => references.length > 0)).toBe(true);
});

describe("docs/behaviours.md", () => {
  test("has every number once, and no other", () => {
    expect(numberProblems(behaviours, "B", 100)).toStrictEqual([]);
  });

  test("names tests and parts that are there", () => {
    expect(rowProblems(behaviours, tests)).toStrictEqual([]);
  });

  test("names every file whose tests cite a behaviour", () => {
    expect(citationProblems(behaviours, tests)).toStrictEqual([]);
  });
});

describe("docs/requirements.md", () => {
  test("names tests and parts that are there", () => {
    expect(rowProblems(requirements, tests)).toStrictEqual([]);
  });

  test("has rows for each of the five documents, and no others", () => {
    expect([...new Set(requirements.map(({ id }) => id.replace(/^(S\d)-[1-9]\d*$/, "$1")))]).toStrictEqual([
      "S0",
      "S1",
      "S2",
      "S3",
      "S4",
    ]);
  });
});

test.each(documents)("%s links to files that are there", (path) => {
  const targets = relativeLinks(read(path)).map((target) => posix.join(posix.dirname(path), target));
  expect(targets.filter((target) => !existsSync(target))).toStrictEqual([]);
});

const titlesOf = (files: Record<string, string>, path: string): readonly string[] =>
  titlesByFile(new Map(Object.entries(files))).get(path) ?? [];
const table = (...rows: string[]): string =>
  ["Prose.", "", "| id | promise | status | test or part |", "|---|:--|---|---|", ...rows, "", "More prose."].join(
    "\n",
  );
const madeUp: Titles = new Map([
  ["test/a.test.ts", ["one: the first of all", "two: second"]],
  // Spelled so that this file does not cite a behaviour.
  ["test/b.test.ts", ["X2: the third", "X: fourth"].map((title) => title.replace("X", "B"))],
]);

const right: [sentence: string, row: string][] = [
  ["a held row with a whole title", '| B1 | p | held | `test/a.test.ts` › "one: the first of all" |'],
  ["a held row with a part of a title", '| B1 | p | held | `test/a.test.ts` › "the first of all" |'],
  ["a title out of a table", '| B1 | p | held | `test/a.test.ts` › "two: second" |'],
  [
    "several titles and files",
    '| B1 | p | held | `test/a.test.ts` › "the first of all", "two: second"; `test/b.test.ts` › "B2: the third" |',
  ],
  ["a planned row with its part", "| B1 | p | planned | `src/dialects/anthropic` |"],
  [
    "a planned row with a half",
    '| B1 | p | planned | `src/ledger`; model half: `test/a.test.ts` › "the first of all" |',
  ],
  ["a border inside a cell", "| B1 | a \\| b | planned | `ui` |"],
];

const wrong: [sentence: string, row: string, problem: string][] = [
  ["an unknown status", "| B1 | p | done | `src/ledger` |", 'B1 is "done", neither held nor planned'],
  ["an empty status", "| B1 | p |  | `src/ledger` |", 'B1 is "", neither held nor planned'],
  ["a held row without a test", "| B1 | p | held | `src/ledger` |", "B1 is held, but names no test"],
  ["a held row with a file alone", "| B1 | p | held | `test/a.test.ts` |", "B1 names `test/a.test.ts` without a title"],
  ["a file that is not there", '| B1 | p | held | `test/c.test.ts` › "one" |', "test/c.test.ts, which is no test file"],
  ["a title that is not there", '| B1 | p | held | `test/a.test.ts` › "five" |', '"five", which is no title'],
  [
    "a title of another file",
    '| B1 | p | held | `test/a.test.ts` › "B2: the third" |',
    '"B2: the third", which is no title',
  ],
  [
    "the second of two titles",
    '| B1 | p | held | `test/a.test.ts` › "the first of all", "six" |',
    '"six", which is no title',
  ],
  [
    "a part of a title too short to tell",
    '| B1 | p | held | `test/a.test.ts` › "first" |',
    '"first", which is no title',
  ],
  ["a blank title", '| B1 | p | held | `test/a.test.ts` › " " |', '" ", which is no title'],
  ["a planned row without a part", "| B1 | p | planned | later |", "B1 is planned, but names no part of the map"],
  ["a part that the map lacks", "| B1 | p | planned | `src/utils` |", "B1 is planned, but names no part of the map"],
  ["a stale half", '| B1 | p | planned | `src/ledger`: `test/a.test.ts` › "five" |', '"five", which is no title'],
  ["a cell too few", "| B1 | planned | `src/ledger` |", "not as many cells as its table"],
  [
    "a cell too many",
    '| B1 | p | held | x | `test/a.test.ts` › "the first of all" |',
    "not as many cells as its table",
  ],
];

describe("the checks can fail", () => {
  test.each(right)("%s is right", (_sentence, row) => {
    const rows = readRows(table(row));
    expect(rows.map(({ id }) => id)).toStrictEqual(["B1"]);
    expect(rowProblems(rows, madeUp)).toStrictEqual([]);
  });

  test.each(wrong)("%s is reported", (_sentence, row, problem) => {
    expect(rowProblems(readRows(table(row)), madeUp)).toContainEqual(expect.stringContaining(problem));
  });

  test("a number that is repeated, missing or beyond the last is reported", () => {
    const planned = (id: string): string => `| ${id} | p | planned | \`ui\` |`;
    const rows = readRows(table(planned("B1"), planned("B1"), planned("B4"), planned("Bx")));
    expect(rowProblems(rows, madeUp)).toStrictEqual(["B1 stands there twice"]);
    expect(numberProblems(rows, "B", 3)).toStrictEqual([
      "B2 is missing",
      "B3 is missing",
      '"B4" is no number of this page',
      '"Bx" is no number of this page',
    ]);
  });

  test("a behavior that a test cites, but whose row names another file or none, is reported", () => {
    const elsewhere = '| B2 | p | held | `test/a.test.ts` › "the first of all" |';
    const problems = ["test/b.test.ts cites B2, but the row of B2 names no test in it"];
    expect(citationProblems(readRows(table(elsewhere)), madeUp)).toStrictEqual(problems);
    expect(citationProblems([], madeUp)).toStrictEqual(problems);
    const named = elsewhere
      .replace("held", "planned")
      .replace('test/a.test.ts` › "the first of all', 'test/b.test.ts` › "B2: the third');
    expect(citationProblems(readRows(table(named)), madeUp)).toStrictEqual([]);
  });

  test("a table without a status, and a table in a fence, have no rows", () => {
    expect(readRows("| a | b |\n|---|---|\n| B1 | held |")).toStrictEqual([]);
    expect(readRows(`\`\`\`\n${table("| B1 | p | held | x |")}\n\`\`\``)).toStrictEqual([]);
    expect(readRows("")).toStrictEqual([]);
  });

  test("titles are the first arguments of tests and the first columns of their tables, not comments or other texts", () => {
    const source = `
      // test("a comment")
      import "vitest";
      describe("a group", () => { expect("an expectation").toBe("x"); });
      test.fails('quotes " and \\' inside', () => {});
      test(\`no more than \${MAX} lines\`, () => {});
      describe.each(ROWS)("%s", () => {});
      const ROWS = [["a sentence", "a value"]] satisfies unknown[];
      test.each(["a word", "another"])("%s", (word) => { expect(word).not.toEqual(["a list"]); });
    `;
    expect(titlesOf({ "x.test.ts": source }, "x.test.ts").filter((title) => title !== "%s")).toStrictEqual([
      "a group",
      "quotes \" and ' inside",
      "no more than ",
      " lines",
      "a sentence",
      "a word",
      "another",
    ]);
    expect(() => titlesOf({ "x.test.ts": "test(" }, "x.test.ts")).toThrow("x.test.ts");
  });

  test("a table that a test imports from beside it is the test's, another test's is not", () => {
    const files = {
      "test/a/x.test.ts": 'import { rows } from "../rows.ts"; import "./y.test.ts"; test.each(rows)("own", () => {});',
      "test/a/y.test.ts": 'test("of another test", () => {});',
      "test/rows.ts": 'export const rows = [["from beside", 1]];',
      "test/rest.ts": 'export const rest = [["from nowhere", 1]];',
    };
    expect(titlesOf(files, "test/a/x.test.ts")).toStrictEqual(["own", "from beside"]);
    expect(titlesOf(files, "test/rows.ts")).toStrictEqual([]);
  });

  test("a link is relative, inline or defined, and outside of code", () => {
    const markdown = [
      '[a](b.md) ![c](d%20e.png "title") [f](g/h.md#part) [i](#here) [j](https://example.com) [k](mailto:x@y)',
      "`[no](code.md)` [l]: is prose",
      "```\n[no](fence.md)\n```",
      "[m]: n.md",
    ].join("\n");
    expect(relativeLinks(markdown)).toStrictEqual(["b.md", "d e.png", "g/h.md", "n.md"]);
  });
});

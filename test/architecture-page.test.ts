// Checks the import rules of the page, and that violations are detected.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findPageBreaches } from "./architecture/page-rules.ts";

const paths = globSync("ui/**/*.{ts,tsx}").map((path) => path.replaceAll("\\", "/"));

test("the page was looked at, and keeps the rules", () => {
  expect(paths).toContain("ui/main.tsx");
  const tree = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
  expect(findPageBreaches(tree)).toStrictEqual([]);
});

const bad: [sentence: string, path: string, text: string, breach: string][] = [
  ["a folder looks up", "ui/kit/a.tsx", 'import "../data/b.ts";', "kit must not know data"],
  ["a folder that nobody knows", "ui/stuff/a.ts", 'import "../kit/b.ts";', "a folder that the map does not know"],
  ["the page imports the source", "ui/data/a.ts", 'import "../../src/index.ts";', "src/index.ts, outside ui"],
  ["the page imports the server", "ui/data/a.ts", 'import "koine/server";', "imports koine/server"],
  ["the page imports Node", "ui/data/a.ts", 'import "node:fs";', "imports node:fs"],
  ["another package", "ui/app.tsx", 'import "lodash";', "imports lodash"],
  [
    "HTML out of text",
    "ui/app.tsx",
    "export const a = <p dangerouslySetInnerHTML={{ __html: b }} />;",
    "uses dangerouslySetInnerHTML",
  ],
  ["HTML by hand", "ui/kit/a.ts", "node.innerHTML = text;", "uses .innerHTML"],
];

test.each(bad)("%s", (_, path, text, breach) => {
  expect(findPageBreaches(new Map([[path, text]])).join("\n")).toContain(breach);
});

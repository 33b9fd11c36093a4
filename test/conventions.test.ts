// Rules for files that no linter checks: size, opening comment, and no paths of a developer's machine.

import { globSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";

const MAX_LINES = 400;
// Spelled so that this file does not contain what it looks for.
const MACHINE_PATHS = new RegExp(
  [..."home Users root".split(" ").map((name) => `/${name}/`), "[A-Za-z]:\\\\Users\\\\"]
    .map((it) => `(?<![\\w.])${it}\\w`)
    .join("|"),
);

const read = (path: string): string => readFileSync(path, "utf8");
const sources = [...globSync("src/**/*.ts"), ...globSync("ui/**/*.{ts,tsx}")];
const code = [...sources, ...globSync("test/**/*.ts")];

test("there are files to look at", () => {
  expect(sources.length).toBeGreaterThan(0);
});

test(`no file of src, ui or test has more than ${MAX_LINES} lines`, () => {
  expect(code.filter((path) => read(path).trimEnd().split("\n").length > MAX_LINES)).toStrictEqual([]);
});

test("every file of src and ui opens with a comment that says what it owns", () => {
  expect(sources.filter((path) => !/^(#!.*\n)?(\/\/ \S|\/\*\*?\s)/.test(read(path)))).toStrictEqual([]);
});

test("no file of the repository names a path of one machine", () => {
  const files = globSync(["**/*", ".*", ".*/**"], { exclude: ["**/node_modules", "dist", ".git"] }).filter(
    // Captured wire data may hold the paths of a conversation.
    (path) => statSync(path).isFile() && (!path.startsWith("test") || path.endsWith(".ts")),
  );
  expect(files).toContain("package.json");
  expect(files.filter((path) => MACHINE_PATHS.test(read(path)))).toStrictEqual([]);
});

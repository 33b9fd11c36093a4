// Every example asserts itself; here each one runs to its end.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDER = new URL("../examples/", import.meta.url);
const examples = readdirSync(FOLDER);

test("there are examples", () => {
  expect(examples.length).toBeGreaterThan(0);
});

test.each(examples)("%s holds what it asserts", (name) => {
  const main = new URL(`${name}/main.ts`, FOLDER).pathname;
  const printed = execFileSync(process.execPath, ["--conditions=koine-source", main], { encoding: "utf8" });
  expect(printed.length).toBeGreaterThan(0);
});

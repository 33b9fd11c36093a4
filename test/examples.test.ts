// Runs every example; the examples assert their own results.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDER = new URL("../examples/", import.meta.url);
const examples = readdirSync(FOLDER);

test("there are examples", () => {
  expect(examples.length).toBeGreaterThan(0);
});

test.each(examples)("the assertions of %s hold", (name) => {
  const main = new URL(`${name}/main.ts`, FOLDER).pathname;
  const output = execFileSync(process.execPath, ["--conditions=koine-source", main], { encoding: "utf8" });
  expect(output.length).toBeGreaterThan(0);
});

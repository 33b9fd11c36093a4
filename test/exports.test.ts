// The public names of every package entry, printed in test/exports.txt. A change of the public API changes that file, so that a
// review sees it. Update it with `npx vitest run test/exports.test.ts -u`.
import { expect, test } from "vitest";
import { exportedNames } from "../scripts/readability/entries.ts";

test("the exported names of each package entry are those of test/exports.txt", async () => {
  const lines = [...exportedNames(".")].flatMap(([entry, names]) => [
    `${entry.replace(/^\./, "koine")} (${names.length})`,
    ...names.map(({ name }) => `  ${name}`).sort(),
    "",
  ]);
  expect(lines.length).toBeGreaterThan(500);
  await expect(lines.join("\n")).toMatchFileSnapshot("exports.txt");
});

// Every dialect with recorded streams and every official SDK has its own test file, because files run in parallel.
import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { JUDGES } from "../judges/index.ts";
import { describeStreams } from "../support/corpus.ts";
import { scaleMinimum } from "../support/quick-run.ts";

function namesIn(pattern: string): string[] {
  return globSync(pattern, { cwd: import.meta.dirname }).map((path) =>
    path.replace(/^streams-(?:of|to)-|\.test\.ts$/g, ""),
  );
}

test("there is a file for every SDK that checks streams", () => {
  expect(namesIn("streams-to-*.test.ts").sort()).toStrictEqual(Object.keys(JUDGES).sort());
});

describeStreams((recorded) => {
  test("there is a file for every dialect with recorded streams", () => {
    expect(namesIn("streams-of-*.test.ts").sort()).toStrictEqual([...recorded.keys()].sort());
    expect([...recorded.values()].flat().length).toBeGreaterThan(scaleMinimum(300));
  });
});

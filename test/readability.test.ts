// The readability of the source, as numbers that must not grow: names, comments, folders and documentation. A failure lists the
// places; `node scripts/readability.ts --list <metric>` prints all of them.
import { describe, expect, test } from "vitest";
import { readExamples } from "../scripts/readability/examples.ts";
import { METRICS } from "../scripts/readability/metrics.ts";

/** The largest allowed value of each metric. Lower a limit when a change lowers the value. */
const LIMITS: Readonly<Record<string, number>> = {
  "homonym-types": 10,
  "homonym-exported-types": 7,
  "platform-types": 0,
  "model-types": 0,
  "speech-words": 70,
  "origin-words": 44,
  "british-identifiers": 0,
  "private-style": 2,
  "large-folders": 0,
  "large-dialect-folders": 0,
  "comment-openings": 0,
  "comment-openings-test": 0,
  "comment-pronouns": 0,
  "undocumented-names": 0,
  "duplicate-pairs": 80,
};

describe("the readability metric", () => {
  test.each(Object.entries(LIMITS))("%s is at most %i", (id, limit) => {
    const metric = METRICS.find((each) => each.id === id);
    const { value = Number.NaN, positions = [] } = metric?.measure(".") ?? {};
    const places = positions.slice(0, 20).map(({ file, line, name }) => `${file}:${line} ${name}`);
    expect(value, places.join("\n")).toBeLessThanOrEqual(limit);
  });
});

describe("the examples of a JSDoc comment", () => {
  test.each<[sentence: string, comment: string, examples: object[]]>([
    [
      "are the code after the tag",
      "*\n * Text.\n *\n * @example\n * ```ts\n * a;\n * ```\n ",
      [{ code: "a;\n", runs: true }],
    ],
    ["may only compile", "*\n * @example\n * ```ts compile\n * a;\n * ```\n ", [{ code: "a;\n", runs: false }]],
    [
      "keep the indentation of code",
      "*\n   * @example\n   * ```ts\n   * {\n   *   a;\n   * }\n   * ```\n   ",
      [{ code: "{\n  a;\n}\n", runs: true }],
    ],
    ["have the tag", "*\n * ```ts\n * a;\n * ```\n ", []],
    ["end at the next tag", "*\n * @example Text.\n *\n * @internal\n * ```ts\n * a;\n * ```\n ", []],
    ["are not an address", "* Sends to a@example.com. ", []],
  ])("%s", (_sentence, comment, examples) => {
    expect(readExamples(comment)).toStrictEqual(examples);
  });

  test("count for the name, also if they are those of a member", () => {
    const details = METRICS.find(({ id }) => id === "exported-names")?.measure(".").details ?? {};
    // The examples of `Client` are those of its methods.
    expect(details["% with an example in the root"]).toBeGreaterThanOrEqual(12);
    expect(details["% with an example"]).toBeGreaterThanOrEqual(6);
  });
});

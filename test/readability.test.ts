// The readability of the source, as numbers that must not grow: names, comments, folders and documentation. A failure lists the
// places; `node scripts/readability.ts --list <metric>` prints all of them.
import { describe, expect, test } from "vitest";
import { METRICS } from "../scripts/readability/metrics.ts";

/** The largest allowed value of each metric. Lower a limit when a change lowers the value. */
const LIMITS: Readonly<Record<string, number>> = {
  "homonym-types": 14,
  "homonym-exported-types": 9,
  "platform-types": 0,
  "model-types": 0,
  "speech-words": 100,
  "origin-words": 50,
  "british-identifiers": 0,
  "private-style": 2,
  "large-folders": 0,
  "large-dialect-folders": 0,
  "comment-openings": 5,
  "comment-openings-test": 80,
  "comment-pronouns": 5,
  "undocumented-names": 0,
};

describe("the readability metric", () => {
  test.each(Object.entries(LIMITS))("%s is at most %i", (id, limit) => {
    const metric = METRICS.find((each) => each.id === id);
    const { value = Number.NaN, positions = [] } = metric?.measure(".") ?? {};
    const places = positions.slice(0, 20).map(({ file, line, name }) => `${file}:${line} ${name}`);
    expect(value, places.join("\n")).toBeLessThanOrEqual(limit);
  });
});

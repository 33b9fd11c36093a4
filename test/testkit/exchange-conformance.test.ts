// The suites for requests, responses, errors and pairs can fail: a good dialect passes all of them, and each of many
// faults is noticed by the case that should.
import { expect, test } from "vitest";
import type { Dialect } from "../../src/index.ts";
import type { ConformanceCase } from "../../src/testkit/index.ts";
import { errorConformance, pairConformance, requestConformance, responseConformance } from "../../src/testkit/index.ts";
import { ERROR_FAULTS, PAIR_FAULTS } from "./broken-errors.ts";
import { LETTER_FAULTS } from "./broken-letters.ts";
import { VALUE_FAULTS } from "./broken-values.ts";
import { errorSamples, requestSamples, responseSamples, terseSamples } from "./letter-samples.ts";
import { letters } from "./letters.ts";
import { terse } from "./terse.ts";

function suite(tried: Dialect): ConformanceCase[] {
  return [
    ...requestConformance(tried, { samples: requestSamples(), mutants: 300 }),
    ...responseConformance(tried, { samples: responseSamples(), mutants: 300 }),
    ...errorConformance(tried, { samples: errorSamples(), mutants: 100 }),
    ...pairConformance(letters(), tried, { requests: requestSamples(), responses: responseSamples() }),
  ];
}

/** What a case claims: its title without the sample or value that it is about. */
function claimOf(title: string): string {
  const [, cargo = "", rest = ""] = /^(\S+ (?:→ \S+ )?\w+): (.*)$/.exec(title) ?? [];
  const claim = rest.replace(/^(?!B\d|what another|every kind)[^:]*(?:"[^"]*"[^:]*)*: /, "");
  return `${cargo}: ${claim}`;
}

test("a dialect without a fault passes every case", () => {
  const cases = suite(letters());
  for (const { run } of cases) run();
  expect(cases.length).toBeGreaterThan(400);
});

test("a dialect of another build passes every case, and so do the ways between the two", () => {
  const cases = [
    ...requestConformance(terse(), { samples: terseSamples() }),
    ...pairConformance(terse(), letters(), { requests: terseSamples() }),
    ...pairConformance(letters(), terse(), { requests: requestSamples() }),
  ];
  for (const { run } of cases) run();
  expect(cases.length).toBeGreaterThan(200);
});

const seen = new Set<string>();

test.each([...LETTER_FAULTS, ...VALUE_FAULTS, ...ERROR_FAULTS, ...PAIR_FAULTS])(
  "a dialect that %s is noticed",
  (_, noticed, fault) => {
    const good = letters();
    const failed = suite({ ...good, ...fault(good) }).filter(({ title, run }) => {
      if (!noticed.test(title)) return false;
      try {
        run();
        return false;
      } catch {
        return true;
      }
    });
    expect(failed.length).toBeGreaterThan(0);
    for (const { title } of failed) seen.add(claimOf(title));
  },
);

test("every claim is one that some fault breaks", () => {
  const claims = new Set(suite(letters()).map(({ title }) => claimOf(title)));
  expect([...claims].filter((claim) => !seen.has(claim))).toStrictEqual([]);
  expect(claims.size).toBeGreaterThan(40);
});

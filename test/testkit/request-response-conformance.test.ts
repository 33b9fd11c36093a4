// Tests the suites for requests, responses, errors and pairs: a correct dialect passes every case, and each of many
// faults fails the expected case.
import { expect, test } from "vitest";
import type { Dialect } from "../../src/index.ts";
import type { ConformanceCase } from "../../src/testkit/index.ts";
import { errorConformance, pairConformance, requestConformance, responseConformance } from "../../src/testkit/index.ts";
import { ERROR_FAULTS, PAIR_FAULTS } from "./broken-error-and-pair-dialects.ts";
import { SAMPLE_FAULTS } from "./broken-sample-dialects.ts";
import { VALUE_FAULTS } from "./broken-value-dialects.ts";
import { errorSamples, requestSamples, responseSamples, terseSamples } from "./example-samples.ts";
import { exampleDialect } from "./example-dialect.ts";
import { terseDialect } from "./terse-dialect.ts";

function suite(tried: Dialect): ConformanceCase[] {
  return [
    ...requestConformance(tried, { samples: requestSamples(), mutants: 300 }),
    ...responseConformance(tried, { samples: responseSamples(), mutants: 300 }),
    ...errorConformance(tried, { samples: errorSamples(), mutants: 100 }),
    ...pairConformance(exampleDialect(), tried, { requests: requestSamples(), responses: responseSamples() }),
  ];
}

/** Returns the claim of a case: its title without the name of the sample or value. */
function claimOf(title: string): string {
  const [, cargo = "", rest = ""] = /^(\S+ (?:→ \S+ )?\w+): (.*)$/.exec(title) ?? [];
  const claim = rest.replace(/^(?!B\d|every kind)[^:]*(?:"[^"]*"[^:]*)*: /, "");
  return `${cargo}: ${claim}`;
}

test("a dialect without a fault passes every case", () => {
  const cases = suite(exampleDialect());
  for (const { run } of cases) run();
  expect(cases.length).toBeGreaterThan(400);
});

test("a dialect of another build passes every case, also in a pair with this build", () => {
  const cases = [
    ...requestConformance(terseDialect(), { samples: terseSamples() }),
    ...pairConformance(terseDialect(), exampleDialect(), { requests: terseSamples() }),
    ...pairConformance(exampleDialect(), terseDialect(), { requests: requestSamples() }),
  ];
  for (const { run } of cases) run();
  expect(cases.length).toBeGreaterThan(200);
});

const seen = new Set<string>();

test.each([...SAMPLE_FAULTS, ...VALUE_FAULTS, ...ERROR_FAULTS, ...PAIR_FAULTS])(
  "the suites detect a dialect that %s",
  (_, noticed, fault) => {
    const good = exampleDialect();
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

test("every claim is violated by some fault", () => {
  const claims = new Set(suite(exampleDialect()).map(({ title }) => claimOf(title)));
  expect([...claims].filter((claim) => !seen.has(claim))).toStrictEqual([]);
  expect(claims.size).toBeGreaterThan(40);
});

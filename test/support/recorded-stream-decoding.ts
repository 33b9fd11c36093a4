// Tests of recorded streams with their own dialect: the stream checks of the testkit, with mutants.
import { describe, expect, test } from "vitest";
import { dialect } from "../../src/index.ts";
import { createStreamChecks } from "../../src/testkit/conformance/stream-conformance.ts";
import { describeStreams } from "./corpus.ts";
import type { CheckOutcome, ExpectedFailure } from "./expected-failures.ts";
import { expectOutcomes, listUnusedRows, runCheck } from "./expected-failures.ts";
import { createRepeatedFieldTest } from "./repeated-stream-fields.ts";
import { scaleRunCount } from "./property-run-count.ts";
import { isQuickRun, scaleMinimum } from "./quick-run.ts";

/** Number of events that are decoded for the mutants of one stream, so that a long stream has fewer mutants. */
const EVENT_BUDGET = scaleRunCount(1200);
const MAX_MUTANTS = scaleRunCount(45);

const CLAIMS = createStreamChecks({ mutants: 0 }).map(([claim]) => claim);

export function describeRecordedDecoding(id: string, exceptions: readonly ExpectedFailure[]): void {
  describeStreams((recorded) => {
    const seen: CheckOutcome[] = [];
    describe(`${id}: a recorded stream`, () => {
      const streams = recorded.get(id) ?? [];
      test("exists", () => {
        expect(streams.length).toBeGreaterThan(scaleMinimum(40));
      });
      test.each(CLAIMS)("%s", async (claim) => {
        const outcomes = streams.map((sample) => {
          const mutants = Math.min(MAX_MUTANTS, Math.max(3, Math.round(EVENT_BUDGET / sample.events.length)));
          const checks = new Map(createStreamChecks({ mutants, isRepeatedField: createRepeatedFieldTest(id) }));
          return runCheck(sample.name, claim, () => checks.get(claim)?.(dialect(id), sample, () => false));
        });
        const all = await Promise.all(outcomes);
        seen.push(...all);
        expectOutcomes(all, exceptions);
      });
      test.skipIf(isQuickRun)("matches every exception", () => {
        expect(listUnusedRows(seen, exceptions)).toStrictEqual([]);
      });
    });
  });
}

// Recorded streams through their own dialect: legal deltas, the same answer again, whatever cuts them and wherever they
// end, whatever field or event is new, gone or odd.
import { describe, expect, test } from "vitest";
import { dialect } from "../../src/index.ts";
import { streamChecks } from "../../src/testkit/stream-conformance.ts";
import { describeStreams } from "./corpus.ts";
import type { Outcome, StreamExceptionRow } from "./stream-exceptions.ts";
import { expectOutcomes, idleRows, outcome } from "./stream-exceptions.ts";
import { repeatsIn } from "./stream-repeats.ts";
import { tries } from "./tries.ts";

/** How many events are read for the mutants of one stream; a long one has few of them, hundreds of streams have many. */
const EVENTS_READ = tries(1200);
const MOST = tries(45);

const CLAIMS = streamChecks({ mutants: 0 }).map(([claim]) => claim);

export function describeSource(id: string, exceptions: readonly StreamExceptionRow[]): void {
  describeStreams((recorded) => {
    const seen: Outcome[] = [];
    describe(`${id}: a recorded stream`, () => {
      const streams = recorded.get(id) ?? [];
      test("is there", () => {
        expect(streams.length).toBeGreaterThan(40);
      });
      test.each(CLAIMS)("%s", async (claim) => {
        const outcomes = streams.map((sample) => {
          const mutants = Math.min(MOST, Math.max(3, Math.round(EVENTS_READ / sample.events.length)));
          const checks = new Map(streamChecks({ mutants, repeats: repeatsIn(id) }));
          return outcome(sample.name, claim, () => checks.get(claim)?.(dialect(id), sample, () => false));
        });
        const all = await Promise.all(outcomes);
        seen.push(...all);
        expectOutcomes(all, exceptions);
      });
      test("is what every exception is about", () => {
        expect(idleRows(seen, exceptions)).toStrictEqual([]);
      });
    });
  });
}

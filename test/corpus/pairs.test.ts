// Recorded payloads of each dialect in the words of every other: nothing is lost silently, and the way back is known.
import { describe, test } from "vitest";
import { dialect } from "../../src/index.ts";
import { REQUESTS, RESPONSES } from "../../src/testkit/exchange.ts";
import { PAIR_CHECKS } from "../../src/testkit/pair-conformance.ts";
import { checkAll, describeBodies } from "../support/corpus.ts";
import { RECORDED } from "./dialects.ts";

const PAIRS = RECORDED.flatMap((from) => RECORDED.flatMap((to) => (from === to ? [] : [[from, to] as const])));

describeBodies((samplesOf) => {
  describe.each(PAIRS)("a request of %s in %s", (from, to) => {
    test.each(PAIR_CHECKS)("%s", (_, check) => {
      checkAll(samplesOf(from, "requests"), (sample) => check(REQUESTS, dialect(from), dialect(to), sample));
    });
  });

  describe.each(PAIRS)("a response of %s in %s", (from, to) => {
    test.each(PAIR_CHECKS)("%s", (_, check) => {
      checkAll(samplesOf(from, "responses"), (sample) => check(RESPONSES, dialect(from), dialect(to), sample));
    });
  });
});

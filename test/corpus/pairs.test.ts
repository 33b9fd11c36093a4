// Recorded payloads of each dialect, translated to every other dialect and back: no data is lost silently.
import { describe, test } from "vitest";
import { dialect } from "../../src/index.ts";
import { REQUEST_CODEC, RESPONSE_CODEC } from "../../src/testkit/checks/payload-codec.ts";
import { PAIR_CHECKS } from "../../src/testkit/conformance/pair-conformance.ts";
import { checkAll, describeBodies } from "../support/corpus.ts";
import { RECORDED_DIALECTS } from "./dialects.ts";

const PAIRS = RECORDED_DIALECTS.flatMap((from) =>
  RECORDED_DIALECTS.flatMap((to) => (from === to ? [] : [[from, to] as const])),
);

describeBodies((samplesOf) => {
  describe.each(PAIRS)("a request of %s in %s", (from, to) => {
    test.each(PAIR_CHECKS)("%s", (_, check) => {
      checkAll(samplesOf(from, "requests"), (sample) => check(REQUEST_CODEC, dialect(from), dialect(to), sample));
    });
  });

  describe.each(PAIRS)("a response of %s in %s", (from, to) => {
    test.each(PAIR_CHECKS)("%s", (_, check) => {
      checkAll(samplesOf(from, "responses"), (sample) => check(RESPONSE_CODEC, dialect(from), dialect(to), sample));
    });
  });
});

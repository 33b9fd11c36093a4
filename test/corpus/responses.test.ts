// Recorded responses with their own dialect: round trips, edits, and mutants with new, missing or odd fields.
import { describe, test } from "vitest";
import { dialect } from "../../src/index.ts";
import { createSampleChecks } from "../../src/testkit/conformance/request-response-conformance.ts";
import { RESPONSE_CODEC } from "../../src/testkit/checks/payload-codec.ts";
import { checkAll, describeBodies } from "../support/corpus.ts";
import { MUTANTS, RECORDED_DIALECTS } from "./dialects.ts";

describeBodies((samplesOf) => {
  describe.each(RECORDED_DIALECTS)("%s: a recorded response", (id) => {
    const samples = samplesOf(id, "responses");
    test.each(createSampleChecks("responses", MUTANTS))("%s", (_, check) => {
      checkAll(samples, (sample) => check(RESPONSE_CODEC, dialect(id), sample));
    });
  });
});

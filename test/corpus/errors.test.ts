// Recorded error bodies: they decode to a kind of error, and are encoded to the same body and status.
import { describe, test } from "vitest";
import { dialect } from "../../src/index.ts";
import { ERROR_CHECKS } from "../../src/testkit/conformance/error-conformance.ts";
import { checkAll, describeBodies } from "../support/corpus.ts";
import { MUTANTS, RECORDED_ERRORS } from "./dialects.ts";

describeBodies((samplesOf) => {
  describe.each(RECORDED_ERRORS)("%s: a recorded error", (id) => {
    const samples = samplesOf(id, "errors");
    test.each(ERROR_CHECKS)("%s", (_, check) => {
      checkAll(samples, (sample) => check(dialect(id), sample, MUTANTS));
    });
  });
});

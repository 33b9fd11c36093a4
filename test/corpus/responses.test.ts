// Recorded responses through their own dialect: equal JSON, plain and after edits, whatever field is new, gone or odd.
import { describe, test } from "vitest";
import { dialect } from "../../src/index.ts";
import { sampleChecks } from "../../src/testkit/exchange-conformance.ts";
import { RESPONSES } from "../../src/testkit/exchange.ts";
import { checkAll, describeBodies } from "../support/corpus.ts";
import { MUTANTS, RECORDED } from "./dialects.ts";

describeBodies((samplesOf) => {
  describe.each(RECORDED)("%s: a recorded response", (id) => {
    const samples = samplesOf(id, "responses");
    test.each(sampleChecks("responses", MUTANTS))("%s", (_, check) => {
      checkAll(samples, (sample) => check(RESPONSES, dialect(id), sample));
    });
  });
});

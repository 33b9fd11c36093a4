// Recorded requests through their own dialect: equal JSON, plain and after edits, whatever field is new, gone or odd.
import { describe, test } from "vitest";
import { dialect } from "../../src/index.ts";
import { sampleChecks } from "../../src/testkit/exchange-conformance.ts";
import { REQUESTS } from "../../src/testkit/exchange.ts";
import { checkAll, describeBodies } from "../support/corpus.ts";
import { MUTANTS, RECORDED } from "./dialects.ts";

describeBodies((samplesOf) => {
  describe.each(RECORDED)("%s: a recorded request", (id) => {
    const samples = samplesOf(id, "requests");
    test.each(sampleChecks("requests", MUTANTS))("%s", (_, check) => {
      checkAll(samples, (sample) => check(REQUESTS, dialect(id), sample));
    });
  });
});

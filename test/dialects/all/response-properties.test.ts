// Properties of generated canonical responses, with hostile residue, in every provider's dialect.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialect } from "../../../src/dialects/registry.ts";
import { silentLosses } from "../../../src/testkit/oracle/silent-losses.ts";
import { response } from "../../support/arbitrary.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

describe.each(["openai-chat", "openai-responses", "anthropic", "gemini"])("%s", (id) => {
  const dialectUnderTest = dialect(id);

  test("B58: no data of a generated response is lost silently", () => {
    fc.assert(
      fc.property(response, (value) => {
        expect(silentLosses(value, (each) => dialectUnderTest.encodeResponse(each)).map(({ path }) => path)).toEqual(
          [],
        );
      }),
      { numRuns: scaleRunCount(60) },
    );
  });

  test("encoding is deterministic", () => {
    fc.assert(
      fc.property(response, (value) => {
        const { extra: _, ...plain } = value;
        const { wire } = dialectUnderTest.encodeResponse(plain);
        expectSameJson(dialectUnderTest.encodeResponse(dialectUnderTest.decodeResponse(wire)).wire, wire);
      }),
      { numRuns: scaleRunCount(100) },
    );
  });
});

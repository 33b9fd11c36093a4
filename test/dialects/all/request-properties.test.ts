// Properties of generated canonical requests in every provider's dialect.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import { dialect } from "../../../src/dialects/registry.ts";
import { stringifyJson } from "../../../src/model/json/index.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import { silentLosses } from "../../../src/testkit/oracle/silent-losses.ts";
import { request } from "../../support/arbitrary-request.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const PROVIDERS = { "openai-chat": "messages", "openai-responses": "input", anthropic: "messages", gemini: "contents" };

function decodeAgain(dialectUnderTest: Dialect, value: ModelRequest): ModelRequest {
  const { wire, address } = dialectUnderTest.encodeRequest(value);
  return dialectUnderTest.decodeRequest(wire, address === undefined ? {} : { address });
}

/** Returns the messages of the wire, each as text. */
function elements(dialectUnderTest: Dialect, value: ModelRequest, list: string): string[] {
  const { wire } = dialectUnderTest.encodeRequest(value);
  return (wire as Record<string, unknown[]>)[list]?.map((element) => stringifyJson(element)) ?? [];
}

describe.each(Object.entries(PROVIDERS))("%s", (id, list) => {
  const dialectUnderTest = dialect(id);

  test("B58: no data of a generated request is lost silently", () => {
    fc.assert(
      fc.property(request, (value) => {
        expect(silentLosses(value, (each) => dialectUnderTest.encodeRequest(each)).map(({ path }) => path)).toEqual([]);
      }),
      { numRuns: scaleRunCount(60) },
    );
  });

  test("encoding is deterministic", () => {
    fc.assert(
      fc.property(request, (value) => {
        const again = decodeAgain(dialectUnderTest, value);
        expectSameJson(dialectUnderTest.encodeRequest(again).wire, dialectUnderTest.encodeRequest(value).wire);
        expect(dialectUnderTest.encodeRequest(again).losses.filter(({ level }) => level === "breaks")).toEqual([]);
      }),
      { numRuns: scaleRunCount(200) },
    );
  });

  test("without tools to repair, a second round of decoding and encoding is stable", () => {
    fc.assert(
      fc.property(request, (value) => {
        const once = decodeAgain(dialectUnderTest, value);
        expectSameJson(decodeAgain(dialectUnderTest, once), once);
      }),
      { numRuns: scaleRunCount(200) },
    );
  });

  test("B44: a longer conversation starts with the same bytes", () => {
    fc.assert(
      fc.property(request, fc.nat(), (value, cut) => {
        const ends = value.messages.flatMap(({ role }, at) => (role === "user" ? [at + 1] : []));
        const shorter = { ...value, messages: value.messages.slice(0, ends[cut % ends.length]) };
        const [before, after] = [elements(dialectUnderTest, shorter, list), elements(dialectUnderTest, value, list)];
        // The last turn may still grow: a following message may join it.
        expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      }),
      { numRuns: scaleRunCount(200) },
    );
  });
});

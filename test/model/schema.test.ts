// The published JSON Schema accepts the same values as the validators: both come from one description.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validate, validateRequest, validateResponse } from "../../src/model/index.ts";
import { jsonSchema } from "../../src/model/validation/json-schema.ts";
import { canonicalMessages } from "../../src/testkit/index.ts";
import { walkJson, removeAt, replaceAt } from "../../src/testkit/json/json-nodes.ts";
import { response } from "../support/arbitrary.ts";
import { scaleRunCount } from "../support/property-run-count.ts";

const ajv = new Ajv2020({ strict: true, strictRequired: false });
const isMessage = ajv.compile(jsonSchema());
const isRequest = ajv.compile({ $ref: "urn:koine:schema:2#/$defs/Request" });
const isResponse = ajv.compile({ $ref: "urn:koine:schema:2#/$defs/Response" });

/** Rules that a schema cannot express: which part belongs to which role, and which fields belong together. */
const BEYOND_SCHEMA = new Set(["role-part", "empty-id", "duplicate-call", "duplicate-result", "orphan-result"]);
const isValid = (issues: { code: string }[]): boolean => issues.every(({ code }) => BEYOND_SCHEMA.has(code));

const ODD = [null, 0, -1, 1.5, "odd", true, [], {}, [{}], { type: "text" }];

describe("koine/schema.json", () => {
  test("is up to date", () => {
    expect(JSON.parse(readFileSync(new URL("../../schema.json", import.meta.url), "utf8"))).toEqual(jsonSchema());
  });

  test("accepts every canonical message", () => {
    for (const message of canonicalMessages()) {
      isMessage(message);
      expect(isMessage.errors ?? []).toEqual([]);
    }
  });

  test("agrees with `validate` on every message with any field missing, odd or new", () => {
    let refused = 0;
    // Every position in the long run, random ones in the everyday run.
    let at = Math.floor(Math.random() * 3);
    const step = scaleRunCount(3) === 3 ? 1 : 3;
    for (const message of canonicalMessages()) {
      for (const { keys } of walkJson(message)) {
        if (at++ % step !== 0) continue;
        const mutants = ODD.map((odd) => replaceAt(message, keys, odd));
        if (keys.length > 0) mutants.push(removeAt(message, keys));
        for (const mutant of mutants) {
          const accepted = isMessage(mutant);
          if (accepted !== isValid(validate(mutant)))
            expect({ mutant, validate: validate(mutant), schema: isMessage.errors }).toBe("the same verdict");
          if (!accepted) refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(scaleRunCount(2000));
  });

  test("agrees with `validateResponse` and `validateRequest` on generated ones", () => {
    fc.assert(
      fc.property(response, fc.nat(), fc.constantFrom(...ODD), (whole, pick, odd) => {
        const all = [...walkJson(whole)];
        const place = all[pick % all.length];
        const mutant = replaceAt(whole, place?.keys ?? [], odd);
        const request = { messages: [whole.message], sampling: { n: odd }, toolChoice: odd };
        expect(isResponse(whole)).toBe(true);
        expect(isResponse(mutant)).toBe(isValid(validateResponse(mutant)));
        expect(isRequest(request)).toBe(isValid(validateRequest(request)));
      }),
      { numRuns: scaleRunCount(300) },
    );
  });
});

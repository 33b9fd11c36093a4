// Schemas between JSON Schema and Gemini's subset over generated, hostile and recorded ones: what comes out is valid and
// bounded, says where it changed, means the same where it did not, and leads back exactly.
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  fitsGeminiSchema,
  fromGeminiSchema,
  readGeminiSchema,
  toGeminiSchema,
} from "../../src/dialects/gemini/schema.ts";
import { spellGeminiSchema } from "../../src/dialects/gemini/schema-exact.ts";
import { nearestSchema } from "../../src/dialects/gemini/schema-nearest.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { isObject } from "../../src/model/kind.ts";
import type { Loss } from "../../src/model/loss.ts";
import { silentLosses } from "../../src/testkit/oracle.ts";
import { describeCorpus } from "../support/corpus.ts";
import { faultsOf } from "./gemini-schema-checker.ts";

const name = fc.constantFrom("a", "b", "c/d", "__proto__", "toString");
const type = fc.constantFrom("string", "number", "integer", "boolean", "array", "object", "null");
const literal = fc.constantFrom<unknown>("x", "", "long text", 1, 2.5, -3, true, null, ["x"], { a: 1 });
const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<JsonObject> =>
  fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
const map = (value: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });

/** Keywords with values that they take, in any mixture. */
const plain = {
  type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
  title: fc.constant("a title of it"),
  enum: fc.uniqueArray(literal, {
    minLength: 1,
    maxLength: 3,
    comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
  }),
  const: literal,
  minimum: fc.integer({ min: -3, max: 3 }),
  exclusiveMinimum: fc.constantFrom(-1, 0.5, 2),
  exclusiveMaximum: fc.constantFrom(3, 4.5),
  minLength: fc.nat(3),
  maxItems: fc.nat(3),
  minProperties: fc.nat(2),
  pattern: fc.constantFrom("^x", "text$"),
  required: fc.uniqueArray(name, { maxLength: 2 }),
};
const foreign = {
  default: literal,
  format: fc.constantFrom("date-time", "uri", "int32", "float"),
  additionalProperties: fc.boolean(),
  multipleOf: fc.constantFrom(2, 0.5),
  uniqueItems: fc.boolean(),
  nullable: fc.boolean(),
  $comment: fc.constant("a comment on it"),
};

/** Schemas of some depth; `others` are keywords beside the plain ones. */
function schemas(others: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  const { node } = fc.letrec<{ node: JsonObject; inner: unknown }>((tie) => ({
    inner: fc.oneof(
      { maxDepth: 2, depthIdentifier: "schema" },
      fc.boolean(),
      record({ type: plain.type }),
      tie("node"),
    ),
    node: record({
      ...plain,
      ...others,
      items: tie("inner"),
      prefixItems: fc.array(tie("inner"), { minLength: 1, maxLength: 2 }),
      properties: map(tie("inner")),
      anyOf: fc.array(tie("inner"), { minLength: 1, maxLength: 3 }),
      oneOf: fc.array(tie("inner"), { minLength: 1, maxLength: 2 }),
      allOf: fc.array(tie("inner"), { minLength: 1, maxLength: 2 }),
    }),
  }));
  // Most schemas have few keywords: a mixture of all of them never means the same.
  return fc.oneof(node, sparse(node));
}

function sparse(schema: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.tuple(schema, fc.infiniteStream(fc.nat(3))).map(([whole, choice]) => thin(whole, choice) as JsonObject);
}

function thin(value: unknown, choice: fc.Stream<number>): unknown {
  if (Array.isArray(value)) return value.map((each) => thin(each, choice));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key === "type" || choice.next().value === 0);
  return Object.fromEntries(kept.map(([key, inner]) => [key, thin(inner, choice)]));
}

const ref = fc.constantFrom(
  "#",
  "#/$defs/a",
  "#/$defs/b",
  "#/$defs/c~1d",
  "#/properties/a",
  "#/nowhere",
  "other.json",
  "#%",
);
const withReferences = fc
  .tuple(schemas({ ...foreign, $ref: ref }), map(schemas({ ...foreign, $ref: ref })))
  .map(([schema, $defs]): JsonObject => ({ ...schema, $defs: $defs as JsonObject }));
const junk = fc.dictionary(
  fc.constantFrom(
    ...Object.keys(plain),
    ...Object.keys(foreign),
    "$ref",
    "items",
    "properties",
    "anyOf",
    "allOf",
    "__proto__",
  ),
  fc.jsonValue({ maxDepth: 3 }),
  { noNullPrototype: true },
) as fc.Arbitrary<JsonObject>;

/** JSON knows no -0. */
function plainJson(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}

/** Whether a pointer leads to something; `type` and `items` may be missing, and be reported for that. */
function isPlaceIn(schema: unknown, path: string): boolean {
  const keys = path
    .replace(/(\/items)?(\/type)?$/, "")
    .split("/")
    .slice(1);
  let value = schema;
  for (const key of keys.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as JsonObject)[key];
  }
  return true;
}

describe("B51: any JSON Schema", () => {
  test("becomes a valid schema of a bounded size, with changes at places of its own, and stays as it was", () => {
    fc.assert(
      fc.property(fc.oneof(withReferences, junk).map(plainJson), (schema) => {
        const before = JSON.stringify(schema);
        expect(spellGeminiSchema(nearestSchema(schema).schema)).toBeDefined();
        const converted = toGeminiSchema(schema);
        expect(faultsOf(converted.schema)).toStrictEqual([]);
        expect(JSON.stringify(converted.schema).length).toBeLessThan(500_000);
        expect(converted.changes.filter(({ path }) => !isPlaceIn(schema, path))).toStrictEqual([]);
        expect(new Set(converted.changes.map(({ path }) => path)).size).toBe(converted.changes.length);
        expect(fitsGeminiSchema(schema)).toBe(converted.changes.length === 0);
        expect(JSON.stringify(schema)).toBe(before);
        expect(toGeminiSchema(JSON.parse(before) as JsonObject)).toStrictEqual(converted);
      }),
      { numRuns: 3000 },
    );
  });

  test("means the same where nothing was dropped or approximated", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false });
    const values: unknown[] = [null, true, false, [], ["x"], [1, "x"], ["x", "x", "x", "x"]];
    values.push({}, { a: 1 }, { b: "x" }, { a: "x", b: null });
    values.push("", "x", "xx", "long text", "y", "1", 0, 1, 2, 2.5, -3, 0.5, 4, 3);
    let same = 0;
    fc.assert(
      fc.property(schemas({}), (schema) => {
        const { schema: converted, changes } = toGeminiSchema(schema);
        fc.pre(changes.every(({ what }) => what === "Said in another form."));
        if (changes.length > 0) same++;
        const [before, after] = [ajv.compile(schema), ajv.compile(readGeminiSchema(converted))];
        for (const value of values) expect([value, after(value)]).toStrictEqual([value, before(value)]);
      }),
      { numRuns: 1000 },
    );
    expect(same).toBeGreaterThan(50);
  });

  test("loses no value without a word", () => {
    fc.assert(
      fc.property(withReferences, (schema) => {
        const lost = silentLosses(schema, (each) => {
          const { schema: wire, changes } = toGeminiSchema(each);
          return {
            wire,
            losses: changes.map((change): Loss => ({ ...change, level: "loss", code: "x", message: change.what })),
          };
        });
        const text = JSON.stringify(schema);
        const isTwice = (value: unknown): boolean => text.split(JSON.stringify(value)).length > 2;
        // Types are spelled in another way, and what several schemas say alike is said once.
        const silent = lost.filter(({ path, value }) => !/\/type(\/\d+)?$/.test(path) && !isTwice(value));
        expect(silent.map(({ path }) => path)).toStrictEqual([]);
      }),
    );
  });
});

/** Schemas as Gemini spells them, and some that it would spell in another way. */
const { gemini } = fc.letrec<{ gemini: JsonObject }>((tie) => ({
  gemini: fc.oneof(
    { maxDepth: 3, depthIdentifier: "gemini" },
    geminiNode("STRING", {
      format: fc.constantFrom("enum", "date-time", "email"),
      enum: fc.array(fc.constantFrom("a", "b", ""), { maxLength: 2 }),
      minLength: fc.constantFrom("0", "12", 3),
    }),
    geminiNode("INTEGER", { minimum: fc.integer(), format: fc.constantFrom("int32", "odd") }),
    geminiNode("string", {}),
    geminiNode("NULL", {}),
    geminiNode("ARRAY", { items: tie("gemini"), maxItems: fc.constant("2") }),
    geminiNode("OBJECT", { properties: map(tie("gemini")), required: fc.uniqueArray(name, { maxLength: 1 }) }),
    record({ anyOf: fc.array(tie("gemini"), { minLength: 1, maxLength: 2 }) }),
  ),
}));

function geminiNode(spelled: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  const common = { nullable: fc.boolean(), description: fc.constant("d"), default: literal, odd: fc.constant(1) };
  const fieldsOf = record({ ...fields, ...common });
  // Few have all of them, and the type may stand anywhere.
  return fc.tuple(sparse(fieldsOf), fc.boolean()).map(([rest, isLast]) => {
    return isLast ? { ...rest, type: spelled } : { type: spelled, ...rest };
  });
}

test("B51: a Gemini Schema leads back to exactly itself, or is known not to", () => {
  const count = { exact: 0, not: 0 };
  fc.assert(
    fc.property(gemini, (schema) => {
      const read = fromGeminiSchema(schema);
      count[read === undefined ? "not" : "exact"]++;
      if (read === undefined) return;
      expect(JSON.stringify(toGeminiSchema(read))).toBe(JSON.stringify({ schema, changes: [] }));
    }),
    { numRuns: 2000 },
  );
  expect(Math.min(count.exact, count.not)).toBeGreaterThan(200);
});

// Property tests of converting schemas, with generated, hostile and recorded schemas: the result is valid and bounded,
// changes are reported, unchanged schemas keep their meaning, and conversions are reversible.
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  fitsGeminiSchema,
  fromGeminiSchema,
  toJsonSchema,
  toGeminiSchema,
} from "../../../src/dialects/gemini/schema/convert-schema.ts";
import { respellAsGeminiSchema } from "../../../src/dialects/gemini/schema/exact-schema.ts";
import { toNearestSchema } from "../../../src/dialects/gemini/schema/nearest-schema.ts";
import type { JsonObject } from "../../../src/model/json/index.ts";
import { isObject } from "../../../src/model/value-kind.ts";
import type { Loss } from "../../../src/model/loss.ts";
import { silentLosses } from "../../../src/testkit/oracle/silent-losses.ts";
import { describeCorpus } from "../../support/corpus.ts";
import { findSchemaFaults } from "./schema-checker.ts";
import { expectOutcomeCounts, scaleRunCount } from "../../support/property-run-count.ts";
import { scaleMinimum } from "../../support/quick-run.ts";

const name = fc.constantFrom("a", "b", "c/d", "__proto__", "toString");
const type = fc.constantFrom("string", "number", "integer", "boolean", "array", "object", "null");
const literal = fc.constantFrom<unknown>("x", "", "long text", 1, 2.5, -3, true, null, ["x"], { a: 1 });
const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<JsonObject> =>
  fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
const map = (value: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });

/** Keywords with valid values, in any combination. */
const plainKeywords = {
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
const unsupportedKeywords = {
  default: literal,
  format: fc.constantFrom("date-time", "uri", "int32", "float"),
  additionalProperties: fc.boolean(),
  multipleOf: fc.constantFrom(2, 0.5),
  uniqueItems: fc.boolean(),
  nullable: fc.boolean(),
  $comment: fc.constant("a comment on it"),
};

/** Generates nested schemas; `others` are keywords besides the plain ones. */
function generateSchemas(others: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  const { node } = fc.letrec<{ node: JsonObject; inner: unknown }>((tie) => ({
    inner: fc.oneof(
      { maxDepth: 2, depthIdentifier: "schema" },
      fc.boolean(),
      record({ type: plainKeywords.type }),
      tie("node"),
    ),
    node: record({
      ...plainKeywords,
      ...others,
      items: tie("inner"),
      prefixItems: fc.array(tie("inner"), { minLength: 1, maxLength: 2 }),
      properties: map(tie("inner")),
      anyOf: fc.array(tie("inner"), { minLength: 1, maxLength: 3 }),
      oneOf: fc.array(tie("inner"), { minLength: 1, maxLength: 2 }),
      allOf: fc.array(tie("inner"), { minLength: 1, maxLength: 2 }),
    }),
  }));
  // Most schemas get few keywords, because one with all of them always changes its meaning.
  return fc.oneof(node, withFewKeywords(node));
}

function withFewKeywords(schema: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(schema, fc.infiniteStream(fc.nat(3)))
    .map(([whole, choice]) => removeKeywords(whole, choice) as JsonObject);
}

function removeKeywords(value: unknown, choice: fc.Stream<number>): unknown {
  if (Array.isArray(value)) return value.map((each) => removeKeywords(each, choice));
  if (!isObject(value)) return value;
  const remaining = Object.entries(value).filter(([key]) => key === "type" || choice.next().value === 0);
  return Object.fromEntries(remaining.map(([key, inner]) => [key, removeKeywords(inner, choice)]));
}

/** Generates schemas that mostly convert without a loss. */
const { kind } = fc.letrec<{ kind: JsonObject }>((tie) => {
  const text = record({
    type: fc.constantFrom<unknown>("string", ["string", "null"], ["string"]),
    minLength: plainKeywords.minLength,
  });
  const number = record({
    type: fc.constantFrom<unknown>("integer", "number"),
    minimum: plainKeywords.minimum,
    exclusiveMaximum: fc.constant(3),
  });
  const listed = record({
    enum: fc.constantFrom(["x"], ["x", null], ["xx", "x"], [null]),
    type: fc.constantFrom("string", "null"),
  });
  const several = record({
    type: fc.constant(["string", "integer", "null"]),
    minLength: plainKeywords.minLength,
    minimum: plainKeywords.minimum,
  });
  const branches = fc.array(tie("kind"), { minLength: 1, maxLength: 2 });
  return {
    kind: fc.oneof(
      { maxDepth: 3, depthIdentifier: "kind" },
      fc.oneof(text, number, listed, several, record({ const: fc.constantFrom("x", null) })),
      record({ type: fc.constant("array"), items: tie("kind"), maxItems: plainKeywords.maxItems }),
      record({ type: fc.constant("object"), properties: map(tie("kind")), minProperties: plainKeywords.minProperties }),
      fc.tuple(branches, fc.boolean()).map(([all, orNull]) => ({ anyOf: orNull ? [...all, { type: "null" }] : all })),
      fc.tuple(tie("kind"), text).map(([schema, beside]) => ({ ...beside, allOf: [schema] })),
      fc.tuple(text, branches).map(([schema, anyOf]) => ({ ...schema, anyOf: [...anyOf, { type: "null" }] })),
    ),
  };
});

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
  .tuple(
    generateSchemas({ ...unsupportedKeywords, $ref: ref }),
    map(generateSchemas({ ...unsupportedKeywords, $ref: ref })),
  )
  .map(([schema, $defs]): JsonObject => ({ ...schema, $defs: $defs as JsonObject }));
const malformedSchema = fc.dictionary(
  fc.constantFrom(
    ...Object.keys(plainKeywords),
    ...Object.keys(unsupportedKeywords),
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

/** JSON has no -0. */
function withoutNegativeZero(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}

/** True if a pointer leads to a value; `type` and `items` may be missing, because their absence is reported. */
function hasPath(schema: unknown, path: string): boolean {
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

/**
 * Returns the maximum size of a converted schema: the budget, what it does not count, and a last schema with four
 * types.
 */
function maxConvertedSize(schema: JsonObject): number {
  return 200_000 + 4 * JSON.stringify(schema).length;
}

describe("B51: a generated JSON Schema", () => {
  test("becomes a valid schema of bounded size, reports changes at existing paths, and is not mutated", () => {
    fc.assert(
      fc.property(fc.oneof(withReferences, malformedSchema).map(withoutNegativeZero), (schema) => {
        const before = JSON.stringify(schema);
        expect(respellAsGeminiSchema(toNearestSchema(schema).schema)).toBeDefined();
        const converted = toGeminiSchema(schema);
        expect(findSchemaFaults(converted.schema)).toStrictEqual([]);
        expect(JSON.stringify(converted.schema).length).toBeLessThan(maxConvertedSize(schema));
        expect(converted.changes.filter(({ path }) => !hasPath(schema, path))).toStrictEqual([]);
        expect(new Set(converted.changes.map(({ path }) => path)).size).toBe(converted.changes.length);
        expect(fitsGeminiSchema(schema)).toBe(converted.changes.length === 0);
        expect(JSON.stringify(schema)).toBe(before);
        expect(toGeminiSchema(JSON.parse(before) as JsonObject)).toStrictEqual(converted);
      }),
      { numRuns: scaleRunCount(500) },
    );
  });

  test("accepts the same values if nothing was dropped or approximated", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false });
    const values: unknown[] = [
      null,
      true,
      [],
      ["x"],
      [1, "x"],
      ["x", "x", "x", "x"],
      {},
      { a: 1 },
      { a: "x", b: null },
    ];
    values.push("", "x", "xx", "long text", "y", "1", 0, 1, 2, 2.5, -3, 0.5, 4, 3);
    const count = { exact: 0, other: 0 };
    fc.assert(
      fc.property(kind, (schema) => {
        const { schema: converted, changes } = toGeminiSchema(schema);
        if (!changes.every(({ detail }) => detail === "Written in an equivalent form.")) return;
        count[changes.length === 0 ? "exact" : "other"]++;
        const [before, after] = [ajv.compile(schema), ajv.compile(toJsonSchema(converted))];
        for (const value of values) expect([value, after(value)]).toStrictEqual([value, before(value)]);
      }),
      { numRuns: scaleRunCount(2000) },
    );
    // 11 % of the schemas are exact; the minimum is five standard deviations below.
    expectOutcomeCounts(count, 60);
  });

  test("loses no accepted value without a reported change", () => {
    fc.assert(
      fc.property(withReferences, (schema) => {
        const lost = silentLosses(schema, (each) => {
          const { schema: wire, changes } = toGeminiSchema(each);
          return {
            wire,
            losses: changes.map((change): Loss => ({ ...change, level: "loss", code: "x", message: change.detail })),
          };
        });
        const text = JSON.stringify(schema);
        const isTwice = (value: unknown): boolean => text.split(JSON.stringify(value)).length > 2;
        // Types are spelled differently, and equal keywords of several schemas are merged.
        const silent = lost.filter(({ path, value }) => !/\/type(\/\d+)?$/.test(path) && !isTwice(value));
        expect(silent.map(({ path }) => path)).toStrictEqual([]);
      }),
    );
  });
});

/** Generates schemas in Gemini's spelling, and some in other spellings. */
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

function geminiNode(typeName: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  const common = { nullable: fc.boolean(), description: fc.constant("d"), default: literal, odd: fc.constant(1) };
  const fieldsOf = record({ ...fields, ...common });
  // Few schemas have all keywords, and `type` may be last.
  return fc.tuple(withFewKeywords(fieldsOf), fc.boolean()).map(([rest, isLast]) => {
    return isLast ? { ...rest, type: typeName } : { type: typeName, ...rest };
  });
}

test("B51: a Gemini Schema converts back exactly, or is reported as changed", () => {
  const count = { exact: 0, not: 0 };
  fc.assert(
    fc.property(gemini, (schema) => {
      const read = fromGeminiSchema(schema);
      count[read === undefined ? "not" : "exact"]++;
      if (read === undefined) return;
      expect(JSON.stringify(toGeminiSchema(read))).toBe(JSON.stringify({ schema, changes: [] }));
    }),
    { numRuns: scaleRunCount(2000) },
  );
  expectOutcomeCounts(count, 200);
});

describe("B51: hostile schemas", () => {
  const numbered = <T>(count: number, make: (index: number) => T): [string, T][] =>
    Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]);
  const to = (index: number): JsonObject => ({ $ref: `#/$defs/p${index}` });
  const mesh = numbered(30, () => ({ type: "object", properties: Object.fromEntries(numbered(30, to)) }));
  const doubled = numbered(60, (index) => ({ allOf: [to(index + 1), to(index + 1)] }));
  const choices = Array.from({ length: 30 }, (_, index) => ({ anyOf: [{ minLength: index }, { maxLength: 99 }, {}] }));
  const nest = (levels: number, inner: JsonObject): JsonObject =>
    levels === 0 ? inner : nest(levels - 1, { type: "array", items: inner });
  const rows: [title: string, schema: JsonObject][] = [
    ["definitions that all refer to each other", { ...to(0), $defs: Object.fromEntries(mesh) }],
    ["definitions that double in size at each level", { ...to(0), $defs: Object.fromEntries(doubled) }],
    ["a product of unions", { type: "string", description: "d".repeat(500), allOf: choices }],
    [
      "a long text, referred to often",
      {
        type: "object",
        properties: Object.fromEntries(numbered(5000, () => to(0))),
        $defs: { p0: { title: "t".repeat(90_000) } },
      },
    ],
    [
      "a large default, referred to often",
      {
        type: "object",
        properties: Object.fromEntries(numbered(2000, () => to(0))),
        $defs: { p0: { default: Array.from({ length: 9000 }, () => "x") } },
      },
    ],
    ["very many parts", { allOf: Array.from({ length: 200_000 }, () => ({ type: "string" })) }],
    ["very many branches", { description: "d", anyOf: Array.from({ length: 200_000 }, () => ({ type: "string" })) }],
    ["many levels that Gemini supports", nest(900, { type: "string" })],
    ["many levels with an unsupported keyword", nest(900, { type: "string", not: {} })],
    ["more levels than the JSON depth limit", nest(3000, { type: "string" })],
  ];
  test.each(rows)("%s", (_, schema) => {
    const { schema: converted } = toGeminiSchema(schema);
    expect(findSchemaFaults(converted)).toStrictEqual([]);
    expect(JSON.stringify(converted).length).toBeLessThan(maxConvertedSize(schema));
  });

  test("a cyclic schema object is cut off", () => {
    const schema: Record<string, unknown> = { type: "object" };
    schema["properties"] = { a: schema, b: schema };
    const { schema: converted, changes } = toGeminiSchema(schema);
    expect(findSchemaFaults(converted)).toStrictEqual([]);
    expect(changes.length).toBeGreaterThan(0);
  });
});

describeCorpus("{openai-chat,openai-responses,anthropic,gemini}/requests/*.json", (recordings) => {
  const recorded = recordings.flatMap(({ texts }) => [...schemasIn(JSON.parse(texts[0] ?? "") as unknown)]);

  test("B51: recorded JSON Schemas become valid Gemini Schemas", () => {
    expect(recorded.length).toBeGreaterThan(scaleMinimum(50));
    for (const [, schema] of recorded)
      expect(findSchemaFaults(toGeminiSchema(toJsonSchema(schema)).schema)).toStrictEqual([]);
  });

  test("B51: recorded Gemini Schemas convert back exactly, except for counts written as numbers", () => {
    const own = recorded.filter(([, schema]) => schema["type"] === "OBJECT");
    const lost = own.filter(([, schema]) => fromGeminiSchema(schema) === undefined);
    expect(own.length).toBeGreaterThan(scaleMinimum(10));
    expect(lost.filter(([, schema]) => !/"m..(Items|Length)":\d/.test(JSON.stringify(schema)))).toStrictEqual([]);
  });
});

/** Yields the schemas in a request, each with the name of its field. */
function* schemasIn(value: unknown): Generator<[field: string, schema: JsonObject]> {
  if (typeof value !== "object" || value === null) return;
  for (const [field, inner] of Object.entries(value)) {
    const isSchema = /^(parameters|input_schema|schema|responseSchema|(parameters|response)JsonSchema)$/.test(field);
    if (isSchema && isObject(inner) && inner["type"] !== undefined) yield [field, inner];
    else yield* schemasIn(inner);
  }
}

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
import { tries } from "../support/tries.ts";

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

/** Schemas that are kind to Gemini: most can be said without a loss. */
const { kind } = fc.letrec<{ kind: JsonObject }>((tie) => {
  const text = record({
    type: fc.constantFrom<unknown>("string", ["string", "null"], ["string"]),
    minLength: plain.minLength,
  });
  const number = record({
    type: fc.constantFrom<unknown>("integer", "number"),
    minimum: plain.minimum,
    exclusiveMaximum: fc.constant(3),
  });
  const listed = record({
    enum: fc.constantFrom(["x"], ["x", null], ["xx", "x"], [null]),
    type: fc.constantFrom("string", "null"),
  });
  const several = record({
    type: fc.constant(["string", "integer", "null"]),
    minLength: plain.minLength,
    minimum: plain.minimum,
  });
  const branches = fc.array(tie("kind"), { minLength: 1, maxLength: 2 });
  return {
    kind: fc.oneof(
      { maxDepth: 3, depthIdentifier: "kind" },
      fc.oneof(text, number, listed, several, record({ const: fc.constantFrom("x", null) })),
      record({ type: fc.constant("array"), items: tie("kind"), maxItems: plain.maxItems }),
      record({ type: fc.constant("object"), properties: map(tie("kind")), minProperties: plain.minProperties }),
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

/** What comes out at most: the budget with what it does not count, and a last schema that says one thing for four types. */
function largest(schema: JsonObject): number {
  return 200_000 + 4 * JSON.stringify(schema).length;
}

describe("B51: any JSON Schema", () => {
  test("becomes a valid schema of a bounded size, with changes at places of its own, and stays as it was", () => {
    fc.assert(
      fc.property(fc.oneof(withReferences, junk).map(plainJson), (schema) => {
        const before = JSON.stringify(schema);
        expect(spellGeminiSchema(nearestSchema(schema).schema)).toBeDefined();
        const converted = toGeminiSchema(schema);
        expect(faultsOf(converted.schema)).toStrictEqual([]);
        expect(JSON.stringify(converted.schema).length).toBeLessThan(largest(schema));
        expect(converted.changes.filter(({ path }) => !isPlaceIn(schema, path))).toStrictEqual([]);
        expect(new Set(converted.changes.map(({ path }) => path)).size).toBe(converted.changes.length);
        expect(fitsGeminiSchema(schema)).toBe(converted.changes.length === 0);
        expect(JSON.stringify(schema)).toBe(before);
        expect(toGeminiSchema(JSON.parse(before) as JsonObject)).toStrictEqual(converted);
      }),
      { numRuns: tries(500) },
    );
  });

  test("means the same where nothing was dropped or approximated", () => {
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
        if (!changes.every(({ what }) => what === "Said in another form.")) return;
        count[changes.length === 0 ? "exact" : "other"]++;
        const [before, after] = [ajv.compile(schema), ajv.compile(readGeminiSchema(converted))];
        for (const value of values) expect([value, after(value)]).toStrictEqual([value, before(value)]);
      }),
      { numRuns: tries(2000) },
    );
    expect(Math.min(count.exact, count.other)).toBeGreaterThan(tries(100));
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
    { numRuns: tries(2000) },
  );
  expect(Math.min(count.exact, count.not)).toBeGreaterThan(tries(200));
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
    ["definitions that double and double", { ...to(0), $defs: Object.fromEntries(doubled) }],
    ["a product of choices", { type: "string", description: "d".repeat(500), allOf: choices }],
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
    ["many levels that can be said", nest(900, { type: "string" })],
    ["many levels that cannot", nest(900, { type: "string", not: {} })],
    ["more levels than any JSON that is read", nest(3000, { type: "string" })],
  ];
  test.each(rows)("%s", (_, schema) => {
    const { schema: converted } = toGeminiSchema(schema);
    expect(faultsOf(converted)).toStrictEqual([]);
    expect(JSON.stringify(converted).length).toBeLessThan(largest(schema));
  });

  test("a schema that contains itself is cut", () => {
    const schema: Record<string, unknown> = { type: "object" };
    schema["properties"] = { a: schema, b: schema };
    const { schema: converted, changes } = toGeminiSchema(schema);
    expect(faultsOf(converted)).toStrictEqual([]);
    expect(changes.length).toBeGreaterThan(0);
  });
});

describeCorpus("{openai-chat,openai-responses,anthropic,gemini}/requests/*.json", (recordings) => {
  const found = recordings.flatMap(({ texts }) => [...schemasIn(JSON.parse(texts[0] ?? "") as unknown)]);

  test("B51: recorded JSON Schemas become valid ones", () => {
    expect(found.length).toBeGreaterThan(50);
    for (const [, schema] of found) expect(faultsOf(toGeminiSchema(readGeminiSchema(schema)).schema)).toStrictEqual([]);
  });

  test("B51: recorded Gemini Schemas lead back to themselves, but for counts that are spelled as numbers", () => {
    const own = found.filter(([, schema]) => schema["type"] === "OBJECT");
    const lost = own.filter(([, schema]) => fromGeminiSchema(schema) === undefined);
    expect(own.length).toBeGreaterThan(10);
    expect(lost.filter(([, schema]) => !/"m..(Items|Length)":\d/.test(JSON.stringify(schema)))).toStrictEqual([]);
  });
});

/** The schemas in a request, each with the name of its field. */
function* schemasIn(value: unknown): Generator<[field: string, schema: JsonObject]> {
  if (typeof value !== "object" || value === null) return;
  for (const [field, inner] of Object.entries(value)) {
    const isSchema = /^(parameters|input_schema|schema|responseSchema|(parameters|response)JsonSchema)$/.test(field);
    if (isSchema && isObject(inner) && inner["type"] !== undefined) yield [field, inner];
    else yield* schemasIn(inner);
  }
}

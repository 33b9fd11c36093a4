// Schemas that strict mode accepts: the documented rules one by one, OpenAI's own client as an oracle, and every strict
// schema that the API was seen to accept.
import { toStrictJsonSchema } from "openai/lib/transform";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findStrictFaults } from "../../../src/dialects/kit/schemas/strict-schema.ts";
import type { SchemaObject } from "../../../src/model/request.ts";
import { isObject } from "../../../src/model/value-kind.ts";
import { describeCorpus } from "../../support/corpus.ts";
import { expectOutcomeCounts, scaleRunCount } from "../../support/property-run-count.ts";
import { scaleMinimum } from "../../support/quick-run.ts";

const text = { type: "string" };

/** Returns a closed object schema in which every property is required. */
function closed(properties: Record<string, unknown>, fields: object = {}): Record<string, unknown> {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...fields };
}

const many = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, text]));

function nested(levels: number): Record<string, unknown> {
  return levels === 0 ? closed({ leaf: text }) : closed({ inner: nested(levels - 1) });
}

describe("B53: a schema that strict mode accepts has no faults", () => {
  const rows: [title: string, schema: SchemaObject | undefined][] = [
    ["no schema", undefined],
    ["an empty object", closed({})],
    ["an object without properties", { type: "object", additionalProperties: false }],
    ["an empty object without `required`", { type: "object", properties: {}, additionalProperties: false }],
    ["a list with one type", { ...closed({ a: text }), type: ["object"] }],
    ["a property that may be null", closed({ a: { type: ["string", "null"] } })],
    ["an enum and a constant without a type", closed({ a: { enum: ["x", 1, null] }, b: { const: "y" } })],
    [
      "a pattern, lengths and a known format",
      closed({ a: { type: "string", pattern: "^a", minLength: 1, format: "uuid" } }),
    ],
    ["bounds of numbers", closed({ a: { type: "number", minimum: 0, exclusiveMaximum: 9, multipleOf: 0.5 } })],
    ["bounds of lists", closed({ a: { type: "array", items: text, minItems: 1, maxItems: 3 } })],
    ["a format that is not of a string", closed({ a: { type: "integer", format: "int64" } })],
    [
      "annotations",
      { ...closed({ a: { type: "string", default: "x", title: "A", examples: ["x"] } }), $schema: "s", $id: "i" },
    ],
    ["an unknown keyword", closed({ a: { type: "string", "x-order": 1 } })],
    ["a choice below the root", closed({ a: { anyOf: [text, closed({ b: text })] } })],
    [
      "definitions and references to them",
      closed({ a: { $ref: "#/$defs/a", description: "d" } }, { $defs: { a: text } }),
    ],
    ["recursion", closed({ next: { anyOf: [{ $ref: "#" }, { type: "null" }] } })],
    ["properties with the names of keywords", closed({ allOf: text, not: text })],
    [
      "a property called __proto__",
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"],"additionalProperties":false}',
      ) as SchemaObject,
    ],
    ["the maximum number of properties", closed(many(5000))],
    ["the maximum depth", nested(10)],
    ["the maximum number of enum values", closed({ a: { enum: Array.from({ length: 1000 }, (_, index) => index) } })],
    ["an undefined keyword", { ...closed({ a: text }), allOf: undefined, anyOf: undefined }],
  ];
  test.each(rows)("%s", (_, schema) => {
    expect(findStrictFaults(schema)).toStrictEqual([]);
  });
});

describe("B53: a schema that strict mode rejects has a fault with its path", () => {
  const rows: [title: string, path: string, schema: SchemaObject][] = [
    ["an empty schema", "", {}],
    ["a root that is not an object", "", { type: "array", items: text }],
    ["a root that may be null", "", { ...closed({}), type: ["object", "null"] }],
    ["a root that is a choice", "", { ...closed({}), anyOf: [closed({})] }],
    ["a root that is a reference", "", { $ref: "#/$defs/a", $defs: { a: closed({}) } }],
    ["an open object", "", { type: "object", properties: { a: text }, required: ["a"] }],
    ["an object open on purpose", "", closed({}, { additionalProperties: true })],
    ["a map", "/properties/a", closed({ a: { type: "object", additionalProperties: text } })],
    [
      "an open object within a list",
      "/properties/a/items",
      closed({ a: { type: "array", items: { type: "object" } } }),
    ],
    ["an open object within a choice", "/properties/a/anyOf/1", closed({ a: { anyOf: [text, { type: "object" }] } })],
    ["an open object within a definition", "/$defs/a~1b", closed({}, { $defs: { "a/b": { type: "object" } } })],
    ["an open object that may be null", "/properties/a", closed({ a: { type: ["object", "null"] } })],
    ["a property that is not required", "/properties/b", closed({ a: text, b: text }, { required: ["a"] })],
    ["no `required` beside properties", "/properties/a", closed({ a: text }, { required: undefined })],
    ["a required name that is not a property", "/required", closed({ a: text }, { required: ["a", "b"] })],
    ["a property without a type", "/properties/a", closed({ a: { description: "anything" } })],
    ["a property that is true", "/properties/a", closed({ a: true })],
    ["a list without items", "/properties/a", closed({ a: { type: "array" } })],
    ["a tuple in the old form", "/properties/a/items", closed({ a: { type: "array", items: [text] } })],
    [
      "a tuple in the new form",
      "/properties/a/prefixItems",
      closed({ a: { type: "array", items: text, prefixItems: [text] } }),
    ],
    ["an unknown format of a string", "/properties/a/format", closed({ a: { type: "string", format: "uri" } })],
    ["a reference out of the schema", "/properties/a/$ref", closed({ a: { $ref: "https://example.com/a" } })],
    ["too many properties", "", closed(many(5001))],
    ["an object beyond the maximum depth", "/properties/inner".repeat(11), nested(11)],
    ["too many enum values", "", closed({ a: { enum: Array.from({ length: 1001 }, (_, index) => index) } })],
    ["too many characters in names", "", closed({ ["n".repeat(120_001)]: text })],
    ...[
      "allOf oneOf not if then else dependentRequired dependentSchemas dependencies patternProperties propertyNames",
      "minProperties maxProperties unevaluatedProperties unevaluatedItems contains minContains maxContains uniqueItems",
      "additionalItems",
    ]
      .join(" ")
      .split(" ")
      .map((key): [string, string, SchemaObject] => [
        key,
        `/properties/a/${key}`,
        closed({ a: { ...text, [key]: {} } }),
      ]),
  ];
  test.each(rows)("%s", (_, path, schema) => {
    expect(findStrictFaults(schema).map((fault) => fault.path)).toContain(path);
  });
});

describe("B53: hostile schemas", () => {
  test("a recursive schema is inspected once", () => {
    const schema: Record<string, unknown> = closed({});
    schema["properties"] = { a: schema, b: schema };
    schema["required"] = ["a", "b"];
    expect(findStrictFaults(schema)).toStrictEqual([]);
  });

  test("many levels and many siblings", () => {
    let deep: unknown = text;
    for (let level = 0; level < 50_000; level++) deep = { type: "array", items: deep };
    expect(findStrictFaults(closed({ deep }))).toStrictEqual([]);
    expect(findStrictFaults({ anyOf: Array.from({ length: 200_000 }, () => true) })).toHaveLength(200_001);
  });

  const junk = fc.jsonValue({ maxDepth: 2 });
  const keyword = fc.constantFrom(
    "type",
    "properties",
    "required",
    "items",
    "anyOf",
    "$ref",
    "enum",
    "format",
    "$defs",
    "toString",
  );
  test("any value is inspected without an error", () => {
    fc.assert(
      fc.property(fc.dictionary(keyword, fc.oneof(junk, fc.dictionary(keyword, junk))), (schema) => {
        for (const { path } of findStrictFaults(schema)) expect(path).toMatch(/^(\/.*)?$/s);
      }),
    );
  });
});

const { node } = fc.letrec<{ node: Record<string, unknown> }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema" },
    fc.record({ type: fc.constantFrom<unknown>("string", "integer", ["string", "null"], "null") }),
    fc.record({ type: fc.constant("array"), items: tie("node") }, { requiredKeys: ["type"] }),
    fc.record({ anyOf: fc.array(tie("node"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ type: fc.constant("string"), uniqueItems: fc.constant(true) }),
    fc.constant({ $ref: "#" }),
    object(tie("node")),
  ),
}));

/** Object schemas that mostly follow all rules. */
function object(inner: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .tuple(
      fc.dictionary(fc.constantFrom("a", "b", "__proto__"), inner, { noNullPrototype: true }),
      fc.nat(9),
      fc.nat(9),
    )
    .map(([properties, open, less]) => ({
      ...closed(properties),
      ...(open === 0 ? { additionalProperties: true } : {}),
      ...(less === 0 ? { required: Object.keys(properties).slice(1) } : {}),
    }));
}

/** True if OpenAI's client leaves the schema unchanged: it makes other schemas strict, or rejects them. */
function isStrictForClient(schema: Record<string, unknown>): boolean {
  try {
    return JSON.stringify(toStrictJsonSchema(structuredClone(schema))) === JSON.stringify(schema);
  } catch {
    return false;
  }
}

test("B53: OpenAI's own client agrees", () => {
  const verdicts = { strict: 0, refused: 0 };
  fc.assert(
    fc.property(object(node), (schema) => {
      const isStrict = findStrictFaults(schema).length === 0;
      verdicts[isStrict ? "strict" : "refused"]++;
      expect(isStrictForClient(schema)).toBe(isStrict);
    }),
    { numRuns: scaleRunCount(2000) },
  );
  expectOutcomeCounts(verdicts, 300);
});

describeCorpus("manifest.json", ([manifest]) => {
  const rows = JSON.parse(manifest?.texts[0] ?? "[]") as { path: string; rejected?: boolean }[];
  const refused = new Set(rows.filter((row) => row.rejected === true).map((row) => row.path));

  describeCorpus("openai-{chat,responses}/{requests,responses}/*.json", (recordings) => {
    test("B53: every strict schema that the API accepted has no faults", () => {
      const accepted = recordings.filter(({ path }) => !refused.has(path));
      const schemas = accepted.flatMap(({ texts }) => strictSchemas(JSON.parse(texts[0] ?? "")));
      expect(schemas.length).toBeGreaterThan(scaleMinimum(50));
      expect(schemas.flatMap((schema) => findStrictFaults(schema))).toStrictEqual([]);
    });
  });
});

/** Returns the schemas next to a `strict: true`, anywhere in a request. */
function strictSchemas(value: unknown): SchemaObject[] {
  if (typeof value !== "object" || value === null) return [];
  const found = Object.values(value).flatMap(strictSchemas);
  if (!isObject(value) || value["strict"] !== true) return found;
  const schema = value["schema"] ?? value["parameters"];
  return isObject(schema) ? [schema, ...found] : found;
}

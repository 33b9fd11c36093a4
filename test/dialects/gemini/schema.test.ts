// Conversions between JSON Schema and Gemini's Schema, one row each.
import { describe, expect, test } from "vitest";
import {
  toExactGeminiSchema,
  fitsGeminiSchema,
  fromGeminiSchema,
  toJsonSchema,
  toGeminiSchema,
} from "../../../src/dialects/gemini/schema/convert-schema.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { JsonObject } from "../../../src/model/json/index.ts";
import type { SchemaObject } from "../../../src/model/request.ts";
import { findSchemaFaults } from "./schema-checker.ts";

const STRING = { type: "STRING" };
const NUMBER = { type: "NUMBER" };
const anyValue = (beside = {}): object => ({
  anyOf: ["STRING", "NUMBER", "BOOLEAN", "OBJECT"].map((type) => ({ type, ...beside })),
});

describe("B51: JSON Schemas that convert exactly", () => {
  const rows: [title: string, schema: SchemaObject, expected: object][] = [
    [
      "types",
      { type: "object", properties: { a: { type: "null" } } },
      { type: "OBJECT", properties: { a: { type: "NULL" } } },
    ],
    ["a type or null", { type: ["string", "null"], title: "t" }, { type: "STRING", nullable: true, title: "t" }],
    ["null or a type", { type: ["null", "integer"] }, { type: "INTEGER", nullable: true }],
    ["OpenAPI's own nullable", { type: "string", nullable: false }, { type: "STRING", nullable: false }],
    ["a list of texts", { type: "string", enum: ["a", "b"] }, { type: "STRING", enum: ["a", "b"] }],
    [
      "a list of texts and null",
      { type: ["string", "null"], enum: ["a", null] },
      { type: "STRING", nullable: true, enum: ["a"] },
    ],
    ["a constant text", { type: "string", const: "a" }, { type: "STRING", enum: ["a"] }],
    [
      "counts, as text",
      { type: "string", minLength: 1, maxLength: 9 },
      { type: "STRING", minLength: "1", maxLength: "9" },
    ],
    ["bounds", { type: "number", minimum: 0.5, maximum: 2 }, { type: "NUMBER", minimum: 0.5, maximum: 2 }],
    ["known formats", { type: "integer", format: "int64" }, { type: "INTEGER", format: "int64" }],
    [
      "lists",
      { type: "array", items: { type: "string" }, minItems: 1 },
      { type: "ARRAY", items: STRING, minItems: "1" },
    ],
    ["choices", { anyOf: [{ type: "string" }, { type: "number" }] }, { anyOf: [STRING, NUMBER] }],
    [
      "objects, with their keys in order",
      {
        required: ["b"],
        properties: { b: { type: "string" }, a: { type: "string" } },
        propertyOrdering: ["b", "a"],
        type: "object",
      },
      { required: ["b"], properties: { b: STRING, a: STRING }, propertyOrdering: ["b", "a"], type: "OBJECT" },
    ],
    [
      "default and example",
      { type: "number", default: { any: [1] }, example: null },
      { type: "NUMBER", default: { any: [1] }, example: null },
    ],
  ];
  test.each(rows)("%s", (_, schema, expected) => {
    expect(JSON.stringify(toGeminiSchema(schema))).toBe(JSON.stringify({ schema: expected, changes: [] }));
    expect(JSON.stringify(toExactGeminiSchema(schema))).toBe(JSON.stringify(expected));
    expect(fitsGeminiSchema(schema)).toBe(true);
  });

  test("numbers beyond double precision keep their digits", () => {
    const schema = parseJson('{"type":"number","maximum":12345678901234567890}') as JsonObject;
    expect(stringifyJson(toGeminiSchema(schema).schema)).toBe('{"type":"NUMBER","maximum":12345678901234567890}');
    const mixed = parseJson('{"maximum":12345678901234567890,"not":{}}') as JsonObject;
    expect(stringifyJson(toGeminiSchema(mixed).schema)).toBe('{"type":"NUMBER","maximum":12345678901234567890}');
  });
});

describe("B51: unsupported JSON Schemas become the nearest Gemini Schema, and changes are reported", () => {
  const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
  const rows: [title: string, schema: SchemaObject, expected: object, changes: string[]][] = [
    ["an unknown keyword", { type: "string", contentEncoding: "base64" }, STRING, ["-/contentEncoding"]],
    [
      "a closed object",
      { type: "object", properties: {}, additionalProperties: false },
      { type: "OBJECT", properties: {} },
      ["-/additionalProperties"],
    ],
    ["not, if and else", { type: "string", not: {}, if: {}, else: {} }, STRING, ["-/not", "-/if", "-/else"]],
    [
      "patterns of names",
      { type: "object", patternProperties: { "^a/b": {} } },
      { type: "OBJECT" },
      ["-/patternProperties"],
    ],
    ["an unknown format", { type: "string", format: "uri" }, STRING, ["-/format"]],
    [
      "a value of the wrong kind",
      { type: "string", description: 1, minLength: -1, pattern: null },
      STRING,
      ["-/description", "-/minLength", "-/pattern"],
    ],
    [
      "a keyword of another type",
      { type: "string", minimum: 1, enum: ["a"] },
      { type: "STRING", enum: ["a"] },
      ["-/minimum"],
    ],
    [
      "a required name that is no property",
      { type: "object", properties: { a: { type: "string" } }, required: ["a", "b"] },
      { type: "OBJECT", properties: { a: STRING }, required: ["a"] },
      ["-/required/1"],
    ],
    ["numbers in a list", { type: "integer", enum: [1, 2] }, { type: "INTEGER" }, ["-/enum/0", "-/enum/1"]],
    ["a constant that is no text", { type: "boolean", const: true }, { type: "BOOLEAN" }, ["-/const"]],
    ["an empty text in a list", { type: "string", enum: ["", "a"] }, { type: "STRING", enum: ["a"] }, ["-/enum/0"]],
    [
      "a list of several types",
      { enum: ["a", 1, null] },
      {
        anyOf: [
          { type: "STRING", nullable: true, enum: ["a"] },
          { type: "INTEGER", nullable: true },
        ],
      },
      ["-/enum/1"],
    ],
    [
      "exclusive bounds of whole numbers",
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 9.5 },
      { type: "INTEGER", minimum: 1, maximum: 9 },
      ["~"],
    ],
    [
      "exclusive bounds",
      { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { type: "NUMBER", minimum: 0, maximum: 9 },
      ["~/exclusiveMinimum", "~/exclusiveMaximum"],
    ],
    [
      "exclusive bounds as booleans (draft 4)",
      { type: "number", minimum: 1, exclusiveMinimum: true },
      { type: "NUMBER", minimum: 1 },
      ["-/exclusiveMinimum"],
    ],
    [
      "several types, each with its own keywords",
      { type: ["string", "number", "null"], minLength: 1, minimum: 2 },
      {
        anyOf: [
          { type: "STRING", nullable: true, minLength: "1" },
          { type: "NUMBER", nullable: true, minimum: 2 },
        ],
      },
      ["~"],
    ],
    ["an unknown type", { type: "file", pattern: "a" }, { type: "STRING", pattern: "a" }, ["-/type"]],
    [
      "no type, derived from a keyword",
      { properties: { a: { maximum: 2 } } },
      { type: "OBJECT", properties: { a: { type: "NUMBER", maximum: 2 } } },
      ["~/type", "~/properties/a/type"],
    ],
    ["no type at all", { description: "d" }, anyValue({ description: "d" }), ["~/type"]],
    [
      "true and false",
      { type: "object", properties: { a: true, b: false } },
      { type: "OBJECT", properties: { a: anyValue(), b: anyValue() } },
      ["~/properties/a/type", "-/properties/b", "~/properties/b/type"],
    ],
    ["a list of anything", { type: "array" }, { type: "ARRAY", items: anyValue() }, ["~/items/type"]],
    [
      "a tuple in the new form",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
      { type: "ARRAY", items: { anyOf: [STRING, NUMBER] } },
      ["~/prefixItems", "-/items"],
    ],
    [
      "a tuple in the old form",
      { type: "array", items: [{ type: "string" }] },
      { type: "ARRAY", items: STRING },
      ["~/items"],
    ],
    [
      "a schema or null",
      { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }], description: "d" },
      { type: "STRING", nullable: true, description: "d", minLength: "1" },
      ["~"],
    ],
    [
      "several types or null",
      { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
      {
        anyOf: [
          { type: "STRING", nullable: true },
          { type: "NUMBER", nullable: true },
        ],
      },
      ["~"],
    ],
    ["exactly one", { oneOf: [{ type: "string" }, { type: "number" }] }, { anyOf: [STRING, NUMBER] }, ["~/oneOf"]],
    [
      "a union with other keywords",
      { type: "object", properties: { v: { title: "t", anyOf: [{ type: "string" }, { type: "number" }] } } },
      {
        type: "OBJECT",
        properties: {
          v: {
            anyOf: [
              { type: "STRING", title: "t" },
              { type: "NUMBER", title: "t" },
            ],
          },
        },
      },
      ["~/properties/v/anyOf"],
    ],
    [
      "a union at the root of parameters",
      { type: "object", properties: { a: { type: "string" } }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      { type: "OBJECT", properties: { a: STRING } },
      ["-/anyOf"],
    ],
    [
      "all of several",
      {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { properties: { a: { minLength: 2 }, b: { const: "k" } }, required: ["b"] },
        ],
      },
      {
        type: "OBJECT",
        properties: { a: { type: "STRING", minLength: "2" }, b: { type: "STRING", enum: ["k"] } },
        required: ["a", "b"],
      },
      ["~"],
    ],
    [
      "all of several that contradict",
      {
        allOf: [
          { type: "string", title: "a" },
          { type: "number", title: "b" },
        ],
      },
      { type: "STRING", title: "a" },
      ["-/allOf/1/title", "-/allOf/1/type"],
    ],
    [
      "a reference with other keywords",
      {
        $ref: "#/definitions/a~1%62",
        description: "own",
        definitions: { "a/b": { type: "string", description: "theirs" } },
      },
      { type: "STRING", description: "own" },
      ["~/$ref", "-/definitions", "-/definitions/a~1b/description"],
    ],
    [
      "references that lead nowhere",
      {
        type: "object",
        properties: {
          a: { type: "string", $ref: "#/$defs/none" },
          b: { type: "string", $ref: "https://example.com/b" },
          c: { type: "string", $ref: "#/type" },
        },
      },
      { type: "OBJECT", properties: { a: STRING, b: STRING, c: STRING } },
      ["-/properties/a/$ref", "-/properties/b/$ref", "-/properties/c/$ref"],
    ],
    [
      "a recursive schema, two levels deep",
      { $ref: "#/$defs/node", $defs: { node } },
      { type: "OBJECT", properties: { next: { type: "OBJECT", properties: { next: { type: "OBJECT" } } } } },
      ["~/$ref", "-/$defs", "~/$defs/node/properties/next/$ref"],
    ],
    ["a reference to itself", { $ref: "#" }, { type: "OBJECT" }, ["~/$ref"]],
    [
      "strange types of values",
      { type: { toString: 1 }, format: { valueOf: 1 }, enum: {}, properties: [], items: 5, minimum: {} },
      { type: "STRING" },
      ["-/type", "-/enum", "-/properties", "-/format", "-/items", "-/minimum"],
    ],
  ];
  test.each(rows)("%s", (_, schema, expected, changes) => {
    const converted = toGeminiSchema(schema);
    expect(JSON.stringify(converted.schema)).toBe(JSON.stringify(expected));
    const signs = converted.changes.map(({ path, action }) => (action === "dropped" ? "-" : "~") + path);
    expect(signs.sort()).toStrictEqual(changes.sort());
    expect(findSchemaFaults(converted.schema)).toStrictEqual([]);
    expect(fitsGeminiSchema(schema)).toBe(false);
  });

  test("a cut-off schema is reported", () => {
    const { changes } = toGeminiSchema({ $ref: "#/$defs/node", $defs: { node } });
    expect(changes.find(({ path }) => path.endsWith("next/$ref"))?.detail).toBe(
      "The schema is too large or too deep; from here on any object is accepted.",
    );
  });

  test("property names such as __proto__ are plain properties", () => {
    const text =
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}';
    const expected = text.replace('"object"', '"OBJECT"').replaceAll('"string"', '"STRING"');
    expect(JSON.stringify(toGeminiSchema(JSON.parse(text) as JsonObject).schema)).toBe(expected);
    const closed = JSON.parse(text.replace(/}$/, ',"additionalProperties":false,"__proto__":1}')) as JsonObject;
    expect(JSON.stringify(toGeminiSchema(closed).schema)).toBe(expected);
  });
});

describe("B51: a Gemini Schema as JSON Schema", () => {
  const rows: [title: string, schema: JsonObject, expected: object][] = [
    [
      "types and counts",
      { type: "ARRAY", items: STRING, maxItems: "3" },
      { type: "array", items: { type: "string" }, maxItems: 3 },
    ],
    ["nullable", { type: "STRING", nullable: true, title: "t" }, { type: ["string", "null"], title: "t" }],
    [
      "a nullable list of texts",
      { type: "STRING", nullable: true, enum: ["a"] },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    ["not nullable", { type: "STRING", nullable: false }, { type: "string", nullable: false }],
    [
      "the format of lists",
      { type: "STRING", format: "enum", enum: ["a"] },
      { type: "string", format: "enum", enum: ["a"] },
    ],
    ["choices", { anyOf: [STRING, NUMBER] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
    [
      "objects",
      { type: "OBJECT", properties: { a: STRING }, required: ["a"], propertyOrdering: ["a"] },
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], propertyOrdering: ["a"] },
    ],
  ];
  test.each(rows)("%s", (_, schema, expected) => {
    expect(JSON.stringify(fromGeminiSchema(schema))).toBe(JSON.stringify(expected));
  });

  const odd: [title: string, schema: JsonObject, read: object][] = [
    ["types in lower case", { type: "string" }, { type: "string" }],
    ["counts as numbers", { type: "STRING", minLength: 1 }, { type: "string", minLength: 1 }],
    ["a count spelled oddly", { type: "STRING", minLength: "01" }, { type: "string", minLength: 1 }],
    ["nullable at another place", { nullable: true, type: "STRING" }, { type: ["string", "null"] }],
    ["a keyword next to anyOf", { anyOf: [STRING], title: "t" }, { anyOf: [{ type: "string" }], title: "t" }],
    [
      "a format that only some vendors accept",
      { type: "STRING", format: "email" },
      { type: "string", format: "email" },
    ],
    ["an unknown keyword", { type: "STRING", brandNew: { a: 1 } }, { type: "string", brandNew: { a: 1 } }],
    ["no type", { title: "t", type: "TYPE_UNSPECIFIED" }, { title: "t" }],
    ["numbers listed as text", { type: "INTEGER", enum: ["101"] }, { type: "integer", enum: [101] }],
    [
      "values that are not schemas",
      { type: 5, items: "x", properties: [], anyOf: {} },
      { type: 5, items: "x", properties: [], anyOf: {} },
    ],
  ];
  test.each(odd)("%s: it is decoded, but does not convert back exactly", (_, schema, read) => {
    expect(fromGeminiSchema(schema)).toBeUndefined();
    expect(JSON.stringify(toJsonSchema(schema))).toBe(JSON.stringify(read));
  });
});

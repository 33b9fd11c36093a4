// Schemas of callers: accepted kinds, the JSON Schema for the model, and validation.
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AnySchema } from "koine/client";
import { ClientError, compileSchema } from "koine/client";
import { requireError } from "../support/require-error.ts";
import { scaleRunCount } from "../support/property-run-count.ts";

async function issuesOf(schema: AnySchema, value: unknown): Promise<string[]> {
  const checked = await compileSchema(schema).check(value);
  return checked.ok ? [] : checked.issues.map(({ path, message }) => `${path}: ${message}`);
}

/** Deeply frozen: schemas of callers must not be changed. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const PERSON = frozen({
  type: "object",
  properties: { name: { type: "string", minLength: 1 }, age: { type: "integer" } },
  required: ["name"],
  additionalProperties: false,
});

describe("JSON Schema", () => {
  test.each<[string, AnySchema, unknown, string[]]>([
    ["a matching value has no issues", PERSON, { name: "Ada", age: 36 }, []],
    [
      "every issue is reported with its path",
      PERSON,
      { name: "", age: 1.5, born: 1815 },
      [
        "/name: String is too short (0 < 1).",
        '/age: Expected "integer", found number.',
        "/born: The schema does not allow this field; remove it.",
      ],
    ],
    ["a missing field is reported at its object", PERSON, {}, [': The field "name" is missing.']],
    ["undefined is an issue", PERSON, undefined, [expect.stringContaining("not plain JSON")]],
    [
      "paths are JSON pointers for all keys",
      { additionalProperties: { type: "string" } },
      { "a/b~c": 1, "#%23 ü": 2 },
      ['/a~1b~0c: Expected "string", found number.', '/#%23 ü: Expected "string", found number.'],
    ],
    [
      "a key named __proto__ is an ordinary key",
      { properties: JSON.parse('{"__proto__":{"type":"string"}}') as object, additionalProperties: false },
      JSON.parse('{"__proto__":1}'),
      ['/__proto__: Expected "string", found number.'],
    ],
    [
      "anyOf reports that no branch matches, and why",
      { anyOf: [{ type: "string" }, { type: "object", properties: { x: { const: 1 } } }] },
      { x: 2 },
      [": The value matches none of the choices:", ': Expected "string", found object.', "/x: Expected 1."],
    ],
    [
      "references within the schema are followed, also in cycles",
      { $ref: "#/$defs/tree", $defs: { tree: { properties: { left: { $ref: "#/$defs/tree" } }, required: ["v"] } } },
      { v: 1, left: { left: { v: 2 } } },
      ['/left: The field "v" is missing.'],
    ],
    [
      "definitions may have any name",
      { $ref: "#/components/schemas/Id", components: { schemas: { Id: { type: "integer" } } } },
      "7",
      [': Expected "integer", found string.'],
    ],
    [
      "examples that look like schemas are not treated as schemas",
      { properties: { a: { example: { id: "x" } }, b: { example: { id: "x", $ref: "nowhere" } } }, type: "object" },
      {},
      [],
    ],
    ["escapes that Unicode mode rejects are accepted", { pattern: String.raw`^\d\-\_[\w\-]$` }, "1-_-", []],
    ["and still judge", { pattern: String.raw`^\d\-\d$` }, "1+1", [": String does not match pattern."]],
    [
      "draft 4 has boolean exclusive limits",
      { $schema: "http://json-schema.org/draft-04/schema#", minimum: 3, exclusiveMinimum: true },
      3,
      [expect.stringContaining("less than")],
    ],
    [
      "a reference to itself alone is nested too deeply",
      { $ref: "#" },
      1,
      [expect.stringContaining("nested too deeply")],
    ],
  ])("%s", async (_, schema, value, issues) => {
    expect(await issuesOf(frozen(schema), value)).toStrictEqual(issues);
  });

  test("thousands of issues are counted but not listed", async () => {
    const issues = await issuesOf({ items: { type: "string" } }, Array.from({ length: 3000 }, Number));
    expect(issues).toHaveLength(51);
    expect(issues.at(-1)).toBe(": And 2950 more.");
  });

  test("the model receives the caller's schema unchanged, and the value is the caller's object", async () => {
    const read = compileSchema(PERSON);
    expect(read.json).toBe(PERSON);
    const value = { name: "Ada" };
    const checked = await read.check(value);
    expect(checked.ok && checked.value).toBe(value);
  });

  test("the model can receive another schema", () => {
    const shown = { type: "object" };
    expect(compileSchema(PERSON, { inputSchema: shown }).json).toBe(shown);
  });

  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic["not"] = cyclic;

  test.each<[string, unknown, string, RegExp]>([
    ["a text", "object", "/at", /JSON Schema or a Standard Schema .* found a string/],
    ["no schema", undefined, "/at", /found nothing/],
    ["a reference without a target", { $ref: "#/$defs/x" }, "/at", /"#\/\$defs\/x" has no target/],
    ["an invalid $id", { $id: "http://[" }, "/at", /not valid JSON Schema/],
    ["an unknown type", { properties: { a: { type: "int" } } }, "/at/properties/a/type", /"int" is not a type/],
    ["an empty list of types", { type: [] }, "/at/type", /is not a type/],
    [
      "a boolean `required` on a property",
      { properties: { a: { required: true } } },
      "/at/properties/a/required",
      /list/,
    ],
    ["a schema that is a string", { items: "string" }, "/at/items", /found a string/],
    [
      "an object in place of a list of schemas",
      { anyOf: {} },
      "/at/anyOf",
      /expected a list of schemas, found an object/,
    ],
    ["a list in place of properties", { properties: [] }, "/at/properties", /expected an object, found a list/],
    ["an enum that is no list", { enum: "a" }, "/at/enum", /list of values/],
    ["a limit that is a string", { minLength: "3" }, "/at/minLength", /expected a number, found a string/],
    ["a reference that is no string", { $ref: 1 }, "/at/$ref", /expected a string/],
    [
      "a pattern with syntax of another language",
      { pattern: "(?i)x" },
      "/at/pattern",
      /not a regular expression of JavaScript/,
    ],
    ["an invalid pattern", { patternProperties: { "[": {} } }, "/at/patternProperties/[", /not a regular expression/],
    ["a schema that contains itself", cyclic, "/at", /cycles as "\$ref"/],
  ])("rejected at compilation: %s", (_, schema, path, message) => {
    // Schemas of callers without static types.
    const error = requireError(ClientError, () => compileSchema(schema as AnySchema, { path: "/at" }));
    expect(error).toMatchObject({ code: "configuration", path });
    expect(error.message).toMatch(message);
  });

  test("a schema that is nested too deeply is rejected", () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 500; level++) deep = { not: deep };
    expect(() => compileSchema(deep)).toThrow(/nested deeper than 200/);
  });

  test("validates like a second validator", async () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });
    await fc.assert(
      fc.asyncProperty(schemas, fc.array(values, { minLength: 1, maxLength: 8 }), async (schema, candidates) => {
        const read = compileSchema(schema);
        const theirs = ajv.compile(schema);
        for (const value of candidates) {
          const { ok } = await read.check(value);
          expect({ value, ok }).toStrictEqual({ value, ok: theirs(value) });
        }
      }),
      { numRuns: scaleRunCount(60) },
    );
  });
});

const KEYS = ["a", "b", "__proto__x"];
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>(null, true, 0, 1, 1.5, 7, "", "a", "abc", [], {}),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { noNullPrototype: true }),
  ),
})).value;

const schemas = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.record(
      {
        type: fc.constantFrom("string", "number", "integer", "object", "array", "null", ["string", "null"]),
        enum: fc.array(values, { minLength: 1, maxLength: 3 }),
        const: values,
        minLength: fc.integer({ min: 0, max: 3 }),
        pattern: fc.constantFrom("^a", "c$", String.raw`\w`),
        minimum: fc.constantFrom(0, 1, 2),
        multipleOf: fc.constantFrom(0.5, 2),
        minItems: fc.constantFrom(0, 1, 2),
        uniqueItems: fc.boolean(),
        required: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 2 }),
        maxProperties: fc.constantFrom(0, 1),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        properties: fc.dictionary(fc.constantFrom(...KEYS), tie("schema"), { noNullPrototype: true }),
        additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
        items: tie("schema"),
        not: tie("schema"),
        anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        if: tie("schema"),
        else: tie("schema"),
        examples: fc.constant([{ id: "same" }]),
        example: fc.constant({ id: "same" }),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema;

describe("Standard Schema", () => {
  const Person = z.object({ name: z.string().min(1), born: z.coerce.number().default(1900) });

  test("the model receives the input type of the schema as JSON Schema", () => {
    expect(compileSchema(Person).json).toStrictEqual({
      type: "object",
      properties: { name: { type: "string", minLength: 1 }, born: { type: "number", default: 1900 } },
      required: ["name"],
    });
  });

  test("the value is the output of the schema", async () => {
    expect(await compileSchema(Person).check({ name: "Ada", born: "1815", more: true })).toStrictEqual({
      ok: true,
      value: { name: "Ada", born: 1815 },
    });
  });

  test("issues have paths", async () => {
    const Nested = z.object({ "a/b": z.array(Person) });
    expect(await issuesOf(Nested, { "a/b": [{ name: "Ada" }, { name: 1 }] })).toStrictEqual([
      "/a~1b/1/name: Invalid input: expected string, received number",
    ]);
  });

  test("asynchronous schemas are awaited", async () => {
    const Slow = z.string().refine(async (text) => Promise.resolve(text === "yes"), "say yes");
    expect(await issuesOf(Slow, "no")).toStrictEqual([": say yes"]);
    expect(await issuesOf(Slow, "yes")).toStrictEqual([]);
  });

  const callable = Object.assign(() => undefined, {
    "~standard": {
      version: 1 as const,
      vendor: "minimal",
      validate: (value: unknown) =>
        value === 1 ? { value } : { issues: [{ message: "not one", path: [{ key: "x" }, Symbol("y")] }] },
    },
  });

  test("a schema that is a function is accepted, with paths of every kind", async () => {
    const read = compileSchema(callable, { inputSchema: { const: 1 } });
    expect(read.json).toStrictEqual({ const: 1 });
    expect(await read.check(2)).toStrictEqual({ ok: false, issues: [{ path: "/x/Symbol(y)", message: "not one" }] });
  });

  test.each<[string, AnySchema, RegExp]>([
    [
      "that has no JSON Schema",
      callable,
      /minimal schema cannot be converted to JSON Schema\. Pass its JSON Schema in addition/,
    ],
    [
      "that JSON Schema cannot express",
      z.object({ at: z.date() }),
      /zod schema cannot be converted to JSON Schema: Date cannot/,
    ],
  ])("a schema %s is rejected with a hint", (_, schema, message) => {
    const error = requireError(ClientError, () => compileSchema(schema, { path: "/tools/0/input" }));
    expect(error).toMatchObject({ code: "configuration", path: "/tools/0/input" });
    expect(error.message).toMatch(message);
  });

  test("a library that supports only an older draft is called with that draft", () => {
    const old = {
      "~standard": {
        ...callable["~standard"],
        jsonSchema: {
          input: ({ target }: { target: string }) => {
            if (target !== "draft-07") throw new Error(`no ${target}`);
            return { $schema: "http://json-schema.org/draft-07/schema#", type: "string" };
          },
          output: () => ({}),
        },
      },
    };
    expect(compileSchema(old).json).toStrictEqual({ type: "string" });
  });

  test("an error that the schema's own code throws reaches the caller", async () => {
    const Broken = z.string().refine(() => {
      throw new Error("a mistake in the schema");
    });
    await expect(compileSchema(Broken).check("x")).rejects.toThrow("a mistake in the schema");
  });
});

test.each<[what: string, schema: object]>([
  [
    "an object of a class",
    new (class Validator {
      type = "object";
    })(),
  ],
  ["an object with methods", { type: "object", parse: () => undefined }],
])("%s is no JSON Schema, and the error has a hint", (_, schema) => {
  const error = requireError(ClientError, () => compileSchema(schema as never, { path: "/tools/0" }));
  expect(error).toMatchObject({ code: "configuration", path: "/tools/0" });
  expect(String(error)).toContain("does not implement Standard Schema; pass `jsonSchema`, or update its library");
});

test("a validator without a JSON Schema is accepted if the caller gives one", async () => {
  const validator = { type: "object", parse: () => undefined };
  const read = compileSchema(validator as never, { inputSchema: { type: "string" } });
  expect(read.json).toStrictEqual({ type: "string" });
  expect([await read.check("a"), await read.check(1)]).toMatchObject([{ ok: true }, { ok: false }]);
});

test("an object without a prototype may be a JSON Schema", () => {
  const schema = Object.assign(Object.create(null) as object, { type: "object" });
  expect(compileSchema(schema as never).json).toStrictEqual(schema);
});

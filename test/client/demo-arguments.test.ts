// The demo's sampled arguments and objects: a second validator accepts them for every schema.
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { SchemaObject } from "koine";
import { answerDemo, callsOf, readText } from "./support/demo-answers.ts";
import { scaleRunCount } from "../support/property-run-count.ts";

/** Returns the arguments of a call of a tool with this schema. */
function argumentsFor(inputSchema: SchemaObject): unknown {
  return callsOf(answerDemo("call probe", { tools: [{ type: "function", name: "probe", inputSchema }] }))[0]?.input;
}

/** Returns the object of an answer with this output schema. */
function objectFor(schema: SchemaObject, message = "Describe it."): unknown {
  return JSON.parse(readText(answerDemo(message, { output: { type: "json-schema", schema } })));
}

const lenient = { strict: false, validateFormats: false };
const [today, draft7] = [new Ajv2020(lenient), new Ajv(lenient)];

function faultsOf(schema: SchemaObject, value: unknown): string {
  const ajv = String(schema["$schema"]).includes("draft-07") ? draft7 : today;
  return ajv.validate(schema, value) ? "" : `${ajv.errorsText()}: ${JSON.stringify(value)}`;
}

const object = (properties: Record<string, unknown>, more: SchemaObject = {}): SchemaObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});

const NODE = object({
  value: { type: "integer" },
  children: { type: "array", items: { $ref: "#/$defs/node" } },
  next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
});

const FORMATS = z.object({
  email: z.email(),
  id: z.uuid(),
  page: z.url(),
  when: z.iso.datetime(),
  day: z.iso.date(),
  time: z.iso.time(),
  duration: z.iso.duration(),
  v4: z.ipv4(),
  v6: z.ipv6(),
  range: z.cidrv4(),
  phone: z.e164(),
  bytes: z.base64(),
  key: z.ulid(),
  face: z.emoji(),
  host: z.hostname(),
});

const TABLE: [string, SchemaObject][] = [
  ["no properties", { type: "object" }],
  ["an empty schema", {}],
  ["formats of a Zod schema", z.toJSONSchema(FORMATS)],
  [
    "structures of a Zod schema",
    z.toJSONSchema(
      z.object({
        size: z.number().int().min(3).max(9).multipleOf(2),
        tags: z.array(z.string().min(4)).min(2),
        pair: z.tuple([z.string(), z.number()]),
        shape: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("circle"), radius: z.number().positive() }),
          z.object({ kind: z.literal("square"), side: z.number().gt(1).lt(2) }),
        ]),
        maybe: z.string().nullable(),
        labels: z.record(z.string(), z.number()),
      }),
    ),
  ],
  ["a schema that contains itself", { ...NODE, $defs: { node: NODE } }],
  ["a reference to the root schema", { type: "object", properties: { self: { $ref: "#" }, n: { type: "integer" } } }],
  ["a reference by anchor", object({ a: { $ref: "#city" } }, { $defs: { x: { $anchor: "city", const: "Argos" } } })],
  [
    "tuples of older drafts",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      ...object({
        a: { type: "array", items: [{ const: 1 }, { type: "string" }], additionalItems: false, minItems: 2 },
      }),
    },
  ],
  [
    "patternProperties",
    {
      type: "object",
      patternProperties: { "^x-[a-z]+$": { type: "integer", minimum: 5 } },
      additionalProperties: false,
      minProperties: 3,
    },
  ],
  ["names by rule", { type: "object", propertyNames: { pattern: "^[a-f]+$", minLength: 3 }, minProperties: 2 }],
  [
    "property names of Object.prototype",
    object(
      Object.fromEntries([
        ["__proto__", { type: "integer" }],
        ["constructor", { type: "string" }],
      ]),
    ),
  ],
  [
    "dependencies between properties",
    object(
      { a: { type: "string" } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { a: { required: ["c"] } } },
    ),
  ],
  [
    "contains",
    object({
      a: { type: "array", items: { type: "integer" }, contains: { const: 42 }, minItems: 3, uniqueItems: true },
    }),
  ],
  [
    "uniqueItems",
    object({ a: { type: "array", items: { type: "string", pattern: "^[A-Z]{3}$" }, minItems: 5, uniqueItems: true } }),
  ],
  [
    "uniqueItems with as many items as enum values",
    object({ a: { type: "array", items: { enum: ["x", "y", "z"] }, minItems: 3, uniqueItems: true } }),
  ],
  [
    "uniqueItems of objects",
    object({ a: { type: "array", items: object({ id: { type: "integer" } }), minItems: 4, uniqueItems: true } }),
  ],
  [
    "not",
    object({ a: { type: "string", not: { const: "example" } }, b: { type: "integer", not: { enum: [1, 2, 3] } } }),
  ],
  [
    "oneOf with two schemas that overlap",
    object({ a: { oneOf: [{ type: "integer" }, { type: "number", minimum: 0 }] } }),
  ],
  [
    "allOf",
    { allOf: [object({ a: { type: "integer", minimum: 3 } }), object({ a: { maximum: 3.5 }, b: { type: "string" } })] },
  ],
  [
    "conditions",
    {
      ...object({ country: { enum: ["NL", "US"] }, code: { type: "string" } }),
      if: { properties: { country: { const: "US" } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { code: { pattern: "^\\d{5}$" } } },
      else: { properties: { code: { pattern: "^\\d{4} [A-Z]{2}$" } } },
    },
  ],
  ["a pattern with lookahead", object({ a: { type: "string", pattern: "^(?=.*[0-9])(?=.*[a-z])[a-z0-9]{8,}$" } })],
  [
    "a pattern with a long minimum length",
    object({ a: { type: "string", pattern: "^(ab|cd)+-v\\d+(\\.\\d+)*$", minLength: 20, maxLength: 60 } }),
  ],
  [
    "examples and defaults that do not match the schema",
    object({ a: { type: "string", default: 7 }, b: { type: "integer", examples: ["x"] } }),
  ],
];

describe("the arguments of a call match", () => {
  test.each(TABLE)("%s", (_, schema) => {
    const whole = { type: "object", ...schema };
    expect(faultsOf(whole, argumentsFor(schema))).toBe("");
    expect(faultsOf(whole, objectFor(whole))).toBe("");
  });
});

test("sampled arguments use examples and defaults, and omit optional properties", () => {
  const schema = {
    ...object({
      city: { type: "string" },
      unit: { enum: ["celsius", "kelvin"] },
      when: { type: "string", examples: ["now"] },
      days: { type: "integer", default: 3 },
      email: { type: "string", format: "email" },
    }),
    required: ["city", "unit", "when", "days"],
  };
  expect(argumentsFor(schema)).toStrictEqual({ city: "Corinth", unit: "celsius", when: "now", days: 3 });
});

test("a schema that no value matches, or an invalid schema, does not stop the demo", () => {
  expect(argumentsFor(object({ a: false }))).toHaveProperty("a");
  expect(argumentsFor(object({ a: { type: "string", pattern: "([" } }))).toHaveProperty("a");
  expect(argumentsFor({ $ref: "#/nowhere" })).toBeDefined();
});

test("`json` returns exactly the given value, even if it does not match the schema", () => {
  expect(objectFor(object({ a: { type: "string" } }), 'json {"a": 5}')).toStrictEqual({ a: 5 });
});

/** A schema, and a valid value of it. */
interface Witnessed {
  schema: SchemaObject;
  value: unknown;
}

const few = fc.nat(3);
const word = fc.constantFrom("a", "Corinth", "two words", "naïve", "😀😀", "");
const textual: fc.Arbitrary<Witnessed> = fc.tuple(word, few, few).map(([value, less, more]) => {
  const { length } = Array.from(value);
  return { value, schema: { type: "string", minLength: Math.max(0, length - less), maxLength: length + more } };
});
const patterned = fc
  .constantFrom(
    ["^[A-Z]{3}-\\d{2,4}$", "ABC-12"],
    ["^#[0-9a-f]{6}$", "#00ff00"],
    ["@", "a@b"],
    ["^(yes|no)$", "no"],
    ["^\\S+ \\S+$", "a b"],
    ["^$", ""],
  )
  .map(([pattern, value]): Witnessed => ({ value, schema: { type: "string", pattern } }));
const numeric: fc.Arbitrary<Witnessed> = fc
  .record({
    times: fc.integer({ min: -9, max: 9 }),
    step: fc.constantFrom(1, 2, 3, 7, 0.5, 0.25),
    below: few,
    above: few,
    exclusive: fc.boolean(),
  })
  .map(({ times, step, below, above, exclusive }) => {
    const value = times * step;
    const bounds = exclusive
      ? { exclusiveMinimum: value - below - 0.1, exclusiveMaximum: value + above + 0.1 }
      : { minimum: value - below, maximum: value + above };
    return { value, schema: { type: Number.isInteger(value) ? "integer" : "number", multipleOf: step, ...bounds } };
  });
const listed: fc.Arbitrary<Witnessed> = fc
  .tuple(fc.uniqueArray(fc.constantFrom<unknown>("x", 1, true, null, 2.5), { minLength: 1 }), fc.boolean())
  .map(([values, isConst]) => ({ value: values[0], schema: isConst ? { const: values[0] } : { enum: values } }));
const plain = fc.constantFrom<Witnessed>(
  { value: true, schema: { type: "boolean" } },
  { value: null, schema: { type: "null" } },
  { value: 1, schema: {} },
);

const { witnessed } = fc.letrec<{ witnessed: Witnessed }>((tie) => {
  const inner = tie("witnessed");
  const array = fc.tuple(inner, few, few).map(([{ schema, value }, count, more]): Witnessed => ({
    value: Array.from({ length: count }, () => value),
    schema: { type: "array", items: schema, minItems: count, maxItems: count + more },
  }));
  const tuple = fc.array(inner, { minLength: 1, maxLength: 3 }).map((all): Witnessed => ({
    value: all.map(({ value }) => value),
    schema: { type: "array", prefixItems: all.map(({ schema }) => schema), items: false, minItems: all.length },
  }));
  const record = fc
    .record({
      all: fc.dictionary(fc.constantFrom("city", "n", "a/b", "~", "toString"), inner, {
        maxKeys: 4,
        noNullPrototype: true,
      }),
      optional: few,
      closed: fc.boolean(),
    })
    .map(({ all, optional, closed }): Witnessed => {
      const entries = Object.entries(all);
      const properties = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]));
      const schema = {
        type: "object",
        properties,
        required: Object.keys(properties).slice(optional),
        minProperties: entries.length,
      };
      return {
        value: Object.fromEntries(entries.map(([name, { value }]) => [name, value])),
        schema: closed ? { ...schema, additionalProperties: false } : schema,
      };
    });
  const branch = fc
    .tuple(inner, inner, fc.constantFrom("anyOf", "allOf", "nullable"))
    .map(([one, other, how]): Witnessed => {
      if (how === "anyOf") return { value: one.value, schema: { anyOf: [other.schema, one.schema] } };
      return {
        value: one.value,
        schema: how === "allOf" ? { allOf: [{}, one.schema] } : { anyOf: [{ type: "null" }, one.schema] },
      };
    });
  return {
    witnessed: fc.oneof({ maxDepth: 3 }, plain, textual, patterned, numeric, listed, array, tuple, record, branch),
  };
});

test("a schema that some value matches gets a matching value", () => {
  fc.assert(
    fc.property(witnessed, fc.boolean(), ({ schema, value }, isReferred) => {
      const whole = isReferred
        ? object({ it: { $ref: "#/$defs/it" } }, { $defs: { it: schema } })
        : object({ it: schema });
      // Checks the generator itself.
      expect(faultsOf(whole, { it: value })).toBe("");
      expect(faultsOf(whole, argumentsFor(whole))).toBe("");
    }),
    { numRuns: scaleRunCount(300) },
  );
});

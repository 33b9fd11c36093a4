// Function parameters: Gemini requires an object at the root of their schema (B51).
import { describe, expect, test } from "vitest";
import type { GeminiRequest } from "../../../src/dialects/gemini/index.ts";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import { user } from "../../../src/model/message.ts";
import type { SchemaObject } from "../../../src/model/request.ts";

const contents = [{ role: "user", parts: [{ text: "Hi." }] }];
const dialect = gemini();

function encodeDeclaration(inputSchema: SchemaObject, target = dialect): { declared: object; losses: string[] } {
  const tools = [{ type: "function", name: "f", inputSchema } as const];
  const { wire, losses } = target.encodeRequest({ messages: [user("Hi.")], tools });
  const [group] = (wire as GeminiRequest).tools ?? [];
  const { name: _, ...declared } = group?.functionDeclarations[0] ?? { name: "" };
  return { declared, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

const CHANGED = "schema-changed /tools/0/inputSchema";
const text = { type: "string" };
const branch = (name: string): object => ({ type: "object", properties: { [name]: text } });
const wrapInObject = (value: object, beside: object = {}): object => ({
  type: "object",
  properties: { value },
  required: ["value"],
  ...beside,
});

describe("B51: parameters have an object at their root", () => {
  const rows: [sentence: string, schema: SchemaObject, declared: object, losses: string[]][] = [
    [
      "a union of objects",
      { anyOf: [branch("a"), branch("b")] },
      { parametersJsonSchema: { anyOf: [branch("a"), branch("b")], type: "object" } },
      [CHANGED],
    ],
    ["an empty schema", {}, {}, [CHANGED, "parameters-empty /tools/0/inputSchema"]],
    [
      "properties without a type",
      { properties: { a: text } },
      { parameters: { properties: { a: { type: "STRING" } }, type: "OBJECT" } },
      [CHANGED],
    ],
    [
      "a list",
      { type: "array", items: text },
      {
        parameters: {
          type: "OBJECT",
          properties: { value: { type: "ARRAY", items: { type: "STRING" } } },
          required: ["value"],
        },
      },
      [CHANGED],
    ],
    [
      "a union of other types, with its definitions",
      { anyOf: [{ $ref: "#/$defs/a" }], enum: ["x"], $defs: { a: text } },
      { parametersJsonSchema: wrapInObject({ anyOf: [{ $ref: "#/$defs/a" }], enum: ["x"] }, { $defs: { a: text } }) },
      [CHANGED],
    ],
    [
      "types in Gemini's spelling",
      { type: "OBJECT", properties: { a: { type: "STRING" } } },
      { parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } } },
      [],
    ],
    [
      "an unknown type",
      { type: { odd: true } },
      { parametersJsonSchema: wrapInObject({ type: { odd: true } }) },
      [CHANGED],
    ],
  ];
  test.each(rows)("%s", (_, schema, declared, losses) => {
    expect(encodeDeclaration(schema)).toStrictEqual({ declared, losses });
  });

  test("for a vendor without JSON Schema support, a union of objects becomes one object with all properties", () => {
    const { declared, losses } = encodeDeclaration(
      { anyOf: [branch("a"), branch("b")] },
      gemini({ vendor: "openapi-schema" }),
    );
    const properties = { a: { type: "STRING" }, b: { type: "STRING" } };
    expect(declared).toStrictEqual({ parameters: { type: "OBJECT", properties } });
    expect(losses).toStrictEqual([CHANGED, "schema-changed /tools/0/inputSchema/anyOf"]);
  });

  test("parameters that came in the JSON Schema field stay there", () => {
    const wire = {
      contents,
      tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { properties: {} } }] }],
    };
    expect(dialect.encodeRequest(dialect.decodeRequest(wire))).toMatchObject({ wire, losses: [] });
  });
});

describe("a Gemini Schema that does not convert back exactly", () => {
  const parameters = {
    type: "OBJECT",
    properties: { a: { type: "INTEGER", enum: ["1", "2"] }, b: { type: "string", nullable: true }, c: { enum: ["x"] } },
  };
  const wire = { contents, tools: [{ functionDeclarations: [{ name: "f", parameters }] }] };
  const inputSchema = {
    type: "object",
    properties: { a: { type: "integer", enum: [1, 2] }, b: { type: ["string", "null"] }, c: { enum: ["x"] } },
  };

  test("B51: decodes to JSON Schema, so that other dialects can use it", () => {
    expect(dialect.decodeRequest(wire).tools).toMatchObject([{ inputSchema }]);
  });

  test("is restored in its original spelling", () => {
    expect(dialect.encodeRequest(dialect.decodeRequest(wire))).toMatchObject({ wire, losses: [] });
  });

  test("loses its stored spelling after an edit", () => {
    const request = dialect.decodeRequest(wire);
    const tools = [{ ...request.tools?.[0], inputSchema: { type: "object", properties: { d: text } } }] as never;
    const { wire: written, losses } = dialect.encodeRequest({ ...request, tools });
    const changed = { type: "OBJECT", properties: { d: { type: "STRING" } } };
    expect(written).toMatchObject({ tools: [{ functionDeclarations: [{ parameters: changed }] }] });
    expect(losses.map(({ code }) => code)).toStrictEqual(["form-stale"]);
  });
});

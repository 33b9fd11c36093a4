// The parameters of functions: Gemini wants an object at their root, whatever JSON Schema says (B51).
import { describe, expect, test } from "vitest";
import type { GeminiRequest } from "../../src/dialects/gemini/index.ts";
import { gemini } from "../../src/dialects/gemini/index.ts";
import { user } from "../../src/model/message.ts";
import type { SchemaObject } from "../../src/model/request.ts";

const contents = [{ role: "user", parts: [{ text: "Hi." }] }];
const dialect = gemini();

function declare(inputSchema: SchemaObject, speaker = dialect): { declared: object; losses: string[] } {
  const tools = [{ type: "function", name: "f", inputSchema } as const];
  const { wire, losses } = speaker.encodeRequest({ messages: [user("Hi.")], tools });
  const [group] = (wire as GeminiRequest).tools ?? [];
  const { name: _, ...declared } = group?.functionDeclarations[0] ?? { name: "" };
  return { declared, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

const CHANGED = "schema-changed /tools/0/inputSchema";
const text = { type: "string" };
const branch = (name: string): object => ({ type: "object", properties: { [name]: text } });
const wrapped = (value: object, beside: object = {}): object => ({
  type: "object",
  properties: { value },
  required: ["value"],
  ...beside,
});

describe("B51: parameters have an object at their root", () => {
  const rows: [sentence: string, schema: SchemaObject, declared: object, losses: string[]][] = [
    [
      "a choice of objects",
      { anyOf: [branch("a"), branch("b")] },
      { parametersJsonSchema: { anyOf: [branch("a"), branch("b")], type: "object" } },
      [CHANGED],
    ],
    ["no schema to speak of", {}, {}, [CHANGED, "parameters-empty /tools/0/inputSchema"]],
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
      "a choice of anything else, with its definitions",
      { anyOf: [{ $ref: "#/$defs/a" }], enum: ["x"], $defs: { a: text } },
      { parametersJsonSchema: wrapped({ anyOf: [{ $ref: "#/$defs/a" }], enum: ["x"] }, { $defs: { a: text } }) },
      [CHANGED],
    ],
    [
      "Gemini's own spelling is as good",
      { type: "OBJECT", properties: { a: { type: "STRING" } } },
      { parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } } },
      [],
    ],
    [
      "a type that is none",
      { type: { odd: true } },
      { parametersJsonSchema: wrapped({ type: { odd: true } }) },
      [CHANGED],
    ],
  ];
  test.each(rows)("%s", (_, schema, declared, losses) => {
    expect(declare(schema)).toStrictEqual({ declared, losses });
  });

  test("where the host takes no native schema, a choice of objects becomes one that may have all properties", () => {
    const { declared, losses } = declare({ anyOf: [branch("a"), branch("b")] }, gemini({ vendor: "openapi-schema" }));
    const properties = { a: { type: "STRING" }, b: { type: "STRING" } };
    expect(declared).toStrictEqual({ parameters: { type: "OBJECT", properties } });
    expect(losses).toStrictEqual([CHANGED, "schema-changed /tools/0/inputSchema/anyOf"]);
  });

  test("what Gemini's own wire says in the native field stays as it is", () => {
    const wire = {
      contents,
      tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { properties: {} } }] }],
    };
    expect(dialect.encodeRequest(dialect.decodeRequest(wire))).toMatchObject({ wire, losses: [] });
  });
});

describe("a Schema that JSON Schema does not lead back to", () => {
  const parameters = {
    type: "OBJECT",
    properties: { a: { type: "INTEGER", enum: ["1", "2"] }, b: { type: "string", nullable: true }, c: { enum: ["x"] } },
  };
  const wire = { contents, tools: [{ functionDeclarations: [{ name: "f", parameters }] }] };
  const inputSchema = {
    type: "object",
    properties: { a: { type: "integer", enum: [1, 2] }, b: { type: ["string", "null"] }, c: { enum: ["x"] } },
  };

  test("B51: is read in JSON Schema's words, so that others understand it", () => {
    expect(dialect.decodeRequest(wire).tools).toMatchObject([{ inputSchema }]);
  });

  test("goes back as it was spelled", () => {
    expect(dialect.encodeRequest(dialect.decodeRequest(wire))).toMatchObject({ wire, losses: [] });
  });

  test("loses its spelling where it was changed", () => {
    const request = dialect.decodeRequest(wire);
    const tools = [{ ...request.tools?.[0], inputSchema: { type: "object", properties: { d: text } } }] as never;
    const { wire: written, losses } = dialect.encodeRequest({ ...request, tools });
    const changed = { type: "OBJECT", properties: { d: { type: "STRING" } } };
    expect(written).toMatchObject({ tools: [{ functionDeclarations: [{ parameters: changed }] }] });
    expect(losses.map(({ code }) => code)).toStrictEqual(["form-stale"]);
  });
});

// Tool schemas that combine schemas at their root, for targets that reject them: the new schema, and its loss.
import { describe, expect, test } from "vitest";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import { user } from "../../../src/model/message.ts";
import type { SchemaObject } from "../../../src/model/request.ts";

const [text, count] = [{ type: "string" }, { type: "integer" }];
const point = { properties: { x: count, y: count }, required: ["x", "y"] };
const circle = { type: "object", properties: { kind: { const: "circle" }, r: count }, required: ["kind", "r"] };
const square = { type: "object", properties: { kind: { const: "square" }, a: count }, required: ["kind", "a"] };
const kinds = { anyOf: [{ const: "circle" }, { const: "square" }] };

describe("a tool's schema with a combination at its root becomes one object", () => {
  const rows: [sentence: string, schema: SchemaObject, written: object][] = [
    [
      "B51: of oneOf, the properties of all branches and their common required names",
      { oneOf: [circle, square], description: "A shape." },
      { description: "A shape.", type: "object", properties: { kind: kinds, r: count, a: count }, required: ["kind"] },
    ],
    [
      "B51: of allOf, all properties and required names",
      { type: "object", properties: { name: text }, allOf: [point, { required: ["name"] }] },
      { type: "object", properties: { name: text, x: count, y: count }, required: ["x", "y", "name"] },
    ],
    [
      "B51: required names in single branches of anyOf",
      { type: "object", properties: { a: text, b: text }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      { type: "object", properties: { a: text, b: text } },
    ],
    [
      "B51: a property in two branches must match both",
      { type: "object", properties: { kind: text }, required: ["kind"], anyOf: [circle, square] },
      {
        type: "object",
        properties: { kind: { allOf: [text, kinds] }, r: count, a: count },
        required: ["kind"],
      },
    ],
    [
      "B51: references are followed, also in cycles",
      {
        anyOf: [{ $ref: "#/$defs/node" }, { $ref: "#/$defs/gone" }],
        $defs: { node: { ...point, allOf: [{ $ref: "#/$defs/node" }] } },
      },
      {
        $defs: { node: { ...point, allOf: [{ $ref: "#/$defs/node" }] } },
        type: "object",
        properties: { x: count, y: count },
      },
    ],
    [
      "B51: branches that are no objects are ignored",
      { anyOf: [point, { type: "null" }] },
      { type: "object", properties: { x: count, y: count }, required: ["x", "y"] },
    ],
    [
      "B51: a root without an object is wrapped in one",
      { anyOf: [text, count] },
      { type: "object", properties: { value: { anyOf: [text, count] } }, required: ["value"] },
    ],
    [
      "B51: a property may have any name",
      { anyOf: [{ properties: JSON.parse('{"__proto__":{"type":"string"}}') as object }] },
      { type: "object", properties: JSON.parse('{"__proto__":{"type":"string"}}') as object },
    ],
  ];
  test.each(rows)("%s", (_, inputSchema, written) => {
    const request = {
      model: "claude-sonnet-4-5",
      messages: [user("Hello.")],
      tools: [{ type: "function" as const, name: "draw", inputSchema }],
      sampling: { maxOutputTokens: 9 },
    };
    const before = JSON.stringify(inputSchema);
    const { wire, losses } = anthropic().encodeRequest(request);
    expect(wire).toMatchObject({ tools: [{ name: "draw" }] });
    expect((wire as { tools: { input_schema: object }[] }).tools[0]?.input_schema).toStrictEqual(written);
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toStrictEqual(["schema-changed /tools/0/inputSchema"]);
    expect(JSON.stringify(inputSchema)).toBe(before);
    const strict = anthropic().encodeRequest(request, { repair: false });
    expect(strict).toMatchObject({ wire: { tools: [{ input_schema: inputSchema }] }, losses: [] });
  });

  test("each of many branches is visited once", () => {
    const branches = Array.from({ length: 5000 }, (_, at) => ({ properties: { kind: { const: at } } }));
    const { wire } = anthropic().encodeRequest({
      messages: [user("Hello.")],
      tools: [{ type: "function", name: "draw", inputSchema: { oneOf: branches } }],
    });
    const { tools } = wire as { tools: { input_schema: { properties: { kind: { anyOf: unknown[] } } } }[] };
    expect(tools[0]?.input_schema.properties.kind.anyOf).toHaveLength(5000);
  });
});

// Generates the published JSON Schema (2020-12) from the shapes that `validate` uses.
import * as exchange from "./request-shapes.ts";
import type { JsonObject, JsonValue } from "../json/index.ts";
import type { AnyShape, ObjectShape } from "./shape.ts";
import * as shapes from "./message-shapes.ts";
import { SCHEMA_VERSION } from "../schema-version.ts";

/** The shapes that the schema contains as definitions under `$defs`. */
const DEFINITIONS: Readonly<Record<string, AnyShape>> = {
  Message: shapes.message,
  StoredMessage: shapes.storedMessage,
  ...shapes.NAMED,
  Request: exchange.request,
  Response: exchange.response,
  Tool: exchange.tool,
  Usage: shapes.usage,
  Seal: shapes.seal,
  Annotation: shapes.annotation,
  FinishReason: shapes.finishReason,
};

const NAMES = new Map(Object.entries(DEFINITIONS).map(([name, shape]) => [shape, name]));

function schemaReference(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

/** Returns the JSON Schema of a shape. A shape that is a definition is returned as a reference to `#/$defs/…`. */
export function toJsonSchema(shape: AnyShape): JsonObject {
  const name = NAMES.get(shape);
  return name === undefined ? expandShape(shape) : schemaReference(name);
}

function expandShape(shape: AnyShape): JsonObject {
  switch (shape.kind) {
    case "json":
      return {};
    case "string":
      return { type: "string", ...(shape.pattern !== undefined && { pattern: shape.pattern }) };
    case "number":
    case "integer":
    case "boolean":
      return { type: shape.kind, ...(shape.minimum !== undefined && { minimum: shape.minimum }) };
    case "words":
      return shape.values.length === 1 ? { const: shape.values[0] ?? "" } : { enum: [...shape.values] };
    case "list":
      return { type: "array", items: toJsonSchema(shape.of) };
    case "dictionary":
      return { type: "object", additionalProperties: toJsonSchema(shape.of) };
    case "either":
      return { anyOf: shape.of.map(toJsonSchema) };
    case "nullable":
      return { anyOf: [toJsonSchema(shape.of), { type: "null" }] };
    case "reference":
      return schemaReference(shape.name);
    case "union":
      return { oneOf: Object.values(shape.variants).map(toJsonSchema) };
    case "object":
      return expandObject(shape);
  }
}

function expandObject(shape: ObjectShape): JsonObject {
  const fields = { ...shape.required, ...shape.optional };
  const required = Object.keys(shape.required);
  const schema: JsonObject = {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([key, field]): [string, JsonValue] => [key, toJsonSchema(field)]),
    ),
  };
  if (required.length > 0) schema["required"] = required;
  if (shape.open !== true) schema["additionalProperties"] = false;
  if (shape.exactlyOne !== undefined) schema["oneOf"] = shape.exactlyOne.map((key) => ({ required: [key] }));
  return schema;
}

/** Returns the JSON Schema of the canonical model. Its root accepts a message or a stored message. */
export function jsonSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:koine:schema:${SCHEMA_VERSION}`,
    title: `Koine messages, schema version ${SCHEMA_VERSION}`,
    anyOf: [schemaReference("StoredMessage"), schemaReference("Message")],
    $defs: Object.fromEntries(
      Object.entries(DEFINITIONS).map(([name, shape]): [string, JsonValue] => [name, expandShape(shape)]),
    ),
  };
}

// The published JSON Schema (2020-12), derived from the same shapes that `validate` reads.
import * as exchange from "./exchange-shapes.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { AnyShape, ObjectShape } from "./shape.ts";
import * as shapes from "./shapes.ts";
import { SCHEMA_VERSION } from "./version.ts";

/** The shapes with a name of their own in the schema. */
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

function refer(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

/** The schema of any shape; those with a name of their own are referred to, as `#/$defs/…`. */
export function schemaOf(shape: AnyShape): JsonObject {
  const name = NAMES.get(shape);
  return name === undefined ? expand(shape) : refer(name);
}

function expand(shape: AnyShape): JsonObject {
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
      return shape.words.length === 1 ? { const: shape.words[0] ?? "" } : { enum: [...shape.words] };
    case "list":
      return { type: "array", items: schemaOf(shape.of) };
    case "dictionary":
      return { type: "object", additionalProperties: schemaOf(shape.of) };
    case "either":
      return { anyOf: shape.of.map(schemaOf) };
    case "nullable":
      return { anyOf: [schemaOf(shape.of), { type: "null" }] };
    case "reference":
      return refer(shape.name);
    case "union":
      return { oneOf: Object.values(shape.variants).map(schemaOf) };
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
      Object.entries(fields).map(([key, field]): [string, JsonValue] => [key, schemaOf(field)]),
    ),
  };
  if (required.length > 0) schema["required"] = required;
  if (shape.open !== true) schema["additionalProperties"] = false;
  if (shape.exactlyOne !== undefined) schema["oneOf"] = shape.exactlyOne.map((key) => ({ required: [key] }));
  return schema;
}

/** The JSON Schema of the model; the root is a message, stored or not. */
export function jsonSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:koine:schema:${SCHEMA_VERSION}`,
    title: `Koine messages, schema version ${SCHEMA_VERSION}`,
    anyOf: [refer("StoredMessage"), refer("Message")],
    $defs: Object.fromEntries(
      Object.entries(DEFINITIONS).map(([name, shape]): [string, JsonValue] => [name, expand(shape)]),
    ),
  };
}

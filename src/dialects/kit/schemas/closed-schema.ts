// Closes the object schemas within a JSON Schema (`additionalProperties: false`), as OpenAI requires for structured
// outputs and strict tools.
import { copyObject } from "../../../model/json/index.ts";
import type { SchemaObject } from "../../../model/request.ts";
import { isObject } from "../fields/read-wire.ts";

const OPEN = "additionalProperties";
/** The keywords whose value is a list of schemas or a map of schemas by name. */
const NESTED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "anyOf", "allOf", "oneOf"]);

/**
 * Returns the schema with `additionalProperties: false` in every object schema without that keyword. Returns the given
 * object if nothing has to be added.
 */
export function closeSchema(schema: SchemaObject): SchemaObject {
  let closed: Record<string, unknown> = schema;
  const set = (key: string, value: unknown): void => {
    if (closed === schema) closed = copyObject(schema);
    closed[key] = value;
  };
  for (const key of Object.keys(schema)) {
    const value = schema[key];
    const closedValue = key === "items" ? closeValue(value) : NESTED.has(key) ? closeEach(value) : value;
    if (closedValue !== value) set(key, closedValue);
  }
  if ((schema["type"] === "object" || schema["properties"] !== undefined) && schema[OPEN] === undefined)
    set(OPEN, false);
  return closed;
}

function closeValue(value: unknown): unknown {
  return isObject(value) ? closeSchema(value) : value;
}

function closeEach(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map(closeValue);
    return list.every((each, index) => each === value[index]) ? value : list;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, closeValue(each)] as const);
  return entries.every(([key, each]) => each === value[key]) ? value : Object.fromEntries(entries);
}

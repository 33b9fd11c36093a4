// Schemas whose objects must all be closed, as those of answers and of strict tools.
import { copyObject } from "../../model/json.ts";
import type { SchemaObject } from "../../model/request.ts";
import { isObject } from "./read.ts";

const OPEN = "additionalProperties";
/** Where schemas stand within a schema, by name or in a list. */
const WITHIN: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "anyOf", "allOf", "oneOf"]);

/** The schema with every object closed that does not say whether it is; the very same where there is none. */
export function closedSchema(schema: SchemaObject): SchemaObject {
  let closed: Record<string, unknown> = schema;
  const set = (key: string, value: unknown): void => {
    if (closed === schema) closed = copyObject(schema);
    closed[key] = value;
  };
  for (const key of Object.keys(schema)) {
    const value = schema[key];
    const better = key === "items" ? closedValue(value) : WITHIN.has(key) ? closedEach(value) : value;
    if (better !== value) set(key, better);
  }
  if ((schema["type"] === "object" || schema["properties"] !== undefined) && schema[OPEN] === undefined)
    set(OPEN, false);
  return closed;
}

function closedValue(value: unknown): unknown {
  return isObject(value) ? closedSchema(value) : value;
}

function closedEach(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map(closedValue);
    return list.every((each, index) => each === value[index]) ? value : list;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, closedValue(each)] as const);
  return entries.every(([key, each]) => each === value[key]) ? value : Object.fromEntries(entries);
}

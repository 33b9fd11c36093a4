// Schemas of arguments where those must be an object, and the schema must say so at its root.
import { copyObject } from "../../model/json.ts";
import type { SchemaObject } from "../../model/request.ts";
import { isObject } from "./read.ts";
import { WRAPPED } from "./text-tools.ts";

const OBJECT = "object";
const DEFINITIONS = ["$defs", "definitions"];

/** Whether a schema says at its root that an object is valid, in JSON Schema's spelling or in OpenAPI's. */
export function saysObject({ type }: SchemaObject): boolean {
  return [type].flat().some((name) => typeof name === "string" && name.toLowerCase() === OBJECT);
}

/** Whether nothing at the root of a schema keeps objects out. */
function takesObject(schema: unknown): boolean {
  if (!isObject(schema)) return schema !== false;
  const { type, enum: members, const: only, anyOf, oneOf } = schema;
  if (type !== undefined) return saysObject(schema);
  if (only !== undefined || Array.isArray(members)) return [only, members].flat().some(isObject);
  return [anyOf, oneOf].every((branches) => !Array.isArray(branches) || branches.some(takesObject));
}

/** The schema with an object for its root, and what was done for it. What is no object is put into one. */
export function objectSchema(schema: SchemaObject): { schema: SchemaObject; what: string } {
  if (takesObject(schema)) {
    return { schema: Object.assign(copyObject(schema), { type: OBJECT }), what: 'Its type is "object" now.' };
  }
  const inner: Record<string, unknown> = copyObject(schema);
  const outer: Record<string, unknown> = {
    type: OBJECT,
    properties: { [WRAPPED]: inner },
    required: [WRAPPED],
  };
  // References lead there from the root.
  for (const key of DEFINITIONS) {
    if (inner[key] === undefined) continue;
    outer[key] = inner[key];
    delete inner[key];
  }
  return { schema: outer, what: `It was put into an object, as its "${WRAPPED}".` };
}

// Schemas of arguments where those must be an object, and the schema must say so at its root.
import { copyObject, stringifyJson } from "../../model/json.ts";
import { parsePointer } from "../../model/json-pointer.ts";
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

const CHOICES = ["anyOf", "oneOf"] as const;
const COMBINED = [...CHOICES, "allOf"] as const;

function isCombined(schema: SchemaObject): boolean {
  return COMBINED.some((key) => schema[key] !== undefined);
}

/** Whether a schema says that it is of an object, and nothing at its root combines it with others. */
export function isPlainObject(schema: SchemaObject): boolean {
  return schema["type"] === OBJECT && !isCombined(schema);
}

/** The same where the root may not combine schemas either: what the combined ones say becomes properties of one object. */
export function plainObjectSchema(schema: SchemaObject): { schema: SchemaObject; what: string } {
  if (!isCombined(schema) || !takesObject(schema)) return objectSchema(schema);
  const { properties, required } = fieldsOf(schema, schema, new Set());
  const plain: Record<string, unknown> = copyObject(schema);
  for (const key of [...COMBINED, "required"]) delete plain[key];
  Object.assign(plain, { type: OBJECT, properties: Object.fromEntries(properties) });
  if (required.length > 0) plain["required"] = required;
  return { schema: plain, what: "What it combined at its root became the properties of one object." };
}

interface Fields {
  properties: Map<string, unknown>;
  required: string[];
}

/** What an object may and must have by a schema; each schema is read once, so that none goes in circles. */
function fieldsOf(schema: unknown, root: SchemaObject, seen: Set<unknown>): Fields {
  if (!isObject(schema) || seen.has(schema)) return { properties: new Map(), required: [] };
  seen.add(schema);
  const { properties, required, $ref, allOf } = schema;
  const read = (branch: unknown): Fields => fieldsOf(branch, root, seen);
  const own: Fields = {
    properties: new Map(isObject(properties) ? Object.entries(properties) : []),
    required: Array.isArray(required) ? required.filter((name) => typeof name === "string") : [],
  };
  const together = [own, read(referred($ref, root)), ...(Array.isArray(allOf) ? allOf.map(read) : [])];
  for (const key of CHOICES) {
    const branches = schema[key];
    if (!Array.isArray(branches)) continue;
    const any = branches.filter(takesObject).map(read);
    const always = any[0]?.required.filter((name) => any.every((branch) => branch.required.includes(name))) ?? [];
    together.push({ properties: joined(any, "anyOf"), required: always });
  }
  const all = together.flatMap((each) => each.required);
  return { properties: joined(together, "allOf"), required: [...new Set(all)] };
}

/** What a reference within the schema leads to. */
function referred(ref: unknown, root: SchemaObject): unknown {
  const steps = typeof ref === "string" && ref.startsWith("#") ? parsePointer(ref.slice(1)) : undefined;
  return steps?.reduce<unknown>(
    (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    root,
  );
}

/** Properties of several schemas, each with all that is said of it. */
function joined(several: readonly Fields[], how: "anyOf" | "allOf"): Map<string, unknown> {
  const said = new Map<string, Map<string, unknown>>();
  for (const { properties } of several) {
    for (const [name, schema] of properties) {
      const schemas = said.get(name) ?? new Map<string, unknown>();
      said.set(name, schemas.set(stringifyJson(schema), schema));
    }
  }
  const properties = new Map<string, unknown>();
  for (const [name, byText] of said) {
    const schemas = [...byText.values()];
    properties.set(name, schemas.length === 1 ? schemas[0] : { [how]: schemas });
  }
  return properties;
}

// Changes the input schemas of tools so that their root is an object schema, for targets that require that.
import { copyObject, stringifyJson } from "../../../model/json/index.ts";
import { parsePointer } from "../../../model/json/short-pointer.ts";
import type { SchemaObject } from "../../../model/request.ts";
import { isObject } from "../fields/read-wire.ts";
import { WRAPPER_FIELD } from "../tools/text-tools.ts";

const OBJECT = "object";
const DEFINITIONS = ["$defs", "definitions"];

/** The result of a change to a schema. */
interface ChangedSchema {
  schema: SchemaObject;
  /** A sentence that describes the change, for the loss report. */
  change: string;
}

/** True if the `type` of the root is or includes "object" (JSON Schema) or "OBJECT" (OpenAPI). */
export function allowsObjectType({ type }: SchemaObject): boolean {
  return [type].flat().some((name) => typeof name === "string" && name.toLowerCase() === OBJECT);
}

/** True if no keyword at the root of a schema excludes objects. */
function acceptsObjects(schema: unknown): boolean {
  if (!isObject(schema)) return schema !== false;
  const { type, enum: members, const: constant, anyOf, oneOf } = schema;
  if (type !== undefined) return allowsObjectType(schema);
  if (constant !== undefined || Array.isArray(members)) return [constant, members].flat().some(isObject);
  return [anyOf, oneOf].every((branches) => !Array.isArray(branches) || branches.some(acceptsObjects));
}

/**
 * Returns the schema with the root type "object". A schema that excludes objects becomes a property of a new object.
 */
export function toObjectSchema(schema: SchemaObject): ChangedSchema {
  if (acceptsObjects(schema)) {
    return { schema: Object.assign(copyObject(schema), { type: OBJECT }), change: 'Its type is now "object".' };
  }
  const inner: Record<string, unknown> = copyObject(schema);
  const outer: Record<string, unknown> = {
    type: OBJECT,
    properties: { [WRAPPER_FIELD]: inner },
    required: [WRAPPER_FIELD],
  };
  // The definitions are moved to the new root, because references to them start at the root.
  for (const key of DEFINITIONS) {
    if (inner[key] === undefined) continue;
    outer[key] = inner[key];
    delete inner[key];
  }
  return { schema: outer, change: `It was wrapped in an object, in the property "${WRAPPER_FIELD}".` };
}

const CHOICES = ["anyOf", "oneOf"] as const;
const COMBINED = [...CHOICES, "allOf"] as const;

function isCombined(schema: SchemaObject): boolean {
  return COMBINED.some((key) => schema[key] !== undefined);
}

/** True if the root has the type "object" and none of the keywords `anyOf`, `oneOf` and `allOf`. */
export function isPlainObjectSchema(schema: SchemaObject): boolean {
  return schema["type"] === OBJECT && !isCombined(schema);
}

/**
 * Returns the schema with an object at the root and without `anyOf`, `oneOf` and `allOf` at the root, for targets that
 * reject these keywords there. The properties of the combined schemas are merged into one object.
 */
export function toPlainObjectSchema(schema: SchemaObject): ChangedSchema {
  if (!isCombined(schema) || !acceptsObjects(schema)) return toObjectSchema(schema);
  const { properties, required } = collectSchemaFields(schema, schema, new Set());
  const plain: Record<string, unknown> = copyObject(schema);
  for (const key of [...COMBINED, "required"]) delete plain[key];
  Object.assign(plain, { type: OBJECT, properties: Object.fromEntries(properties) });
  if (required.length > 0) plain["required"] = required;
  return { schema: plain, change: "The schemas combined at its root were merged into the properties of one object." };
}

interface SchemaFields {
  properties: Map<string, unknown>;
  required: string[];
}

/**
 * Collects the properties of a schema and of the schemas that it refers to or combines. Each schema is read only once,
 * so cyclic references do not recurse forever.
 */
function collectSchemaFields(schema: unknown, root: SchemaObject, visited: Set<unknown>): SchemaFields {
  if (!isObject(schema) || visited.has(schema)) return { properties: new Map(), required: [] };
  visited.add(schema);
  const { properties, required, $ref, allOf } = schema;
  const collect = (branch: unknown): SchemaFields => collectSchemaFields(branch, root, visited);
  const ownFields: SchemaFields = {
    properties: new Map(isObject(properties) ? Object.entries(properties) : []),
    required: Array.isArray(required) ? required.filter((name) => typeof name === "string") : [],
  };
  const all = [ownFields, collect(resolveReference($ref, root)), ...(Array.isArray(allOf) ? allOf.map(collect) : [])];
  for (const key of CHOICES) {
    const branches = schema[key];
    if (!Array.isArray(branches)) continue;
    const choices = branches.filter(acceptsObjects).map(collect);
    const inEvery =
      choices[0]?.required.filter((name) => choices.every((branch) => branch.required.includes(name))) ?? [];
    all.push({ properties: mergeProperties(choices, "anyOf"), required: inEvery });
  }
  const requiredNames = all.flatMap((each) => each.required);
  return { properties: mergeProperties(all, "allOf"), required: [...new Set(requiredNames)] };
}

function resolveReference(ref: unknown, root: SchemaObject): unknown {
  const steps = typeof ref === "string" && ref.startsWith("#") ? parsePointer(ref.slice(1)) : undefined;
  return steps?.reduce<unknown>(
    (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    root,
  );
}

/**
 * Merges the properties of several schemas by name. If a property has different schemas, its merged schema combines
 * them with `keyword`.
 */
function mergeProperties(several: readonly SchemaFields[], keyword: "anyOf" | "allOf"): Map<string, unknown> {
  const byName = new Map<string, Map<string, unknown>>();
  for (const { properties } of several) {
    for (const [name, schema] of properties) {
      const schemas = byName.get(name) ?? new Map<string, unknown>();
      byName.set(name, schemas.set(stringifyJson(schema), schema));
    }
  }
  const properties = new Map<string, unknown>();
  for (const [name, byText] of byName) {
    const schemas = [...byText.values()];
    properties.set(name, schemas.length === 1 ? schemas[0] : { [keyword]: schemas });
  }
  return properties;
}

// Decodes and encodes the schema fields of the wire. A schema is written as Gemini's Schema if that can express it, and
// otherwise as JSON Schema, which has a field of its own.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { stringifyJson } from "../../../model/json/index.ts";
import { parsePointer } from "../../../model/json/short-pointer.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { SchemaObject } from "../../../model/request.ts";
import type { EncodeContext } from "../../dialect.ts";
import { toObjectSchema, allowsObjectType } from "../../kit/schemas/object-schema.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import type { GeminiLossCode } from "../losses.ts";
import { fitsGeminiSchema, fromGeminiSchema, toJsonSchema, toGeminiSchema } from "./convert-schema.ts";

/** Vendors that do not accept the JSON Schema fields. */
const VENDORS_WITHOUT_JSON_SCHEMA: ReadonlySet<string | undefined> = new Set(["openapi-schema"]);

/**
 * The two wire fields for one schema: `subset` for Gemini's Schema, `native` for JSON Schema. The name in `subset` is
 * also the form key under which the spelling of the schema is stored.
 */
export interface SchemaFieldPair {
  readonly subset: string;
  readonly native: string;
}
export const PARAMETERS_SCHEMA: SchemaFieldPair = { subset: "parameters", native: "parametersJsonSchema" };
export const RESPONSE_SCHEMA: SchemaFieldPair = { subset: "response", native: "responseJsonSchema" };
export const OUTPUT_SCHEMA: SchemaFieldPair = { subset: "responseSchema", native: "responseJsonSchema" };

const OWN_SPELLING = "own";
const NATIVE_FIELD = "json";
const EMPTY_OBJECT = "empty";

/**
 * Decodes a schema from one of its two fields; returns undefined if neither or both of the fields are present, or if
 * the value is not an object.
 */
export function decodeSchema(
  wire: JsonObject,
  { subset, native }: SchemaFieldPair,
  target: WithExtra,
  decodedKeys: string[],
  dialect: string,
): JsonObject | undefined {
  const [field, other] = wire[subset] === undefined ? [native, subset] : [subset, native];
  const schema = wire[field];
  if (!isObject(schema) || wire[other] !== undefined) return undefined;
  decodedKeys.push(field);
  const isSubset = field === subset;
  const exact = isSubset ? fromGeminiSchema(schema) : schema;
  if (exact === undefined) {
    const decoded = toJsonSchema(schema);
    // The schema would change if it were converted back, so the form stores the original. If the original was already
    // spelled as JSON Schema, the form stores only OWN_SPELLING.
    storeForm(target, dialect, subset, isIdenticalSchema(decoded, schema) ? OWN_SPELLING : schema);
    return decoded;
  }
  const lacksObjectRoot = subset === PARAMETERS_SCHEMA.subset && !allowsObjectType(schema);
  if (isEmptyParameters(schema, subset) || (!isSubset && (lacksObjectRoot || fitsGeminiSchema(schema)))) {
    storeForm(target, dialect, subset, isSubset ? EMPTY_OBJECT : NATIVE_FIELD);
  }
  return exact;
}

/** True if two schemas have the same JSON text, including the order of properties. */
function isIdenticalSchema(schema: JsonObject, other: JsonObject): boolean {
  return stringifyJson(schema) === stringifyJson(other);
}

/**
 * True if `field` is `parameters` and the schema is an object without properties, that is, the function has no
 * parameters.
 */
function isEmptyParameters(
  { type, properties = {}, additionalProperties = false, ...rest }: SchemaObject,
  field: string,
): boolean {
  if (field !== PARAMETERS_SCHEMA.subset || additionalProperties !== false || Object.keys(rest).some(isConstraint))
    return false;
  return typeof type === "string" && /^object$/i.test(type) && Object.keys(Object(properties)).length === 0;
}
function isConstraint(keyword: string): boolean {
  return keyword !== "required" && keyword !== "$schema";
}

/**
 * Encodes a schema into one of its two fields (B51). The path tracker must be at the object whose field `modelField` is
 * the schema.
 */
export function encodeSchema(
  schema: SchemaObject,
  modelField: string,
  { subset, native }: SchemaFieldPair,
  target: WithExtra,
  wire: JsonObject,
  context: EncodeContext<GeminiLossCode>,
): void {
  const form: JsonValue | undefined =
    target.extra === undefined ? undefined : readForm(target, context.dialect)[subset];
  // The cast is safe, because a canonical schema is JSON.
  let jsonSchema = schema as JsonObject;
  if (isObject(form)) {
    if (isIdenticalSchema(toJsonSchema(form), jsonSchema)) {
      wire[subset] = form;
      return;
    }
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", subset]);
  }
  if (form === NATIVE_FIELD || form === OWN_SPELLING) {
    wire[form === OWN_SPELLING ? subset : native] = jsonSchema;
    return;
  }
  const isParameters = subset === PARAMETERS_SCHEMA.subset && context.repair;
  if (isParameters && !allowsObjectType(jsonSchema)) {
    const { schema: objectSchema, change } = toObjectSchema(jsonSchema);
    // The cast is safe, because toObjectSchema returns JSON if its argument is JSON.
    jsonSchema = objectSchema as JsonObject;
    context.report.addLoss("schema-changed", modelField, change);
  }
  if (context.repair && form !== EMPTY_OBJECT && isEmptyParameters(jsonSchema, subset)) {
    context.report.addLoss("parameters-empty", modelField);
    return;
  }
  const { schema: converted, changes } = toGeminiSchema(jsonSchema);
  const isNative = changes.length > 0 && !VENDORS_WITHOUT_JSON_SCHEMA.has(context.vendor);
  wire[isNative ? native : subset] = isNative ? jsonSchema : isParameters ? withObjectRoot(converted) : converted;
  if (isNative) return;
  for (const { path, detail } of changes)
    context.report.addLoss("schema-changed", [modelField, ...(parsePointer(path) ?? [])], detail);
}

/** Replaces `anyOf` at the root of a Gemini Schema by one object that has the properties of all branches. */
function withObjectRoot(schema: JsonObject): JsonObject {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const properties: JsonObject = {};
  for (const branch of anyOf) {
    const branchProperties = isObject(branch) && isObject(branch["properties"]) ? branch["properties"] : {};
    for (const name of Object.keys(branchProperties))
      if (!Object.hasOwn(properties, name)) copyField(branchProperties, name, properties);
  }
  return { type: "OBJECT", properties };
}

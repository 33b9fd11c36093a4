// Schemas on the wire: Gemini's own Schema where that says all of it, else native JSON Schema, in a field of its own.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import { parsePointer } from "../../model/json-pointer.ts";
import type { Extra } from "../../model/parts.ts";
import type { SchemaObject } from "../../model/request.ts";
import type { EncodeContext } from "../dialect.ts";
import { objectSchema, saysObject } from "../kit/object-schema.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import { fitsGeminiSchema, fromGeminiSchema, readGeminiSchema, toGeminiSchema } from "./schema.ts";

/** Hosts of the API that take no native JSON Schema. */
const SUBSET_ONLY: ReadonlySet<string | undefined> = new Set(["openapi-schema"]);

/** The two fields of a schema, and what is noted of it: its spelling. */
export interface SchemaFields {
  readonly subset: string;
  readonly native: string;
}
export const PARAMETERS: SchemaFields = { subset: "parameters", native: "parametersJsonSchema" };
export const RESPONSE: SchemaFields = { subset: "response", native: "responseJsonSchema" };
export const OUTPUT: SchemaFields = { subset: "responseSchema", native: "responseJsonSchema" };

const OWN = "own";
const NATIVE = "json";
const EMPTY = "empty";

/** Reads the one schema of two fields; undefined where there is none, or where both are there. */
export function decodeSchema(
  wire: JsonObject,
  { subset, native }: SchemaFields,
  target: { extra?: Extra },
  taken: string[],
  dialect: string,
): JsonObject | undefined {
  const [field, other] = wire[subset] === undefined ? [native, subset] : [subset, native];
  const schema = wire[field];
  if (!isObject(schema) || wire[other] !== undefined) return undefined;
  taken.push(field);
  const isSubset = field === subset;
  const exact = isSubset ? fromGeminiSchema(schema) : schema;
  if (exact === undefined) {
    const read = readGeminiSchema(schema);
    // What does not lead back is kept as it was spelled, unless it was in JSON Schema's words anyway.
    storeForm(target, dialect, subset, isSame(read, schema) ? OWN : schema);
    return read;
  }
  const isRootless = subset === PARAMETERS.subset && !saysObject(schema);
  if (isEmpty(schema, subset) || (!isSubset && (isRootless || fitsGeminiSchema(schema)))) {
    storeForm(target, dialect, subset, isSubset ? EMPTY : NATIVE);
  }
  return exact;
}

/** Whether two schemas are the same to the letter: the order of properties counts. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  return stringifyJson(one) === stringifyJson(other);
}

/** Whether parameters are an object without properties, which is no parameters at all. */
function isEmpty(
  { type, properties = {}, additionalProperties = false, ...rest }: SchemaObject,
  field: string,
): boolean {
  if (field !== PARAMETERS.subset || additionalProperties !== false || Object.keys(rest).some(saysMore)) return false;
  return typeof type === "string" && /^object$/i.test(type) && Object.keys(Object(properties)).length === 0;
}
function saysMore(keyword: string): boolean {
  return keyword !== "required" && keyword !== "$schema";
}

/** Writes a schema into one of its two fields (B51); the trail stands at what holds it, in the field `at`. */
export function encodeSchema(
  schema: SchemaObject,
  at: string,
  { subset, native }: SchemaFields,
  target: { extra?: Extra },
  wire: JsonObject,
  context: EncodeContext<Code>,
): void {
  const form: JsonValue | undefined =
    target.extra === undefined ? undefined : readForm(target, context.dialect)[subset];
  // Schemas are JSON, whoever wrote them down.
  let given = schema as JsonObject;
  if (isObject(form)) {
    if (isSame(readGeminiSchema(form), given)) {
      wire[subset] = form;
      return;
    }
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", subset]);
  }
  if (form === NATIVE || form === OWN) {
    wire[form === OWN ? subset : native] = given;
    return;
  }
  const isParameters = subset === PARAMETERS.subset && context.repair;
  if (isParameters && !saysObject(given)) {
    const { schema: mended, what } = objectSchema(given);
    // A copy of the same JSON.
    given = mended as JsonObject;
    context.report.addLoss("schema-changed", at, what);
  }
  if (context.repair && form !== EMPTY && isEmpty(given, subset)) {
    context.report.addLoss("parameters-empty", at);
    return;
  }
  const { schema: converted, changes } = toGeminiSchema(given);
  const isNative = changes.length > 0 && !SUBSET_ONLY.has(context.vendor);
  wire[isNative ? native : subset] = isNative ? given : isParameters ? withObjectRoot(converted) : converted;
  if (isNative) return;
  for (const { path, what } of changes)
    context.report.addLoss("schema-changed", [at, ...(parsePointer(path) ?? [])], what);
}

/** Parameters that are one of several objects: an object that may have the properties of all of them. */
function withObjectRoot(schema: JsonObject): JsonObject {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const properties: JsonObject = {};
  for (const branch of anyOf) {
    const own = isObject(branch) && isObject(branch["properties"]) ? branch["properties"] : {};
    for (const name of Object.keys(own)) if (!Object.hasOwn(properties, name)) copyField(own, name, properties);
  }
  return { type: "OBJECT", properties };
}

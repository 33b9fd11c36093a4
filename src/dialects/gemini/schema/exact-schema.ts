// Converts between JSON Schema and Gemini's Schema without changing the meaning.
import { setOwn } from "../../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { MAX_DEPTH } from "../../../model/json/index.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import {
  toGeminiType,
  type GeminiSchemaType,
  typeHasKeyword,
  isCountKeyword,
  isValidKeywordValue,
  isValidEnumMember,
} from "./schema-keywords.ts";

/** Converts a JSON Schema to a Gemini Schema; returns undefined if Gemini's Schema cannot express it exactly. */
export function toExactGeminiSchema(schema: unknown): JsonObject | undefined {
  return convertExactly(schema, false, 1);
}

/**
 * Converts the result of toNearestSchema to a Gemini Schema. A null branch in `anyOf` is allowed here: older versions
 * of the API reject it, but Gemini's Schema has no other way to express it.
 */
export function respellAsGeminiSchema(schema: unknown): JsonObject | undefined {
  return convertExactly(schema, true, 1);
}

function convertExactly(schema: unknown, allowsNullBranch: boolean, depth: number): JsonObject | undefined {
  if (!isObject(schema) || depth > MAX_DEPTH) return undefined;
  const keys = Object.keys(schema);
  const { type: jsonType, anyOf } = schema;
  if (Array.isArray(anyOf)) {
    const branches = anyOf.map((branch) => convertExactly(branch, allowsNullBranch, depth + 1));
    // Gemini rejects a schema that has `anyOf` together with other keywords.
    const isValidUnion = keys.length === 1 && branches.length > 0 && branches.every((branch) => branch !== undefined);
    return isValidUnion && (allowsNullBranch || branches.every((branch) => branch["type"] !== "NULL"))
      ? { anyOf: branches }
      : undefined;
  }
  const isNullable = Array.isArray(jsonType) && jsonType.length === 2 && jsonType.includes("null");
  const type = toGeminiType(isNullable ? jsonType.find((name) => name !== "null") : jsonType);
  if (type === undefined || (type === "ARRAY" && schema["items"] === undefined)) return undefined;
  const exact: JsonObject = {};
  for (const key of keys) {
    if (schema[key] === undefined) continue;
    if (key === "type") {
      exact[key] = type;
      if (isNullable) exact["nullable"] = true;
    } else if (
      !convertKeyword(schema, key, type, isNullable, exact, (inner) =>
        convertExactly(inner, allowsNullBranch, depth + 1),
      )
    )
      return undefined;
  }
  return exact;
}

/** Converts one keyword; returns false if Gemini's Schema cannot express it. */
function convertKeyword(
  schema: JsonObject,
  key: string,
  type: GeminiSchemaType,
  isNullable: boolean,
  exact: JsonObject,
  convertInner: (schema: JsonValue | undefined) => JsonObject | undefined,
): boolean {
  const value = schema[key];
  const isList = Array.isArray(value);
  if (key === "const" && !isNullable && isValidEnumMember(value, type) && schema["enum"] === undefined)
    exact["enum"] = [value as string];
  else if (!typeHasKeyword(key, type) || (key === "nullable" && isNullable)) return false;
  else if (key === "items") return setIfConverted(exact, key, convertInner(value));
  else if (key === "properties" && isObject(value)) {
    const properties: JsonObject = (exact[key] = {});
    return Object.keys(value).every((name) => setIfConverted(properties, name, convertInner(value[name])));
  } else if (key === "enum" && isList) {
    // JSON Schema lists null in the `enum` of a nullable type; Gemini's Schema does not, so null is removed.
    const members = isNullable ? value.filter((member) => member !== null) : value;
    exact[key] = members;
    const hasValidNulls = members.length > 0 && members.length < value.length === isNullable;
    return hasValidNulls && members.every((member) => isValidEnumMember(member, type));
  } else if ((key === "required" || key === "propertyOrdering") && isList) {
    const { properties } = schema;
    exact[key] = value;
    return value.every((name) => typeof name === "string" && isObject(properties) && Object.hasOwn(properties, name));
  } else if (!isValidKeywordValue(key, value, type)) return false;
  // Counts are written as strings, because Google's types declare them so: Proto JSON writes 64-bit numbers as strings.
  else if (isCountKeyword(key)) exact[key] = String(Number(value));
  else copyField(schema, key, exact);
  return true;
}

function setIfConverted(to: JsonObject, key: string, exact: JsonObject | undefined): boolean {
  if (exact !== undefined) setOwn(to, key, exact);
  return exact !== undefined;
}

/** Converts a Gemini Schema to JSON Schema; unknown keywords and values stay unchanged. */
export function toJsonSchema(schema: JsonObject): JsonObject {
  return toJsonSchemaValue(schema, 1) as JsonObject;
}

function toJsonSchemaValue(schema: JsonValue, depth: number): JsonValue {
  if (!isObject(schema) || depth > MAX_DEPTH) return schema;
  const type = toGeminiType(schema["type"])?.toLowerCase();
  const isNullable = type !== undefined && schema["nullable"] === true;
  const json: JsonObject = {};
  for (const key of Object.keys(schema)) {
    const value = schema[key] as JsonValue;
    if (key === "type" && typeof value === "string") {
      // `type` is undefined for "TYPE_UNSPECIFIED" and for unknown types; the JSON Schema then has no type.
      if (type !== undefined) json[key] = isNullable ? [type, "null"] : type;
    } else if (key === "items") json[key] = toJsonSchemaValue(value, depth + 1);
    else if (key === "anyOf" && Array.isArray(value))
      json[key] = value.map((branch) => toJsonSchemaValue(branch, depth + 1));
    else if (key === "properties" && isObject(value)) {
      const properties: JsonObject = (json[key] = {});
      for (const name of Object.keys(value))
        setOwn(properties, name, toJsonSchemaValue(value[name] as JsonValue, depth + 1));
    } else if (key === "enum" && Array.isArray(value)) {
      // Gemini's `enum` lists numbers as strings and never lists null; JSON Schema needs numbers and null.
      const members = value.map((each) => (isNumericMember(each, type) ? Number(each) : each));
      json[key] = isNullable ? [...members, null] : members;
    } else if (isCountKeyword(key) && typeof value === "string" && /^\d+$/.test(value)) json[key] = Number(value);
    else if (key !== "nullable" || !isNullable) copyField(schema, key, json);
  }
  return json;
}

function isNumericMember(member: JsonValue, type: string | undefined): boolean {
  return (type === "integer" || type === "number") && typeof member === "string" && /^-?\d+(\.\d+)?$/.test(member);
}

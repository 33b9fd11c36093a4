// JSON Schema and Gemini's Schema in each other's spelling, where they say the same.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { MAX_DEPTH } from "../../model/json.ts";
import { copyField, isObject } from "../kit/read.ts";
import { geminiType, type GeminiType, goesWith, isCount, takes, takesMember } from "./schema-keywords.ts";

/** A JSON Schema in Gemini's spelling; undefined where Gemini's Schema does not say all of it. */
export function exactGeminiSchema(schema: unknown): JsonObject | undefined {
  return spell(schema, false, 1);
}

/** The same for what is the nearest already: older versions of the API take no null in `anyOf`, but there is no other way. */
export function spellGeminiSchema(schema: unknown): JsonObject | undefined {
  return spell(schema, true, 1);
}

function spell(schema: unknown, takesNull: boolean, depth: number): JsonObject | undefined {
  if (!isObject(schema) || depth > MAX_DEPTH) return undefined;
  const keys = Object.keys(schema);
  const { type: said, anyOf } = schema;
  if (Array.isArray(anyOf)) {
    const branches = anyOf.map((branch) => spell(branch, takesNull, depth + 1));
    // The API takes nothing beside `anyOf`.
    const isFit = keys.length === 1 && branches.length > 0 && branches.every((branch) => branch !== undefined);
    return isFit && (takesNull || branches.every((branch) => branch["type"] !== "NULL"))
      ? { anyOf: branches }
      : undefined;
  }
  const isNullable = Array.isArray(said) && said.length === 2 && said.includes("null");
  const type = geminiType(isNullable ? said.find((name) => name !== "null") : said);
  if (type === undefined || (type === "ARRAY" && schema["items"] === undefined)) return undefined;
  const exact: JsonObject = {};
  for (const key of keys) {
    if (schema[key] === undefined) continue;
    if (key === "type") {
      exact[key] = type;
      if (isNullable) exact["nullable"] = true;
    } else if (!writeExact(schema, key, type, isNullable, exact, (inner) => spell(inner, takesNull, depth + 1)))
      return undefined;
  }
  return exact;
}

/** Writes one keyword; whether Gemini's Schema says all of it. */
function writeExact(
  schema: JsonObject,
  key: string,
  type: GeminiType,
  isNullable: boolean,
  exact: JsonObject,
  below: (schema: JsonValue | undefined) => JsonObject | undefined,
): boolean {
  const value = schema[key];
  const isList = Array.isArray(value);
  if (key === "const" && !isNullable && takesMember(value, type) && schema["enum"] === undefined)
    exact["enum"] = [value as string];
  else if (!goesWith(key, type) || (key === "nullable" && isNullable)) return false;
  else if (key === "items") return setExact(exact, key, below(value));
  else if (key === "properties" && isObject(value)) {
    const properties: JsonObject = (exact[key] = {});
    return Object.keys(value).every((name) => setExact(properties, name, below(value[name])));
  } else if (key === "enum" && isList) {
    // Null is listed where it is valid, but not by Gemini.
    const members = isNullable ? value.filter((member) => member !== null) : value;
    exact[key] = members;
    const isFit = members.length > 0 && members.length < value.length === isNullable;
    return isFit && members.every((member) => takesMember(member, type));
  } else if ((key === "required" || key === "propertyOrdering") && isList) {
    const { properties } = schema;
    exact[key] = value;
    return value.every((name) => typeof name === "string" && isObject(properties) && Object.hasOwn(properties, name));
  } else if (!takes(key, value, type)) return false;
  // The official types have counts as text, as JSON has 64-bit numbers.
  else if (isCount(key)) exact[key] = String(Number(value));
  else copyField(schema, key, exact);
  return true;
}

function setExact(to: JsonObject, key: string, exact: JsonObject | undefined): boolean {
  if (exact !== undefined) setOwn(to, key, exact);
  return exact !== undefined;
}

/** A Gemini Schema as JSON Schema as well as it goes: what is no word of Gemini's stays as it is. */
export function readGeminiSchema(schema: JsonObject): JsonObject {
  // An object is read as an object.
  return readSchema(schema, 1) as JsonObject;
}

function readSchema(schema: JsonValue, depth: number): JsonValue {
  if (!isObject(schema) || depth > MAX_DEPTH) return schema;
  const type = geminiType(schema["type"])?.toLowerCase();
  const isNullable = type !== undefined && schema["nullable"] === true;
  const json: JsonObject = {};
  for (const key of Object.keys(schema)) {
    const value = schema[key] as JsonValue;
    if (key === "type" && typeof value === "string") {
      // "TYPE_UNSPECIFIED" is none.
      if (type !== undefined) json[key] = isNullable ? [type, "null"] : type;
    } else if (key === "items") json[key] = readSchema(value, depth + 1);
    else if (key === "anyOf" && Array.isArray(value)) json[key] = value.map((branch) => readSchema(branch, depth + 1));
    else if (key === "properties" && isObject(value)) {
      const properties: JsonObject = (json[key] = {});
      for (const name of Object.keys(value)) setOwn(properties, name, readSchema(value[name] as JsonValue, depth + 1));
    } else if (key === "enum" && Array.isArray(value)) {
      // Gemini lists numbers as text, and null nowhere.
      const members = value.map((each) => (isNumeric(each, type) ? Number(each) : each));
      json[key] = isNullable ? [...members, null] : members;
    } else if (isCount(key) && typeof value === "string" && /^\d+$/.test(value)) json[key] = Number(value);
    else if (key !== "nullable" || !isNullable) copyField(schema, key, json);
  }
  return json;
}

function isNumeric(member: JsonValue, type: string | undefined): boolean {
  return (type === "integer" || type === "number") && typeof member === "string" && /^-?\d+(\.\d+)?$/.test(member);
}

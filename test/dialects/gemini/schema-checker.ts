// Checks schemas against the strictest rules of Gemini's Schema, taken from its documentation and the API's errors.
// Independent of the code under test.
import type { JsonObject } from "../../../src/model/json/index.ts";
import { isObject } from "../../../src/model/value-kind.ts";

/** Returns the faults of a schema; none if every version of the API accepts it. */
export function findSchemaFaults(schema: unknown, path = ""): string[] {
  if (!isObject(schema)) return [`${path} is no object`];
  const { type, anyOf, items, properties = {}, ...rest } = schema;
  if (anyOf !== undefined) {
    if (!Array.isArray(anyOf) || anyOf.length === 0 || Object.keys(schema).length > 1) return [`${path} mixes anyOf`];
    return anyOf.flatMap((branch, index) => findSchemaFaults(branch, `${path}/anyOf/${index}`));
  }
  if (typeof type !== "string" || !/^(STRING|NUMBER|INTEGER|BOOLEAN|ARRAY|OBJECT|NULL)$/.test(type)) {
    return [`${path} has no type`];
  }
  const faults = Object.keys(rest)
    .filter((key) => !isValid(key, rest[key], type, properties))
    .map((key) => `${path}/${key}`);
  if ((type === "ARRAY") !== (items !== undefined)) faults.push(`${path} has items or needs them`);
  if (type !== "OBJECT" && schema["properties"] !== undefined) faults.push(`${path} has properties`);
  if (items !== undefined) faults.push(...findSchemaFaults(items, `${path}/items`));
  for (const name of Object.keys(properties ?? {})) {
    faults.push(...findSchemaFaults((properties as JsonObject)[name], `${path}/properties/${name}`));
  }
  return faults;
}

function isValid(key: string, value: unknown, type: string, properties: unknown): boolean {
  const isNumeric = type === "NUMBER" || type === "INTEGER";
  const isNames = Array.isArray(value) && value.every((each) => typeof each === "string");
  switch (key) {
    case "title":
    case "description":
      return typeof value === "string";
    case "default":
    case "example":
      return value !== undefined;
    case "nullable":
      return typeof value === "boolean";
    case "enum":
      return type === "STRING" && isNames && value.length > 0 && !value.includes("");
    case "format":
      if (type === "STRING") return value === "date-time" || value === "enum";
      return type === "NUMBER"
        ? value === "float" || value === "double"
        : type === "INTEGER" && /^int(32|64)$/.test(String(value));
    case "pattern":
      return type === "STRING" && typeof value === "string";
    case "minLength":
    case "maxLength":
      return type === "STRING" && /^\d+$/.test(String(value)) && typeof value === "string";
    case "minItems":
    case "maxItems":
      return type === "ARRAY" && /^\d+$/.test(String(value)) && typeof value === "string";
    case "minProperties":
    case "maxProperties":
      return type === "OBJECT" && /^\d+$/.test(String(value)) && typeof value === "string";
    case "minimum":
    case "maximum":
      return isNumeric && typeof value === "number";
    case "required":
    case "propertyOrdering":
      return type === "OBJECT" && isNames && value.every((name) => Object.hasOwn(properties as object, name));
    default:
      return false;
  }
}

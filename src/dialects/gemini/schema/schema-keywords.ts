// Lists the types and keywords of Gemini's Schema, and checks the values of keywords.

export type GeminiSchemaType = "STRING" | "NUMBER" | "INTEGER" | "BOOLEAN" | "ARRAY" | "OBJECT" | "NULL";

const ANY_TYPE = new Set(["type", "title", "description", "default", "example", "nullable", "enum"]);
const NUMERIC = ["format", "minimum", "maximum"];

/**
 * The keywords that are specific to each type. A schema without `type` gets the first type to which one of its keywords
 * belongs.
 */
const KEYWORDS: Readonly<Record<GeminiSchemaType, readonly string[]>> = {
  STRING: ["format", "pattern", "minLength", "maxLength"],
  NUMBER: NUMERIC,
  INTEGER: NUMERIC,
  BOOLEAN: [],
  ARRAY: ["items", "minItems", "maxItems"],
  OBJECT: ["properties", "required", "propertyOrdering", "minProperties", "maxProperties"],
  NULL: [],
};
const TYPES = Object.keys(KEYWORDS) as GeminiSchemaType[];

/**
 * Matches a type name, a space, and a format that every version of the API accepts for the type. A request with any
 * other format is rejected.
 */
const FORMATS = /^(STRING (enum|date-time)|NUMBER (float|double)|INTEGER int(32|64))$/;

/** Returns Gemini's name for a JSON Schema type, which may be in upper or lower case; undefined for unknown types. */
export function toGeminiType(name: unknown): GeminiSchemaType | undefined {
  return typeof name === "string" ? TYPES.find((type) => type === name.toUpperCase()) : undefined;
}

/** Returns the first type that a keyword is specific to; undefined if all types or no types have the keyword. */
export function findTypeWithKeyword(keyword: string): GeminiSchemaType | undefined {
  return TYPES.find((type) => KEYWORDS[type].includes(keyword));
}

export function typeHasKeyword(keyword: string, type: GeminiSchemaType): boolean {
  return ANY_TYPE.has(keyword) || KEYWORDS[type].includes(keyword);
}

/** True for keywords whose value is a count, such as `minItems`. */
export function isCountKeyword(keyword: string): boolean {
  return /^m..[ILP]/.test(keyword);
}

/** True if a keyword accepts this value. Applies only to keywords whose value is neither a schema nor a list. */
export function isValidKeywordValue(keyword: string, value: unknown, type: GeminiSchemaType): boolean {
  if (isCountKeyword(keyword)) return Number.isSafeInteger(value) && Number(value) >= 0;
  if (keyword === "default" || keyword === "example") return true;
  if (keyword === "nullable") return typeof value === "boolean";
  if (keyword.endsWith("imum")) return Number.isFinite(value);
  return typeof value === "string" && (keyword !== "format" || FORMATS.test(`${type} ${value}`));
}

/**
 * True if Gemini accepts the value in the `enum` of a schema of this type: only non-empty strings in the type STRING.
 */
export function isValidEnumMember(value: unknown, type: GeminiSchemaType): boolean {
  return type === "STRING" && typeof value === "string" && value !== "";
}

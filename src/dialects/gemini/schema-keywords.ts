// The words of Gemini's Schema: its types, its keywords, which types they go with and what they take.

export type GeminiType = "STRING" | "NUMBER" | "INTEGER" | "BOOLEAN" | "ARRAY" | "OBJECT" | "NULL";

const ANY_TYPE = new Set(["type", "title", "description", "default", "example", "nullable", "enum"]);
const NUMERIC = ["format", "minimum", "maximum"];

/** The keywords of each type. A schema without `type` is taken for the first type that has its keyword. */
const KEYWORDS: Readonly<Record<GeminiType, readonly string[]>> = {
  STRING: ["format", "pattern", "minLength", "maxLength"],
  NUMBER: NUMERIC,
  INTEGER: NUMERIC,
  BOOLEAN: [],
  ARRAY: ["items", "minItems", "maxItems"],
  OBJECT: ["properties", "required", "propertyOrdering", "minProperties", "maxProperties"],
  NULL: [],
};
// The keys of the table are the types.
const TYPES = Object.keys(KEYWORDS) as GeminiType[];

/** The formats that every version of the API takes; it refuses a request that holds another one. */
const FORMATS = /^(STRING (enum|date-time)|NUMBER (float|double)|INTEGER int(32|64))$/;

/** Gemini's word for a JSON Schema type, in any case; undefined where there is none. */
export function geminiType(name: unknown): GeminiType | undefined {
  return typeof name === "string" ? TYPES.find((type) => type === name.toUpperCase()) : undefined;
}

/** The first type that has a keyword of its own; undefined where all have it, or none. */
export function typeFor(keyword: string): GeminiType | undefined {
  return TYPES.find((type) => KEYWORDS[type].includes(keyword));
}

export function goesWith(keyword: string, type: GeminiType): boolean {
  return ANY_TYPE.has(keyword) || KEYWORDS[type].includes(keyword);
}

/** Whether a keyword takes a number of things. */
export function isCount(keyword: string): boolean {
  return /^m..[ILP]/.test(keyword);
}

/** Whether a keyword of a plain value takes this one. */
export function takes(keyword: string, value: unknown, type: GeminiType): boolean {
  if (isCount(keyword)) return Number.isSafeInteger(value) && Number(value) >= 0;
  if (keyword === "default" || keyword === "example") return true;
  if (keyword === "nullable") return typeof value === "boolean";
  if (keyword.endsWith("imum")) return Number.isFinite(value);
  return typeof value === "string" && (keyword !== "format" || FORMATS.test(`${type} ${value}`));
}

/** Whether a schema of this type may list the value in its `enum`; the API takes no empty text there. */
export function takesMember(value: unknown, type: GeminiType): boolean {
  return type === "STRING" && typeof value === "string" && value !== "";
}

// Tool and output schemas between JSON Schema and Gemini's own Schema, a subset of OpenAPI 3.0 (B51).
import type { JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { SchemaObject } from "../../model/request.ts";
import { exactGeminiSchema, readGeminiSchema, spellGeminiSchema } from "./schema-exact.ts";
import type { SchemaChange } from "./schema-merge.ts";
import { nearestSchema } from "./schema-nearest.ts";

export { exactGeminiSchema, readGeminiSchema };
export type { SchemaChange };

/** Any JSON Schema as the nearest Gemini Schema, and what had to change for it. */
export function toGeminiSchema(schema: SchemaObject): { schema: JsonObject; changes: SchemaChange[] } {
  const exact = exactGeminiSchema(schema);
  if (exact !== undefined) return { schema: exact, changes: [] };
  const { schema: nearest, changes } = nearestSchema(schema);
  if (changes.length === 0) changes.push({ path: "", what: "Said in another form.", action: "approximated" });
  // The nearest schema is one that Gemini's Schema says all of.
  return { schema: spellGeminiSchema(nearest) ?? { type: "OBJECT" }, changes };
}

/** Whether Gemini's Schema says all of a JSON Schema, in its own spelling. */
export function fitsGeminiSchema(schema: SchemaObject): boolean {
  return exactGeminiSchema(schema) !== undefined;
}

/** A Gemini Schema as JSON Schema; undefined where that would not lead back to exactly the same. */
export function fromGeminiSchema(schema: JsonObject): JsonObject | undefined {
  const read = readGeminiSchema(schema);
  const exact = exactGeminiSchema(read);
  return exact !== undefined && stringifyJson(exact) === stringifyJson(schema) ? read : undefined;
}

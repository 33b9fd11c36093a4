// Converts tool and output schemas between JSON Schema and Gemini's Schema, a subset of OpenAPI 3.0 (B51).
import type { JsonObject } from "../../../model/json/index.ts";
import { stringifyJson } from "../../../model/json/index.ts";
import type { SchemaObject } from "../../../model/request.ts";
import { toExactGeminiSchema, toJsonSchema, respellAsGeminiSchema } from "./exact-schema.ts";
import type { SchemaChange } from "./merge-schemas.ts";
import { toNearestSchema } from "./nearest-schema.ts";

export { toExactGeminiSchema, toJsonSchema };
export type { SchemaChange };

/** Returns the Gemini Schema that is nearest to a JSON Schema, and the list of changes. */
export function toGeminiSchema(schema: SchemaObject): { schema: JsonObject; changes: SchemaChange[] } {
  const exact = toExactGeminiSchema(schema);
  if (exact !== undefined) return { schema: exact, changes: [] };
  const { schema: nearest, changes } = toNearestSchema(schema);
  if (changes.length === 0)
    changes.push({ path: "", detail: "Written in an equivalent form.", action: "approximated" });
  // The fallback is never used, because toNearestSchema returns only keywords that Gemini's Schema supports.
  return { schema: respellAsGeminiSchema(nearest) ?? { type: "OBJECT" }, changes };
}

/** True if Gemini's Schema can express a JSON Schema without changes. */
export function fitsGeminiSchema(schema: SchemaObject): boolean {
  return toExactGeminiSchema(schema) !== undefined;
}

/**
 * Converts a Gemini Schema to JSON Schema; returns undefined if converting the result back would give a different
 * schema.
 */
export function fromGeminiSchema(schema: JsonObject): JsonObject | undefined {
  const jsonSchema = toJsonSchema(schema);
  const exact = toExactGeminiSchema(jsonSchema);
  return exact !== undefined && stringifyJson(exact) === stringifyJson(schema) ? jsonSchema : undefined;
}

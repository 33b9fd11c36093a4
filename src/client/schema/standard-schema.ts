// Detects Standard Schemas (Zod, Valibot, ArkType …), converts them to JSON Schema, and validates values with them.
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { SchemaObject } from "../../model/index.ts";
import { pointer } from "../../model/json/pointer.ts";
import { ClientError } from "../../calls/index.ts";
import type { SchemaResult, StandardSchemaWithJson, SchemaIssue } from "./types.ts";

/** The JSON Schema drafts to convert to, in order of preference; a library may support only one. */
const TARGETS = ["draft-2020-12", "draft-07"] as const;

export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  // Some libraries make their schemas callable, so a function is accepted, too.
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard: unknown = "~standard" in schema ? schema["~standard"] : undefined;
  return (
    typeof standard === "object" &&
    standard !== null &&
    "validate" in standard &&
    typeof standard.validate === "function"
  );
}

/**
 * Converts the input type of a Standard Schema, which describes a value before the schema's transformations, to JSON
 * Schema, because the model writes the untransformed value.
 */
export function toJsonSchema(schema: StandardSchemaV1, path: string): SchemaObject {
  const { vendor } = schema["~standard"];
  const advice = "Pass its JSON Schema in addition, or a JSON Schema instead.";
  if (!hasJsonSchema(schema)) {
    throw new ClientError("configuration", `This ${vendor} schema cannot be converted to JSON Schema. ${advice}`, {
      path,
    });
  }
  let cause: unknown;
  for (const target of TARGETS) {
    try {
      // The `$schema` declaration is removed, because models do not need it.
      const { $schema: _, ...json } = schema["~standard"].jsonSchema.input({ target });
      return json;
    } catch (error) {
      cause ??= error;
    }
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  throw new ClientError(
    "configuration",
    `This ${vendor} schema cannot be converted to JSON Schema: ${why}. ${advice}`,
    {
      path,
      cause,
    },
  );
}

/**
 * True if the Standard Schema can be converted: by the specification, the field `jsonSchema` is the complete converter.
 */
function hasJsonSchema(schema: StandardSchemaV1): schema is StandardSchemaWithJson {
  const standard: object = schema["~standard"];
  return "jsonSchema" in standard && typeof standard.jsonSchema === "object" && standard.jsonSchema !== null;
}

/** Validates a value with a Standard Schema. Rejects if the code of the schema throws. */
export async function validateStandard(schema: StandardSchemaV1, value: unknown): Promise<SchemaResult<unknown>> {
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: result.issues.map(toSchemaIssue) };
}

function toSchemaIssue({ message, path = [] }: StandardSchemaV1.Issue): SchemaIssue {
  const steps = path.map((segment) => (typeof segment === "object" ? segment.key : segment));
  return { path: pointer(steps.map((step) => (typeof step === "symbol" ? String(step) : step))), message };
}

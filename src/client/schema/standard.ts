// Standard Schemas (Zod, Valibot, ArkType …): how they are recognised, their JSON Schema, and their judgement.
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { SchemaObject } from "../../model/index.ts";
import { pointer } from "../../model/pointer.ts";
import { ClientError } from "../errors.ts";
import type { SchemaResult, DescribingSchema, SchemaIssue } from "./types.ts";

/** Tried in this order: a library need not know both. */
const TARGETS = ["draft-2020-12", "draft-07"] as const;

export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  // Some libraries make their schemas callable.
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard: unknown = "~standard" in schema ? schema["~standard"] : undefined;
  return (
    typeof standard === "object" &&
    standard !== null &&
    "validate" in standard &&
    typeof standard.validate === "function"
  );
}

/** The JSON Schema of what a schema takes: a model writes its input, not what it makes of it. */
export function describeStandard(schema: StandardSchemaV1, path: string): SchemaObject {
  const { vendor } = schema["~standard"];
  const advice = "Give its JSON Schema beside it, or a JSON Schema in its place.";
  if (!isDescribing(schema)) {
    throw new ClientError("configuration", `This ${vendor} schema cannot say its JSON Schema. ${advice}`, { path });
  }
  let cause: unknown;
  for (const target of TARGETS) {
    try {
      // The library's own declaration is of no use to a model.
      const { $schema: _, ...json } = schema["~standard"].jsonSchema.input({ target });
      return json;
    } catch (error) {
      cause ??= error;
    }
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  throw new ClientError("configuration", `This ${vendor} schema has no JSON Schema: ${why}. ${advice}`, {
    path,
    cause,
  });
}

/** By the specification, whoever has the field has the whole converter. */
function isDescribing(schema: StandardSchemaV1): schema is DescribingSchema {
  const standard: object = schema["~standard"];
  return "jsonSchema" in standard && typeof standard.jsonSchema === "object" && standard.jsonSchema !== null;
}

/** Rejects where the schema's own code throws. */
export async function checkStandard(schema: StandardSchemaV1, value: unknown): Promise<SchemaResult<unknown>> {
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: result.issues.map(issueOf) };
}

function issueOf({ message, path = [] }: StandardSchemaV1.Issue): SchemaIssue {
  const steps = path.map((segment) => (typeof segment === "object" ? segment.key : segment));
  return { path: pointer(steps.map((step) => (typeof step === "symbol" ? String(step) : step))), message };
}

// Defines the types of schemas that callers pass: JSON Schemas as data, or validators that implement Standard Schema.
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { SchemaObject } from "../../model/index.ts";

/** A JSON Schema or a Standard Schema. */
export type AnySchema = StandardSchemaV1 | SchemaObject;

/** The type of valid values: inferred for Standard Schemas, `unknown` for JSON Schemas. */
export type InferSchema<Schema extends AnySchema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : unknown;

/** A Standard Schema that can be converted to JSON Schema. */
export type StandardSchemaWithJson = StandardSchemaV1 & StandardJSONSchemaV1;

/** One violation of a schema. */
export interface SchemaIssue {
  /** The JSON pointer of the invalid part of the value. */
  path: string;
  message: string;
}

/** The result of a check: the valid value, or the violations of the schema. */
export type SchemaResult<Value> = { ok: true; value: Value } | { ok: false; issues: SchemaIssue[] };

/**
 * A compiled schema: the JSON Schema that is sent, and the check of a value. A Standard Schema may transform the value.
 */
export interface CompiledSchema<Value = unknown> {
  readonly json: SchemaObject;
  check(value: unknown): Promise<SchemaResult<Value>>;
}

// Schemas that a caller may hand in: JSON Schema as data, or a validator that speaks Standard Schema.
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { SchemaObject } from "../../model/index.ts";

export type AnySchema = StandardSchemaV1 | SchemaObject;

/** What a schema lets through: known for Standard Schemas, unknown for JSON Schemas. */
export type InferSchema<Schema extends AnySchema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : unknown;

/** A Standard Schema that can also say its JSON Schema. */
export type DescribingSchema = StandardSchemaV1 & StandardJSONSchemaV1;

/** What a schema has against a value. */
export interface SchemaIssue {
  /** A JSON pointer into the value. */
  path: string;
  message: string;
}

export type SchemaResult<Value> = { ok: true; value: Value } | { ok: false; issues: SchemaIssue[] };

/** A schema that was read: its JSON form for the wire, and its judgement. Standard Schemas may change the value. */
export interface CompiledSchema<Value = unknown> {
  readonly json: SchemaObject;
  check(value: unknown): Promise<SchemaResult<Value>>;
}

// Compiles a JSON Schema or a Standard Schema: the JSON Schema for the model, and the check of its output.
import type { SchemaObject } from "../../model/index.ts";
import { isObject, describeKind } from "../../model/value-kind.ts";
import { ClientError } from "../../calls/index.ts";
import { compileValidator } from "./validate-json-schema.ts";
import { validateStandard, toJsonSchema, isStandardSchema } from "./standard-schema.ts";
import type { AnySchema, InferSchema, CompiledSchema } from "./types.ts";

/** Options of `compileSchema`. */
export interface CompileSchemaOptions {
  /** The JSON Schema for the model, for Standard Schemas that cannot be converted. */
  inputSchema?: SchemaObject | undefined;
  /** The position of the schema, for errors: "/tools/0/input". */
  path?: string | undefined;
}

/**
 * Compiles a JSON Schema or a Standard Schema. Throws a `ClientError` "configuration" with the path of an invalid part.
 * Walks the whole schema: compile once, not per value.
 */
export function compileSchema<Schema extends AnySchema>(
  schema: Schema,
  options: CompileSchemaOptions = {},
): CompiledSchema<InferSchema<Schema>> {
  const { inputSchema, path = "/schema" } = options;
  const compiled = isStandardSchema(schema)
    ? {
        json: inputSchema ?? toJsonSchema(schema, path),
        check: (value: unknown) => validateStandard(schema, value),
      }
    : compileJsonSchema(schema, inputSchema, path);
  // The check of a Standard Schema returns the type that it declares; the values of a JSON Schema are `unknown`.
  return compiled as CompiledSchema<InferSchema<Schema>>;
}

function compileJsonSchema(schema: unknown, inputSchema: SchemaObject | undefined, path: string): CompiledSchema {
  if (!isObject(schema)) {
    throw new ClientError(
      "configuration",
      `Expected a JSON Schema or a Standard Schema (Zod, Valibot, ArkType …), found ${describeKind(schema)}.`,
      { path },
    );
  }
  const jsonSchema = isPlainData(schema) ? schema : inputSchema;
  if (jsonSchema === undefined) {
    const message = "The validator does not implement Standard Schema; pass `jsonSchema`, or update its library.";
    throw new ClientError("configuration", message, { path });
  }
  const validate = compileValidator(jsonSchema, path);
  return {
    json: inputSchema ?? jsonSchema,
    check: async (value) => {
      const issues = validate(value);
      return issues.length === 0 ? { ok: true, value } : { ok: false, issues };
    },
  };
}

/** True for plain data, as a JSON Schema is. The schemas of older libraries are instances of classes or have methods. */
function isPlainData(schema: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(schema);
  // The second test accepts the `Object.prototype` of another realm.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && !Object.values(schema).some((member) => typeof member === "function");
}

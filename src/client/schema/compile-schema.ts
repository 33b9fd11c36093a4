// Compiles a JSON Schema or a Standard Schema to the JSON Schema for the model and a function that checks the model's
// output.
import type { SchemaObject } from "../../model/index.ts";
import { isObject, describeKind } from "../../model/value-kind.ts";
import { ClientError } from "../../calls/index.ts";
import { compileValidator } from "./validate-json-schema.ts";
import { validateStandard, toJsonSchema, isStandardSchema } from "./standard-schema.ts";
import type { AnySchema, InferSchema, CompiledSchema } from "./types.ts";

/** Options of `compileSchema`. */
export interface CompileSchemaOptions {
  /** The JSON Schema for the model, for a Standard Schema that cannot be converted. */
  inputSchema?: SchemaObject | undefined;
  /** The position of the schema, such as "/tools/0/input", for errors. */
  path?: string | undefined;
}

/**
 * Compiles a JSON Schema or a Standard Schema. Throws a `ClientError` "configuration" with the path of an invalid part.
 * Compile a schema once and not for each value, because this function reads the whole schema.
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
  // The cast is safe: the check of a Standard Schema returns the type that the schema declares, and the values of a
  // JSON Schema are `unknown`.
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

/**
 * True if the schema is plain data and can therefore be a JSON Schema. The schemas of older validation libraries are
 * instances of classes or have methods.
 */
function isPlainData(schema: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(schema);
  // The second test also accepts the `Object.prototype` of another realm, such as an iframe or a `vm` context.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && !Object.values(schema).some((member) => typeof member === "function");
}

// Schemas of either kind, read once: what to tell the model, and how to judge what it wrote.
import type { SchemaObject } from "../../model/index.ts";
import { isObject, kindOf } from "../../model/kind.ts";
import { ClientError } from "../errors.ts";
import { jsonSchemaJudge } from "./json-schema.ts";
import { checkStandard, describeStandard, isStandardSchema } from "./standard.ts";
import type { AnySchema, InferSchema, CompiledSchema } from "./types.ts";

export interface ReadSchemaOptions {
  /** What to show to the model instead; for Standard Schemas that cannot say their JSON Schema. */
  inputSchema?: SchemaObject | undefined;
  /** Where the schema was given, for errors: "/tools/0/input". */
  path?: string | undefined;
}

/**
 * Reads a JSON Schema or a Standard Schema. A schema that cannot be used is a `ClientError` "configuration" that says
 * where. Costs a walk of the schema: read it once, not per value.
 */
export function compileSchema<Schema extends AnySchema>(
  schema: Schema,
  options: ReadSchemaOptions = {},
): CompiledSchema<InferSchema<Schema>> {
  const { inputSchema, path = "/schema" } = options;
  const read = isStandardSchema(schema)
    ? {
        json: inputSchema ?? describeStandard(schema, path),
        check: (value: unknown) => checkStandard(schema, value),
      }
    : readJsonSchema(schema, inputSchema, path);
  // A Standard Schema's own judgement gives the type that it declares; of a JSON Schema, nothing is known.
  return read as CompiledSchema<InferSchema<Schema>>;
}

function readJsonSchema(schema: unknown, inputSchema: SchemaObject | undefined, path: string): CompiledSchema {
  if (!isObject(schema)) {
    throw new ClientError(
      "configuration",
      `Expected a JSON Schema or a Standard Schema (Zod, Valibot, ArkType …), found ${kindOf(schema)}.`,
      { path },
    );
  }
  const judged = isData(schema) ? schema : inputSchema;
  if (judged === undefined) {
    const what = "This looks like a validator without Standard Schema; give `jsonSchema`, or a newer version.";
    throw new ClientError("configuration", what, { path });
  }
  const judge = jsonSchemaJudge(judged, path);
  return {
    json: inputSchema ?? judged,
    check: async (value) => {
      const issues = judge(value);
      return issues.length === 0 ? { ok: true, value } : { ok: false, issues };
    },
  };
}

/** Whether it is plain data, as a JSON Schema is: the objects of older libraries are of classes, or hold functions. */
function isData(schema: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(schema);
  // An object of another realm has another `Object.prototype`, which has no prototype, either.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && !Object.values(schema).some((member) => typeof member === "function");
}

// Samples a valid value of a JSON Schema: guesses the natural value first, then others, until validation succeeds. The same
// schema always gives the same value.
import type { SchemaObject } from "../../../model/index.ts";
import { ClientError } from "../../../calls/index.ts";
import { compileValidator } from "../../schema/validate-json-schema.ts";
import { SampleGuess } from "./sample-guess.ts";

/** Most schemas need one guess. */
const MAX_GUESSES = 100;

/** Returns an instance of a schema; if no guess is valid, the first one. */
export function sampleValue(schema: SchemaObject): unknown {
  const isValid = compilePredicate(schema);
  const first = new SampleGuess(schema, 0).value();
  if (isValid(first)) return first;
  for (let seed = 1; seed < MAX_GUESSES; seed++) {
    const value = new SampleGuess(schema, seed).value();
    if (isValid(value)) return value;
  }
  return first;
}

/** Compiles a schema to a predicate. Every value counts as valid for a schema that cannot be compiled. */
function compilePredicate(schema: SchemaObject): (value: unknown) => boolean {
  try {
    const validate = compileValidator(schema, "");
    return (value) => validate(value).length === 0;
  } catch (error) {
    if (error instanceof ClientError) return () => true;
    throw error;
  }
}

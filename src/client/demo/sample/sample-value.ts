// Samples a valid value of a JSON schema: guesses the natural value first, then other values, until the validation
// succeeds. The same schema always results in the same value.
import type { SchemaObject } from "../../../model/index.ts";
import { ClientError } from "../../../calls/index.ts";
import { compileValidator } from "../../schema/validate-json-schema.ts";
import { SampleGuess } from "./sample-guess.ts";

/** The maximum number of guesses; most schemas need one. */
const MAX_GUESSES = 100;

/** Returns a value that the schema allows; the first guess if no guess is valid. */
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

/**
 * Returns a function that is true for valid values. For a schema that cannot be compiled, every value counts as valid.
 */
function compilePredicate(schema: SchemaObject): (value: unknown) => boolean {
  try {
    const validate = compileValidator(schema, "");
    return (value) => validate(value).length === 0;
  } catch (error) {
    if (error instanceof ClientError) return () => true;
    throw error;
  }
}

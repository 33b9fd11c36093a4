// A value that a JSON Schema lets through: guessed the natural way first, then in other ways, until the schema's judge
// agrees. The same schema always gives the same value.
import type { SchemaObject } from "../../../model/index.ts";
import { ClientError } from "../../errors.ts";
import { jsonSchemaJudge } from "../../schema/json-schema.ts";
import { Guess } from "./guess.ts";

/** How many guesses are made; most schemas need one. */
const GUESSES = 100;

/** An instance of a schema; where none is found, the first guess. */
export function sampleOf(schema: SchemaObject): unknown {
  const judge = judgeOf(schema);
  const first = new Guess(schema, 0).value();
  if (judge(first)) return first;
  for (let seed = 1; seed < GUESSES; seed++) {
    const value = new Guess(schema, seed).value();
    if (judge(value)) return value;
  }
  return first;
}

/** A schema that cannot be judged lets everything through. */
function judgeOf(schema: SchemaObject): (value: unknown) => boolean {
  try {
    const judge = jsonSchemaJudge(schema, "");
    return (value) => judge(value).length === 0;
  } catch (error) {
    if (error instanceof ClientError) return () => true;
    throw error;
  }
}

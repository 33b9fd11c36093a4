// Helpers of the tests of Gemini streams.
import { assemble } from "../../../src/assembly/assemble.ts";
import { AssemblyError } from "../../../src/assembly/rules.ts";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { ModelResponse } from "../../../src/model/response.ts";

export const dialect = gemini();

export function decodeAll(events: readonly unknown[], names?: object): Delta[] {
  const decoder = dialect.streamDecoder(names === undefined ? {} : { names });
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

export function encodeAll(deltas: readonly Delta[]): { events: object[]; losses: string[] } {
  const encoder = dialect.streamEncoder();
  const events = [...deltas.flatMap((delta) => encoder.push(delta)), ...encoder.end()];
  return {
    events: events.map(({ data }) => data as object),
    losses: encoder.losses.map(({ code, path }) => `${code} ${path}`),
  };
}

/** Assembles deltas into an answer; a failed one as far as it arrived. */
export function assembleAnswer(deltas: readonly Delta[]): ModelResponse {
  try {
    return assemble(deltas);
  } catch (error) {
    if (error instanceof AssemblyError && error.response !== undefined) return error.response;
    throw error;
  }
}

/** Keys that only a stream or only a whole response has: pieces of texts, the interrupted flag. */
const FORM_SPECIFIC_KEYS = new Set(["chunks", "before", "after", "part", "interrupted"]);
const CONTAINER_KEYS = new Set(["extra", "gemini", "$form", "metadata"]);

/** Returns a value without these keys, and without containers that they leave empty. */
export function withoutFormSpecificKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFormSpecificKeys);
  if (typeof value !== "object" || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const isNote = FORM_SPECIFIC_KEYS.has(key);
    const plain = withoutFormSpecificKeys(field);
    const isEmpty = CONTAINER_KEYS.has(key) && Object.keys(Object(plain)).length === 0;
    if (!isNote && !isEmpty) result[key] = plain;
  }
  return result;
}

// What the tests of Gemini's streams share.
import { assemble } from "../../src/assembly/assemble.ts";
import { AssemblyError } from "../../src/assembly/rules.ts";
import { gemini } from "../../src/dialects/gemini/index.ts";
import type { Delta } from "../../src/model/delta.ts";
import type { ModelResponse } from "../../src/model/response.ts";

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

/** The answer that deltas assemble to; of one that failed, as far as it came. */
export function answerOf(deltas: readonly Delta[]): ModelResponse {
  try {
    return assemble(deltas);
  } catch (error) {
    if (error instanceof AssemblyError && error.response !== undefined) return error.response;
    throw error;
  }
}

/** Notes that one form does not have: how a whole answer was cut into parts, that a stream broke off. */
const NOTES = new Set(["chunks", "before", "after", "part", "interrupted"]);
const CARRIERS = new Set(["extra", "gemini", "$form", "metadata"]);

/** A value without those notes, and without what holds nothing else. */
export function unnoted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unnoted);
  if (typeof value !== "object" || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const isNote = NOTES.has(key);
    const plain = unnoted(field);
    const isEmpty = CARRIERS.has(key) && Object.keys(Object(plain)).length === 0;
    if (!isNote && !isEmpty) kept[key] = plain;
  }
  return kept;
}

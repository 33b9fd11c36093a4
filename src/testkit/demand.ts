// What a case of a suite says where it does not hold, and what every case reads of a fragment.
import { stringifyJson } from "../model/json/index.ts";

/** One thing that must hold. `run` throws where it does not. */
export interface ConformanceCase {
  title: string;
  run: () => void;
}

class ConformanceError extends Error {
  override readonly name = "ConformanceError";
}

/** Throws the claim and the values that tell against it. */
export function demand(holds: boolean, claim: string, ...shown: unknown[]): void {
  if (holds) return;
  const details = shown
    .map((value) => (typeof value === "string" ? value : stringifyJson(value ?? null, 2)))
    .join("\n");
  throw new ConformanceError(`${claim}\n${details.slice(0, 4000)}`);
}

/** The list of messages in a fragment. */
export function listOf(wire: unknown): unknown {
  return Array.isArray(wire) ? wire : (wire as { messages: unknown }).messages;
}

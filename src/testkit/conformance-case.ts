// Defines the case of a conformance suite, and the assertion that all cases use.
import { stringifyJson } from "../model/json/index.ts";

/** One requirement of a suite. `run` throws if the requirement is not met. */
export interface ConformanceCase {
  title: string;
  run: () => void;
}

class ConformanceError extends Error {
  override readonly name = "ConformanceError";
}

/** Throws an error with the message and the values in `shown`, unless the condition is true. */
export function assertHolds(condition: boolean, message: string, ...shown: unknown[]): void {
  if (condition) return;
  const details = shown
    .map((value) => (typeof value === "string" ? value : stringifyJson(value ?? null, 2)))
    .join("\n");
  throw new ConformanceError(`${message}\n${details.slice(0, 4000)}`);
}

/** Returns the list of messages of a wire value: the value itself, or its field `messages`. */
export function readWireMessages(wire: unknown): unknown {
  return Array.isArray(wire) ? wire : (wire as { messages: unknown }).messages;
}

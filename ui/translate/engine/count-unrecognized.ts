// Measures how well a dialect fits a payload: counts the data that the dialect's decoder did not recognize. The dialect
// that wrote the payload has the lowest count.
import { isObject } from "koine";

const OPAQUE_WEIGHT = 10;
const EMPTY_MESSAGE_WEIGHT = 10;

/**
 * Returns the number of values that the decoder did not recognize, in which opaque parts and empty messages count more;
 * 0 if everything was recognized.
 */
export function countUnrecognized(canonical: unknown): number {
  if (Array.isArray(canonical)) return canonical.reduce<number>((sum, each) => sum + countUnrecognized(each), 0);
  if (!isObject(canonical)) return 0;
  let sum = canonical["type"] === "opaque" ? OPAQUE_WEIGHT : 0;
  // An empty list of parts means that the decoder recognized no part of the message.
  if (typeof canonical["role"] === "string" && isEmpty(canonical["parts"])) sum += EMPTY_MESSAGE_WEIGHT;
  for (const [key, value] of Object.entries(canonical)) {
    if (key === "extra") sum += countLeaves(value);
    // Free-form fields, such as arguments and schemas, may contain anything, so they are not counted.
    else if (!FREE_FORM_FIELDS.has(key)) sum += countUnrecognized(value);
  }
  return sum;
}

const FREE_FORM_FIELDS: ReadonlySet<string> = new Set([
  "input",
  "output",
  "inputSchema",
  "schema",
  "value",
  "raw",
  "metadata",
]);

function isEmpty(parts: unknown): boolean {
  return Array.isArray(parts) && parts.length === 0;
}

function countLeaves(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const inside = Object.values(value);
  return inside.length === 0 ? 1 : inside.reduce<number>((sum, each) => sum + countLeaves(each), 0);
}

// Merges and filters JSON objects. Preserves the exact digits of their numbers, which an object spread would lose.
import { listExactNumbers, restoreNumbers } from "koine";

export type WireBody = Readonly<Record<string, unknown>>;

/** Returns an object with the fields of all bodies; if bodies have the same field, the last value is used. */
export function mergeBodies(...bodies: readonly WireBody[]): WireBody {
  const all = Object.fromEntries(bodies.flatMap((body) => Object.entries(body)));
  for (const body of bodies) restoreNumbers(all, listExactNumbers(body));
  return all;
}

export function omitFields(body: WireBody, ...names: readonly string[]): WireBody {
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
  restoreNumbers(rest, listExactNumbers(body));
  return rest;
}

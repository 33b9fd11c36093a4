// Merges and filters JSON objects and keeps the exact digits of their numbers, which a spread would lose.
import { listExactNumbers, restoreNumbers } from "koine";

export type WireBody = Readonly<Record<string, unknown>>;

/** Merges the fields; the last object wins. */
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

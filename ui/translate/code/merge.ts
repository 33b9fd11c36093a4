// Objects made of others' fields, with the exact digits of their numbers, which a spread would leave behind.
import { exactNumbers, restoreNumbers } from "koine";

export type Body = Readonly<Record<string, unknown>>;

/** The fields of all of them in one object; of the same name, the last one's. */
export function merged(...bodies: readonly Body[]): Body {
  const all = Object.fromEntries(bodies.flatMap((body) => Object.entries(body)));
  for (const body of bodies) restoreNumbers(all, exactNumbers(body));
  return all;
}

/** A copy without some fields. */
export function without(body: Body, ...names: readonly string[]): Body {
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
  restoreNumbers(rest, exactNumbers(body));
  return rest;
}

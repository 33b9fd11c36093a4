// B43 by brute force: every field of a sample deleted, retyped, and given a new neighbour.
import type { Dialect, Encoded } from "../dialects/dialect.ts";
import { sameJson } from "../model/json/index.ts";
import { evenly } from "./choice.ts";
import { demand, listOf } from "./demand.ts";
import { NEW, ODD } from "./mutants.ts";
import { asRefusal } from "./nonsense.ts";
import { isWithin, parentOf, places, withoutPlace, withPlace } from "./places.ts";

function roundTrip(dialect: Dialect, wire: unknown): Encoded {
  return dialect.encodeMessages(dialect.decodeMessages(wire));
}

/** What is unknown is kept: no error, no loss of content, and equal JSON back. */
export function keepsNewFields(dialect: Dialect, wire: unknown): void {
  for (const { path, keys, value } of places(wire)) {
    // The object around a list of messages is the fragment's, and has no place in the messages.
    if (keys.length === 0 || typeof value !== "object" || value === null || Array.isArray(value)) continue;
    for (const [name, field] of NEW) {
      const mutant = withPlace(wire, [...keys, name], field);
      const { wire: again, losses } = tolerated(dialect, mutant, `A new field "${name}" at "${path}"`);
      demand(
        sameJson(again, listOf(mutant)) && losses.every(({ level }) => level === "note"),
        `A new field "${name}" at "${path}" did not come back as it was.`,
        "sent:",
        listOf(mutant),
        "came back:",
        again,
        losses,
      );
    }
  }
}

function tolerated(dialect: Dialect, mutant: unknown, claim: string): Encoded {
  try {
    return roundTrip(dialect, mutant);
  } catch (error) {
    demand(false, `${claim} made it throw.`, String(error), mutant);
    throw error;
  }
}

/** Any field deleted or retyped: equal JSON back, a difference that a new loss explains, or an error that says where. */
export function survivesMutation(
  dialect: Dialect,
  wire: unknown,
  { limit, salt }: { limit: number; salt: string },
): void {
  const known = new Set(roundTrip(dialect, wire).losses.map(({ path, code }) => `${code} ${path}`));
  const isNew = ({ losses }: Encoded): boolean => losses.some(({ path, code }) => !known.has(`${code} ${path}`));
  const mutants = [...places(wire)].flatMap(({ path, keys, value }) => {
    const odd = ODD.filter((each) => !sameJson(each, value));
    const made = odd.map((each) => ({ path, make: () => withPlace(wire, keys, each) }));
    if (keys.length > 0) made.push({ path, make: () => withoutPlace(wire, keys) });
    return made;
  });
  for (const { path, make } of evenly(mutants, limit, salt)) survives(dialect, make(), path, isNew);
}

function survives(dialect: Dialect, mutant: unknown, path: string, isNew: (encoded: Encoded) => boolean): void {
  let encoded: Encoded;
  try {
    encoded = roundTrip(dialect, mutant);
  } catch (error) {
    const { path: named } = asRefusal(dialect, error, `A mutant at "${path}" was not refused`, mutant);
    demand(pointsAt(named, path), `A mutant at "${path}" was refused at "${named}".`, String(error), mutant);
    return;
  }
  demand(
    sameJson(encoded.wire, listOf(mutant)) || isNew(encoded),
    `A mutant at "${path}" came back different, unreported.`,
    mutant,
    encoded,
  );
}

/** At the changed place, within it, above it, or at a sibling that is wrong or missing because of it. */
function pointsAt(named: string, path: string): boolean {
  if (isWithin(named, path)) return true;
  const isAroundList = path === "" || path === "/messages";
  if (named === "") return isAroundList;
  return isWithin(path, named) || parentOf(named) === parentOf(path);
}

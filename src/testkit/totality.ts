// B43 for requests and responses: what is unknown comes back, and what is odd comes back, is reported, or is refused
// with its place. Nothing crashes.
import type { Dialect, Encoded } from "../dialects/dialect.ts";
import { sameJson } from "../model/json/index.ts";
import { demand } from "./demand.ts";
import { demandNone, differences } from "./differences.ts";
import type { Exchange, SampleCheck, WireSample } from "./exchange.ts";
import type { Mutant } from "./mutants.ts";
import { grownMutants, oddMutants } from "./mutants.ts";
import { asRefusal } from "./nonsense.ts";
import { isWithin, parentOf } from "./places.ts";

/** How many mutants of one sample are tried: all new fields come back, and odd values do no harm. */
export function totality(limit: number): { keepsNewFields: SampleCheck; survivesMutation: SampleCheck } {
  return {
    keepsNewFields(exchange, dialect, sample) {
      const base = exchange.encode(dialect, exchange.decode(dialect, sample.wire, sample));
      for (const mutant of grownMutants(sample.wire, Math.ceil(limit / 3), sample.name)) {
        for (const repair of [true, false]) keepsNewField(exchange, dialect, sample, mutant, repair, base);
      }
    },
    survivesMutation(exchange, dialect, sample) {
      const base = exchange.encode(dialect, exchange.decode(dialect, sample.wire, sample));
      for (const mutant of oddMutants(sample.wire, limit, sample.name)) {
        for (const repair of [true, false]) survives(exchange, dialect, sample, mutant, repair, base);
      }
    },
  };
}

function keepsNewField<T>(
  exchange: Exchange<T>,
  dialect: Dialect,
  sample: WireSample,
  mutant: Mutant,
  repair: boolean,
  base: Encoded,
): void {
  const claim = claimOf(mutant, repair);
  const encoded = attempt(exchange, dialect, sample, mutant, repair, (error) => {
    demand(false, `${claim} made it throw.`, String(error), mutant.wire);
  });
  if (encoded === undefined) return;
  const losses = newLosses(encoded, base);
  // A field in a schema may make it one that a target refuses.
  if (repair && losses.some(({ action }) => action === "repaired")) return;
  demandNone(differences(mutant.wire, encoded.wire), `${claim} did not come back as it was.`, encoded.losses);
  const loss = losses.find(({ level }) => level !== "note");
  demand(loss === undefined, `${claim} was reported as a loss.`, loss);
}

function claimOf({ path, what }: Mutant, repair: boolean): string {
  return `At "${path}", ${what} (repair: ${repair})`;
}

/** Reads and writes a mutant; undefined where it was refused, which `refused` has looked at. */
function attempt<T>(
  exchange: Exchange<T>,
  dialect: Dialect,
  sample: WireSample,
  mutant: Mutant,
  repair: boolean,
  refused: (error: unknown) => void,
): Encoded | undefined {
  try {
    return exchange.encode(dialect, exchange.decode(dialect, mutant.wire, sample), { repair });
  } catch (error) {
    refused(error);
    return undefined;
  }
}

function newLosses({ losses }: Encoded, base: Encoded): Encoded["losses"] {
  const known = new Set(base.losses.map(({ path, code }) => `${code} ${path}`));
  return losses.filter(({ path, code }) => !known.has(`${code} ${path}`));
}

function survives<T>(
  exchange: Exchange<T>,
  dialect: Dialect,
  sample: WireSample,
  mutant: Mutant,
  repair: boolean,
  base: Encoded,
): void {
  const claim = claimOf(mutant, repair);
  const encoded = attempt(exchange, dialect, sample, mutant, repair, (error) => {
    const { path } = asRefusal(dialect, error, `${claim} was not refused`, mutant.wire);
    demand(pointsAt(path, mutant.path), `${claim} was refused at "${path}".`, String(error), mutant.wire);
  });
  if (encoded === undefined) return;
  if (sameJson(encoded.wire, mutant.wire) || (repair && newLosses(encoded, base).length > 0)) return;
  demandNone(differences(mutant.wire, encoded.wire), `${claim} came back different, unreported.`, encoded.losses);
}

/** At the changed place, within it, above it, or at a sibling that is wrong or missing because of it. */
function pointsAt(named: string, path: string): boolean {
  if (isWithin(named, path)) return true;
  if (named === "") return parentOf(path) === "";
  return isWithin(path, named) || parentOf(named) === parentOf(path);
}

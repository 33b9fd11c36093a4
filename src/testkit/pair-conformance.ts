// The suite for two dialects: what one said goes out in the other, arrives or is reported, and finds its way back.
import type { Dialect } from "../dialects/dialect.ts";
import { losesNothingAtLarge, lossesAreDeclared, readsWhatItWrites } from "./canonical-values.ts";
import type { ConformanceCase } from "./demand.ts";
import type { Exchange, ValueCheck, WireSample } from "./exchange.ts";
import { REQUESTS, RESPONSES } from "./exchange.ts";
import type { PairCheck } from "./journey.ts";
import { comesHome } from "./journey.ts";

export interface PairConformanceOptions {
  /** Requests of the first dialect. */
  requests?: readonly WireSample[];
  /** Responses of the first dialect. */
  responses?: readonly WireSample[];
}

/** From one dialect to another: silent losses, and the way there and back. */
export function pairConformance(from: Dialect, to: Dialect, options: PairConformanceOptions): ConformanceCase[] {
  return [...cases(REQUESTS, from, to, options.requests ?? []), ...cases(RESPONSES, from, to, options.responses ?? [])];
}

function cases<T>(
  exchange: Exchange<T>,
  from: Dialect,
  to: Dialect,
  samples: readonly WireSample[],
): ConformanceCase[] {
  return samples.flatMap((sample) =>
    PAIR_CHECKS.map(([claim, check]) => ({
      title: `${from.id} → ${to.id} ${exchange.cargo}: ${sample.name}: ${claim}`,
      run: () => check(exchange, from, to, sample),
    })),
  );
}

function onDecoded(check: ValueCheck): PairCheck {
  return (exchange, from, to, sample) => check(exchange, to, exchange.decode(from, sample.wire, sample));
}

/** What must hold for every sample of the first dialect. */
export const PAIR_CHECKS: readonly [claim: string, check: PairCheck][] = [
  ["B58: nothing is lost silently", onDecoded(losesNothingAtLarge)],
  ["losses name declared codes and places that exist", onDecoded(lossesAreDeclared)],
  ["what was encoded comes back as equal JSON", onDecoded(readsWhatItWrites)],
  ["there and back, it is the same conversation", comesHome],
];

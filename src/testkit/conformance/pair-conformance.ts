// Creates the conformance suite for a pair of dialects: payloads of the first dialect are translated to the second and
// back.
import type { Dialect } from "../../dialects/dialect.ts";
import {
  assertNoSampledLosses,
  assertDeclaredLosses,
  assertStableReencoding,
} from "../checks/canonical-value-checks.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import type { PayloadCodec, CanonicalValueCheck, WireSample } from "../checks/payload-codec.ts";
import { REQUEST_CODEC, RESPONSE_CODEC } from "../checks/payload-codec.ts";
import type { PairCheck } from "../checks/pair-round-trip.ts";
import { assertPairRoundTrip } from "../checks/pair-round-trip.ts";

/** Options of `pairConformance`: wire samples of the first dialect. */
export interface PairConformanceOptions {
  /** Requests of the first dialect. */
  requests?: readonly WireSample[];
  /** Responses of the first dialect. */
  responses?: readonly WireSample[];
}

/** Returns the cases for translation to another dialect: silent losses, declared losses, translation back. */
export function pairConformance(from: Dialect, to: Dialect, options: PairConformanceOptions): ConformanceCase[] {
  return [
    ...createPairCases(REQUEST_CODEC, from, to, options.requests ?? []),
    ...createPairCases(RESPONSE_CODEC, from, to, options.responses ?? []),
  ];
}

function createPairCases<T>(
  codec: PayloadCodec<T>,
  from: Dialect,
  to: Dialect,
  samples: readonly WireSample[],
): ConformanceCase[] {
  return samples.flatMap((sample) =>
    PAIR_CHECKS.map(([claim, check]) => ({
      title: `${from.id} → ${to.id} ${codec.capability}: ${sample.name}: ${claim}`,
      run: () => check(codec, from, to, sample),
    })),
  );
}

function checkDecodedValue(check: CanonicalValueCheck): PairCheck {
  return (codec, from, to, sample) => check(codec, to, codec.decode(from, sample.wire, sample));
}

/** The checks that run for every sample of the first dialect. */
export const PAIR_CHECKS: readonly [claim: string, check: PairCheck][] = [
  ["B58: nothing is lost silently", checkDecodedValue(assertNoSampledLosses)],
  ["losses have declared codes and existing paths", checkDecodedValue(assertDeclaredLosses)],
  ["the encoded value comes back as equal JSON", checkDecodedValue(assertStableReencoding)],
  ["a translation there and back preserves the conversation", assertPairRoundTrip],
];

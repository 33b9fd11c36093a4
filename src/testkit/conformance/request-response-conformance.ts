// Creates the conformance suites for the requests and the responses of a dialect.
import type { Dialect } from "../../dialects/dialect.ts";
import type { ModelRequest } from "../../model/request.ts";
import type { ModelResponse } from "../../model/response.ts";
import {
  assertPureEncoding,
  assertNoSilentLosses,
  assertDeclaredLosses,
  assertFieldsDecodeInPlace,
  assertStableReencoding,
} from "../checks/canonical-value-checks.ts";
import { assertNoRawCopies } from "../checks/no-raw-copies.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { assertEditIsLocal, assertAppendOnlyAppends } from "../checks/edits-and-appends.ts";
import type {
  PayloadCodec,
  NamedValue,
  WireSampleCheck,
  CanonicalValueCheck,
  WireSample,
} from "../checks/payload-codec.ts";
import { REQUEST_CODEC, RESPONSE_CODEC } from "../checks/payload-codec.ts";
import {
  assertRoundTrip,
  assertRoundTripWithoutRepair,
  assertModelShape,
  assertDeterministic,
  assertKeyOrder,
  assertStorageRoundTrip,
} from "../checks/same-dialect-round-trip.ts";
import { canonicalRequests } from "../samples/canonical-requests.ts";
import { canonicalResponses } from "../samples/canonical-responses.ts";
import { assertNonObjectsRejected } from "../checks/decode-rejections.ts";
import { assertStablePrefixes } from "../checks/stable-prefixes.ts";
import { createTotalityChecks } from "../checks/request-response-totality.ts";
import { assertEnumValuesDistinct } from "../checks/enum-values.ts";

interface SampleOptions {
  samples: readonly WireSample[];
  /** The maximum number of mutants per sample. Default 400. */
  mutants?: number;
}
/** Options of `requestConformance`. */
export interface RequestConformanceOptions extends SampleOptions {
  /** Canonical requests that are tested in addition to the built-in requests. */
  requests?: readonly ModelRequest[];
}
/** Options of `responseConformance`. */
export interface ResponseConformanceOptions extends SampleOptions {
  /** Canonical responses that are tested in addition to the built-in responses. */
  responses?: readonly ModelResponse[];
}

/** Returns the cases for requests: round trips, edits, stable prefixes, silent losses, odd input. */
export function requestConformance(dialect: Dialect, options: RequestConformanceOptions): ConformanceCase[] {
  const added = (options.requests ?? []).map((value, index) => ({ name: `request ${index}`, value }));
  return createCases(REQUEST_CODEC, dialect, options, [...canonicalRequests(), ...added]);
}

/** Returns the cases for responses: round trips, edits, silent losses, odd input. */
export function responseConformance(dialect: Dialect, options: ResponseConformanceOptions): ConformanceCase[] {
  const added = (options.responses ?? []).map((value, index) => ({ name: `response ${index}`, value }));
  return createCases(RESPONSE_CODEC, dialect, options, [...canonicalResponses(), ...added]);
}

function createCases<T>(
  codec: PayloadCodec<T>,
  dialect: Dialect,
  { samples, mutants = 400 }: SampleOptions,
  values: readonly NamedValue<T>[],
): ConformanceCase[] {
  const title = (name: string, claim: string): string => `${dialect.id} ${codec.capability}: ${name}: ${claim}`;
  return [
    ...samples.flatMap((sample) =>
      createSampleChecks(codec.capability, mutants).map(([claim, check]) => ({
        title: title(sample.name, claim),
        run: () => check(codec, dialect, sample),
      })),
    ),
    ...values.flatMap(({ name, value }) =>
      VALUE_CHECKS.map(([claim, check]) => ({ title: title(name, claim), run: () => check(codec, dialect, value) })),
    ),
    {
      title: title("invalid values", `a value that is no ${codec.noun} is rejected with a path`),
      run: () => assertNonObjectsRejected(dialect, (wire) => codec.decode(dialect, wire)),
    },
  ];
}

/** Returns the checks that run for every sample, with at most `mutants` mutants per sample. */
export function createSampleChecks(
  capability: "requests" | "responses",
  mutants: number,
): readonly [claim: string, check: WireSampleCheck][] {
  const { assertNewFieldsRestored, assertMutantsHandled } = createTotalityChecks(mutants);
  const requestChecks: [string, WireSampleCheck][] = [
    ["B44: an appended message changes nothing before it", assertAppendOnlyAppends],
    ["B44: each prefix of the messages is encoded like the start of all messages", assertStablePrefixes],
  ];
  return [
    ["comes back as equal JSON", assertRoundTrip],
    ["comes back as equal JSON without repairs", assertRoundTripWithoutRepair],
    ["schemas, tools and inputs keep the order of their keys", assertKeyOrder],
    ["a stored copy comes back as equal JSON", assertStorageRoundTrip],
    ["decodes to the model's shape", assertModelShape],
    ["B44: encoding twice gives the same bytes", assertDeterministic],
    ...(capability === "requests" ? requestChecks : []),
    ["an edited text changes nothing else", assertEditIsLocal],
    ["no copy of an edited text is sent", assertNoRawCopies],
    ["losses have declared codes and existing paths", checkDecodedSample(assertDeclaredLosses)],
    ["B43: a new field at any position is preserved", assertNewFieldsRestored],
    ["B43: a missing or invalid field never crashes the dialect", assertMutantsHandled],
  ];
}

function checkDecodedSample(check: CanonicalValueCheck): WireSampleCheck {
  return (codec, dialect, sample) => check(codec, dialect, codec.decode(dialect, sample.wire, sample));
}

/** The checks that run for every canonical value. */
const VALUE_CHECKS: readonly [claim: string, check: CanonicalValueCheck][] = [
  ["B58: nothing is lost silently", assertNoSilentLosses],
  ["B58: another enumerated value changes the wire", assertEnumValuesDistinct],
  ["the encoded value comes back as equal JSON", assertStableReencoding],
  ["a field that was encoded without a loss is decoded to the same path", assertFieldsDecodeInPlace],
  ["B44: encoding a copy gives the same bytes, and does not modify it", assertPureEncoding],
  ["losses have declared codes and existing paths", assertDeclaredLosses],
];

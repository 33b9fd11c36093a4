// Creates the conformance suite for the errors of a dialect: decoding to the kinds of ProviderError, and encoding for
// clients (B88).
import type { Dialect } from "../../dialects/dialect.ts";
import { sameJson, stringifyJson } from "../../model/json/index.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/provider-error.ts";
import { PROVIDER_ERROR_KINDS } from "../../model/provider-error.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { assertHolds } from "../conformance-case.ts";
import { assertNoDifferences, findDifferences } from "../json/json-differences.ts";
import type { WireSample } from "../checks/payload-codec.ts";
import type { WireMutant } from "../checks/wire-mutants.ts";
import { createNewFieldMutants, createOddValueMutants } from "../checks/wire-mutants.ts";
import { requireDecoderError } from "../checks/decode-rejections.ts";
import { deepFreeze } from "../json/json-nodes.ts";

/** Options of `errorConformance`. */
export interface ErrorConformanceOptions {
  samples: readonly WireSample[];
  /** The maximum number of mutants per sample. Default 400. */
  mutants?: number;
}

const EDITED_MESSAGE = "Another sentence about what went wrong.";

/** Returns the cases for error bodies: kinds, statuses, round trips, edits, odd input. */
export function errorConformance(dialect: Dialect, options: ErrorConformanceOptions): ConformanceCase[] {
  const { samples, mutants = 400 } = options;
  const title = (claim: string): string => `${dialect.id} errors: ${claim}`;
  return [
    ...samples.flatMap((sample) =>
      ERROR_CHECKS.map(([claim, check]) => ({
        title: title(`${sample.name}: ${claim}`),
        run: () => check(dialect, sample, mutants),
      })),
    ),
    { title: title("B88: every kind of error has a status of its class"), run: () => assertStatuses(dialect) },
    {
      title: title("B88: every kind decodes to itself, or to a kind with the same body and status"),
      run: () => assertKindsDecode(dialect),
    },
    { title: title("the error body of another dialect is not sent"), run: () => assertOtherBodiesDropped(dialect) },
  ];
}

type ErrorCheck = (dialect: Dialect, sample: WireSample, mutants: number) => void;

/** The checks that run for every error sample. */
export const ERROR_CHECKS: readonly [claim: string, check: ErrorCheck][] = [
  ["decodes to a known kind of error, with the body as `raw`", assertKnownError],
  ["B88: comes back as equal JSON with its status", assertErrorRoundTrip],
  ["an edited message replaces the original message", assertEditedMessageReplaces],
  ["B43: a new, missing or invalid field never crashes the decoder", assertErrorMutantsHandled],
];

function assertKnownError(dialect: Dialect, { wire, status }: WireSample): void {
  assertErrorShape(dialect.decodeError(deepFreeze(wire), status), wire, status);
}

function assertErrorShape(error: ProviderError, wire: unknown, status: number | undefined): void {
  const { kind, message, retryAfterMs = 0 } = error;
  assertHolds(PROVIDER_ERROR_KINDS.includes(kind), `"${kind}" is not a kind of provider error.`, error);
  assertHolds(typeof message === "string", "The decoded error has no message.", error);
  assertHolds(retryAfterMs >= 0, "`retryAfterMs` must not be negative.", error);
  assertHolds(
    status === undefined || error.status === status,
    `The decoded error must have the status ${status}.`,
    error,
  );
  assertHolds(sameJson(error.raw, wire), "`raw` of the decoded error must be the body.", error);
}

function assertErrorRoundTrip(dialect: Dialect, { wire, status }: WireSample): void {
  const error = deepFreeze(dialect.decodeError(wire, status));
  for (const each of [error, structuredClone(error)]) {
    const encoded = dialect.encodeError(each);
    assertNoDifferences(findDifferences(wire, encoded.wire), "The error came back different.");
    assertHolds(status === undefined || encoded.status === status, `The status ${status} became ${encoded.status}.`);
  }
}

function assertEditedMessageReplaces(dialect: Dialect, { wire, status }: WireSample): void {
  const error = dialect.decodeError(wire, status);
  const output = stringifyJson(dialect.encodeError({ ...error, message: EDITED_MESSAGE }).wire);
  assertHolds(output.includes(EDITED_MESSAGE), "The encoded error does not contain the edited message.", output);
  const hasOldMessage = error.message.length >= 12 && output.includes(JSON.stringify(error.message).slice(1, -1));
  assertHolds(!hasOldMessage, "The encoded error still contains the old message.", output);
}

function assertErrorMutantsHandled(dialect: Dialect, { wire, status, name }: WireSample, limit: number): void {
  const mutants = [
    ...createNewFieldMutants(wire, Math.ceil(limit / 3), name),
    ...createOddValueMutants(wire, limit, name),
  ];
  for (const mutant of mutants) {
    const error = tryDecodeError(dialect, mutant, status);
    if (error === undefined) continue;
    assertErrorShape(error, mutant.wire, status);
    assertHolds(Number.isInteger(dialect.encodeError(error).status), "The encoded error has no integer status.", error);
  }
}

function tryDecodeError(dialect: Dialect, mutant: WireMutant, status: number | undefined): ProviderError | undefined {
  try {
    return dialect.decodeError(mutant.wire, status);
  } catch (error) {
    requireDecoderError(dialect, error, `At "${mutant.path}", ${mutant.change}`, mutant.wire);
    return undefined;
  }
}

/** The kinds that must have different statuses, because clients handle them differently. */
const DISTINCT_STATUSES: readonly ProviderErrorKind[] = ["authentication", "rate-limit", "invalid-request", "server"];

/** The kinds that no provider sends. They need not be decoded as the same kind, but never as a fault of the client. */
const LOCAL_KINDS: ReadonlySet<ProviderErrorKind> = new Set<ProviderErrorKind>(["network", "truncated", "unknown"]);

/** The kinds that must have a status 5xx. All other kinds are faults of the client and must have a status 4xx. */
const SERVER_FAULTS: ReadonlySet<ProviderErrorKind> = new Set([...LOCAL_KINDS, "overloaded", "server", "timeout"]);

function createError(kind: ProviderErrorKind): ProviderError {
  return { kind, message: "It went wrong for a reason." };
}

function assertStatuses(dialect: Dialect): void {
  const statusOf = (kind: ProviderErrorKind): number => dialect.encodeError(createError(kind)).status;
  for (const kind of PROVIDER_ERROR_KINDS) {
    const status = statusOf(kind);
    const first = SERVER_FAULTS.has(kind) ? 500 : 400;
    assertHolds(status >= first && status < first + 100, `The status of "${kind}" must not be ${status}.`);
  }
  assertHolds(statusOf("rate-limit") === 429, 'The status of "rate-limit" must be 429.');
  const statuses = new Set(DISTINCT_STATUSES.map(statusOf));
  assertHolds(
    statuses.size === DISTINCT_STATUSES.length,
    `The statuses of ${DISTINCT_STATUSES.join(", ")} must differ.`,
    [...statuses],
  );
}

function assertKindsDecode(dialect: Dialect): void {
  const all = PROVIDER_ERROR_KINDS.map((kind) => ({ kind, encoded: dialect.encodeError(createError(kind)) }));
  for (const { kind, encoded } of all) {
    const decoded = dialect.decodeError(encoded.wire, encoded.status);
    const equalKinds = all.filter((each) => sameJson(each.encoded, encoded)).map((each) => each.kind);
    const isRight = equalKinds.includes(decoded.kind) || (LOCAL_KINDS.has(kind) && SERVER_FAULTS.has(decoded.kind));
    assertHolds(isRight, `"${kind}" was decoded as "${decoded.kind}".`, encoded);
    assertHolds(decoded.message === createError(kind).message, `The message of "${kind}" changed.`, encoded, decoded);
  }
}

function assertOtherBodiesDropped(dialect: Dialect): void {
  const secret = "a text of another dialect";
  for (const kind of PROVIDER_ERROR_KINDS) {
    const { wire } = dialect.encodeError({ ...createError(kind), raw: { unknown: { field: secret } } });
    assertHolds(!stringifyJson(wire).includes(secret), "The encoded error contains the body of another dialect.", wire);
  }
}

// The suite for errors: one taxonomy for what providers say, and back to what a client of the dialect expects (B88).
import type { Dialect } from "../dialects/dialect.ts";
import { sameJson, stringifyJson } from "../model/json/index.ts";
import type { ProviderError, ProviderErrorKind } from "../model/provider-error.ts";
import { PROVIDER_ERROR_KINDS } from "../model/provider-error.ts";
import type { ConformanceCase } from "./demand.ts";
import { demand } from "./demand.ts";
import { demandNone, differences } from "./differences.ts";
import type { WireSample } from "./exchange.ts";
import type { Mutant } from "./mutants.ts";
import { grownMutants, oddMutants } from "./mutants.ts";
import { asRefusal } from "./nonsense.ts";
import { deepFreeze } from "./places.ts";

export interface ErrorConformanceOptions {
  samples: readonly WireSample[];
  /** How many mutants of each sample are tried. */
  mutants?: number;
}

const EDITED = "Another sentence about what went wrong.";

/** Error bodies in and out: taxonomy, statuses, equal JSON, edits, totality. */
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
    { title: title("B88: every kind of error has a status of its class"), run: () => hasStatuses(dialect) },
    {
      title: title("B88: every kind is read as itself, or as one that looks the same"),
      run: () => tellsKinds(dialect),
    },
    { title: title("what another dialect said of an error does not go out"), run: () => keepsForeignOut(dialect) },
  ];
}

type ErrorCheck = (dialect: Dialect, sample: WireSample, mutants: number) => void;

/** What must hold for every sample of an error. */
export const ERROR_CHECKS: readonly [claim: string, check: ErrorCheck][] = [
  ["is an error of the taxonomy, with the body kept", isOfTaxonomy],
  ["B88: comes back as equal JSON with its status", comesBack],
  ["an edited message replaces the old one", takesEdits],
  ["B43: never crashes, whatever field is new, gone or odd", survivesMutation],
];

function isOfTaxonomy(dialect: Dialect, { wire, status }: WireSample): void {
  checkError(dialect.decodeError(deepFreeze(wire), status), wire, status);
}

function checkError(error: ProviderError, wire: unknown, status: number | undefined): void {
  const { kind, message, retryAfterMs = 0 } = error;
  demand(PROVIDER_ERROR_KINDS.includes(kind), `"${kind}" is no kind of error.`, error);
  demand(typeof message === "string", "An error has a message.", error);
  demand(retryAfterMs >= 0, "A time to wait is a number of milliseconds.", error);
  demand(status === undefined || error.status === status, "The status is another one.", error);
  demand(sameJson(error.raw, wire), "The body was not kept.", error);
}

function comesBack(dialect: Dialect, { wire, status }: WireSample): void {
  const error = deepFreeze(dialect.decodeError(wire, status));
  for (const each of [error, structuredClone(error)]) {
    const encoded = dialect.encodeError(each);
    demandNone(differences(wire, encoded.wire), "The error came back different.");
    demand(status === undefined || encoded.status === status, `The status ${status} became ${encoded.status}.`);
  }
}

function takesEdits(dialect: Dialect, { wire, status }: WireSample): void {
  const error = dialect.decodeError(wire, status);
  const out = stringifyJson(dialect.encodeError({ ...error, message: EDITED }).wire);
  demand(out.includes(EDITED), "The edited message is not there.", out);
  const isThere = error.message.length >= 12 && out.includes(JSON.stringify(error.message).slice(1, -1));
  demand(!isThere, "The old message still goes out.", out);
}

function survivesMutation(dialect: Dialect, { wire, status, name }: WireSample, limit: number): void {
  for (const mutant of [...grownMutants(wire, Math.ceil(limit / 3), name), ...oddMutants(wire, limit, name)]) {
    const error = decodeOrRefuse(dialect, mutant, status);
    if (error === undefined) continue;
    checkError(error, mutant.wire, status);
    demand(Number.isInteger(dialect.encodeError(error).status), "An error went out without a status.", error);
  }
}

function decodeOrRefuse(dialect: Dialect, mutant: Mutant, status: number | undefined): ProviderError | undefined {
  try {
    return dialect.decodeError(mutant.wire, status);
  } catch (error) {
    asRefusal(dialect, error, `At "${mutant.path}", ${mutant.what}`, mutant.wire);
    return undefined;
  }
}

/** The client is at fault: 4xx. For the rest it is the server, or nobody knows. */
const CLIENT: ReadonlySet<ProviderErrorKind> = new Set<ProviderErrorKind>([
  "authentication",
  "permission",
  "not-found",
  "invalid-request",
  "context-length",
  "content-filter",
  "rate-limit",
  "quota",
]);

const TOLD_APART: readonly ProviderErrorKind[] = ["authentication", "rate-limit", "invalid-request", "server"];

/** What no provider says of itself; on the wire it is some failure of the server. */
const UNSAID: ReadonlySet<ProviderErrorKind> = new Set<ProviderErrorKind>(["network", "truncated", "unknown"]);

function ofKind(kind: ProviderErrorKind): ProviderError {
  return { kind, message: "It went wrong for a reason." };
}

function hasStatuses(dialect: Dialect): void {
  const statusOf = (kind: ProviderErrorKind): number => dialect.encodeError(ofKind(kind)).status;
  for (const kind of PROVIDER_ERROR_KINDS) {
    const status = statusOf(kind);
    const first = CLIENT.has(kind) ? 400 : 500;
    demand(status >= first && status < first + 100, `"${kind}" has the status ${status}.`);
  }
  demand(statusOf("rate-limit") === 429, "Who is asked to wait is not told so by 429.");
  const told = new Set(TOLD_APART.map(statusOf));
  demand(told.size === TOLD_APART.length, "Clients cannot tell what to do: statuses are alike.", [...told]);
}

function tellsKinds(dialect: Dialect): void {
  const all = PROVIDER_ERROR_KINDS.map((kind) => ({ kind, encoded: dialect.encodeError(ofKind(kind)) }));
  for (const { kind, encoded } of all) {
    const read = dialect.decodeError(encoded.wire, encoded.status);
    const alike = all.filter((each) => sameJson(each.encoded, encoded)).map((each) => each.kind);
    const isTold = alike.includes(read.kind) || (UNSAID.has(kind) && !CLIENT.has(read.kind));
    demand(isTold, `"${kind}" was read as "${read.kind}".`, encoded);
    demand(read.message === ofKind(kind).message, `The message of "${kind}" is another one.`, encoded, read);
  }
}

function keepsForeignOut(dialect: Dialect): void {
  const foreign = "a word that only its issuer knows";
  for (const kind of PROVIDER_ERROR_KINDS) {
    const { wire } = dialect.encodeError({ ...ofKind(kind), raw: { unheard: { of: foreign } } });
    demand(!stringifyJson(wire).includes(foreign), "It went out.", wire);
  }
}

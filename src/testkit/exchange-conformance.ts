// The suite for requests and responses: what Koine's own dialects pass, and a third party's can run.
import type { Dialect } from "../dialects/dialect.ts";
import type { ModelRequest } from "../model/request.ts";
import type { ModelResponse } from "../model/response.ts";
import {
  encodesTheSameTwice,
  losesNothingSilently,
  lossesAreDeclared,
  putsFieldsInPlace,
  readsWhatItWrites,
} from "./canonical-values.ts";
import { keepsNoCopies } from "./copies.ts";
import type { ConformanceCase } from "./demand.ts";
import { keepsTheRest, keepsWhatIsBefore } from "./edits.ts";
import type { Exchange, Exhibit, SampleCheck, ValueCheck, WireSample } from "./exchange.ts";
import { REQUESTS, RESPONSES } from "./exchange.ts";
import {
  comesBack,
  comesBackUnrepaired,
  hasRightShape,
  isDeterministic,
  keepsKeyOrder,
  survivesStorage,
} from "./fidelity.ts";
import { requestGallery } from "./gallery-requests.ts";
import { responseGallery } from "./gallery-responses.ts";
import { refusesNonExchange } from "./nonsense.ts";
import { keepsPrefixes } from "./prefixes.ts";
import { totality } from "./totality.ts";
import { tellsWords } from "./words.ts";

interface ConformanceOptions {
  samples: readonly WireSample[];
  /** How many mutants of each sample are tried; 400 where nothing is said. */
  mutants?: number;
}
export interface RequestConformanceOptions extends ConformanceOptions {
  /** Canonical requests beyond the built-in gallery. */
  requests?: readonly ModelRequest[];
}
export interface ResponseConformanceOptions extends ConformanceOptions {
  /** Canonical responses beyond the built-in gallery. */
  responses?: readonly ModelResponse[];
}

/** Requests in and out: fidelity, edits, stable prefixes, silent losses, totality. */
export function requestConformance(dialect: Dialect, options: RequestConformanceOptions): ConformanceCase[] {
  const own = (options.requests ?? []).map((value, index) => ({ name: `request ${index}`, value }));
  return conformance(REQUESTS, dialect, options, [...requestGallery(), ...own]);
}

/** Responses in and out: fidelity, edits, silent losses, totality. */
export function responseConformance(dialect: Dialect, options: ResponseConformanceOptions): ConformanceCase[] {
  const own = (options.responses ?? []).map((value, index) => ({ name: `response ${index}`, value }));
  return conformance(RESPONSES, dialect, options, [...responseGallery(), ...own]);
}

function conformance<T>(
  exchange: Exchange<T>,
  dialect: Dialect,
  { samples, mutants = 400 }: ConformanceOptions,
  exhibits: readonly Exhibit<T>[],
): ConformanceCase[] {
  const title = (name: string, claim: string): string => `${dialect.id} ${exchange.cargo}: ${name}: ${claim}`;
  return [
    ...samples.flatMap((sample) =>
      sampleChecks(exchange.cargo, mutants).map(([claim, check]) => ({
        title: title(sample.name, claim),
        run: () => check(exchange, dialect, sample),
      })),
    ),
    ...exhibits.flatMap(({ name, value }) =>
      VALUE_CHECKS.map(([claim, check]) => ({ title: title(name, claim), run: () => check(exchange, dialect, value) })),
    ),
    {
      title: title("nonsense", `what is no ${exchange.noun} is an error with a path`),
      run: () => refusesNonExchange(dialect, (wire) => exchange.decode(dialect, wire)),
    },
  ];
}

/** What must hold for every sample, as many mutants of it as are wanted included. */
export function sampleChecks(
  cargo: "requests" | "responses",
  mutants: number,
): readonly [claim: string, check: SampleCheck][] {
  const { keepsNewFields, survivesMutation } = totality(mutants);
  const appended: [string, SampleCheck][] = [
    ["B44: an appended message changes nothing before it", keepsWhatIsBefore],
    ["B44: each prefix goes out as the beginning of the whole", keepsPrefixes],
  ];
  return [
    ["comes back as equal JSON", comesBack],
    ["comes back as equal JSON without repairs", comesBackUnrepaired],
    ["schemas, tools and inputs keep the order of their keys", keepsKeyOrder],
    ["survives a stored copy", survivesStorage],
    ["decodes to the model's shape", hasRightShape],
    ["B44: encoding twice gives the same bytes", isDeterministic],
    ...(cargo === "requests" ? appended : []),
    ["an edited text changes nothing else", keepsTheRest],
    ["holds no copy of what was edited", keepsNoCopies],
    ["losses name declared codes and places that exist", onSample(lossesAreDeclared)],
    ["B43: a new field comes back, wherever it stands", keepsNewFields],
    ["B43: never crashes, whatever field is gone or odd", survivesMutation],
  ];
}

function onSample(check: ValueCheck): SampleCheck {
  return (exchange, dialect, sample) => check(exchange, dialect, exchange.decode(dialect, sample.wire, sample));
}

/** What must hold for every canonical value. */
const VALUE_CHECKS: readonly [claim: string, check: ValueCheck][] = [
  ["B58: nothing is lost silently", losesNothingSilently],
  ["B58: another word makes another wire", tellsWords],
  ["what was encoded comes back as equal JSON", readsWhatItWrites],
  ["what was encoded without a loss is read in its place", putsFieldsInPlace],
  ["B44: encoding a copy gives the same bytes, and leaves it as it was", encodesTheSameTwice],
  ["losses name declared codes and places that exist", lossesAreDeclared],
];

// What a decoder's error must say: whose it is, one of the documented codes, and where.
import type { Dialect } from "../dialects/dialect.ts";
import { DialectError } from "../dialects/errors.ts";
import type { DialectErrorCode } from "../dialects/errors.ts";
import { demand } from "./demand.ts";
import { isWithin } from "./places.ts";

/** The codes that a decoder of messages may use. */
const CODES: ReadonlySet<DialectErrorCode> = new Set<DialectErrorCode>([
  "wrong-type",
  "missing-field",
  "version",
  "too-deep",
]);

/** The error as a refusal of this dialect's decoder; anything else is a crash. */
export function asRefusal(dialect: Dialect, error: unknown, claim: string, ...shown: unknown[]): DialectError {
  const said = String(error);
  if (!(error instanceof DialectError)) {
    demand(false, `${claim}: no DialectError.`, said, ...shown);
    throw error;
  }
  demand(error.dialect === dialect.id, `${claim}: the error names the dialect "${error.dialect}".`, said, ...shown);
  demand(CODES.has(error.code), `${claim}: the code "${error.code}" is not a decoder's.`, said, ...shown);
  return error;
}

/** Values that hold no messages, and the place that the error must name: that one, or something within it. */
const NONSENSE: readonly [value: unknown, ...places: string[]][] = [
  [undefined, ""],
  [null, ""],
  [7, ""],
  ["text", ""],
  [true, ""],
  [{}, "", "/messages"],
  // Not every dialect knows the fragment with a list under `messages`.
  [{ messages: 7 }, "", "/messages"],
  [{ messages: [7] }, "", "/messages/0"],
  [[7], "/0"],
  [[null], "/0"],
  [[[]], "/0"],
];

/** Values that are not even an object; the error names the whole. */
export function refusesNonExchange(dialect: Dialect, decode: (wire: unknown) => unknown): void {
  for (const nonsense of [undefined, null, 7, "text", true, [], [{}]]) {
    const { path } = refusal(dialect, nonsense, decode);
    demand(path === "", `Nonsense was refused at "${path}".`, nonsense);
  }
}

function refusal(dialect: Dialect, nonsense: unknown, decode: (wire: unknown) => unknown): DialectError {
  let error: unknown;
  try {
    decode(nonsense);
  } catch (thrown) {
    error = thrown;
  }
  return asRefusal(dialect, error, "Nonsense was not refused", nonsense);
}

export function refusesNonsense(dialect: Dialect): void {
  for (const [nonsense, ...wanted] of NONSENSE) {
    const { path } = refusal(dialect, nonsense, (wire) => dialect.decodeMessages(wire));
    const isRight = wanted.some((place) => (place === "" ? path === "" : isWithin(path, place)));
    demand(isRight, `Nonsense was refused at "${path}", not at "${wanted.join('" or "')}".`, nonsense);
  }
}

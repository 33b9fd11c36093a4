// Checks the errors of decoders: each error must name the dialect, a documented code and a path.
import type { Dialect } from "../../dialects/dialect.ts";
import { DialectError } from "../../dialects/errors.ts";
import type { DialectErrorCode } from "../../dialects/errors.ts";
import { assertHolds } from "../conformance-case.ts";
import { isWithin } from "../json/json-nodes.ts";

/** The error codes that a decoder may use. */
const DECODER_ERROR_CODES: ReadonlySet<DialectErrorCode> = new Set<DialectErrorCode>([
  "wrong-type",
  "missing-field",
  "version",
  "too-deep",
]);

/** Returns the error if it is a DialectError of this dialect with a code for decoders; otherwise the check fails. */
export function requireDecoderError(
  dialect: Dialect,
  error: unknown,
  description: string,
  ...shown: unknown[]
): DialectError {
  const text = String(error);
  if (!(error instanceof DialectError)) {
    assertHolds(false, `${description}: expected a DialectError.`, text, ...shown);
    throw error;
  }
  assertHolds(
    error.dialect === dialect.id,
    `${description}: the error names the dialect "${error.dialect}".`,
    text,
    ...shown,
  );
  assertHolds(
    DECODER_ERROR_CODES.has(error.code),
    `${description}: decoders must not use the code "${error.code}".`,
    text,
    ...shown,
  );
  return error;
}

/** Values that are not messages, each with the paths that the error may name; descendants of a path are allowed. */
const NON_MESSAGES: readonly [value: unknown, ...paths: string[]][] = [
  [undefined, ""],
  [null, ""],
  [7, ""],
  ["text", ""],
  [true, ""],
  [{}, "", "/messages"],
  // The error may name the path "", because some dialects do not accept an object with a list in `messages`.
  [{ messages: 7 }, "", "/messages"],
  [{ messages: [7] }, "", "/messages/0"],
  [[7], "/0"],
  [[null], "/0"],
  [[[]], "/0"],
];

/** Requires that a decoder rejects values that are not objects, and that the error has the path of the whole value. */
export function assertNonObjectsRejected(dialect: Dialect, decode: (wire: unknown) => unknown): void {
  for (const value of [undefined, null, 7, "text", true, [], [{}]]) {
    const { path } = requireRejection(dialect, value, decode);
    assertHolds(path === "", `An invalid value was rejected at "${path}" instead of "".`, value);
  }
}

function requireRejection(dialect: Dialect, value: unknown, decode: (wire: unknown) => unknown): DialectError {
  let error: unknown;
  try {
    decode(value);
  } catch (caught) {
    error = caught;
  }
  return requireDecoderError(dialect, error, "An invalid value was not rejected", value);
}

export function assertNonMessagesRejected(dialect: Dialect): void {
  for (const [value, ...expected] of NON_MESSAGES) {
    const { path } = requireRejection(dialect, value, (wire) => dialect.decodeMessages(wire));
    const isExpected = expected.some((each) => (each === "" ? path === "" : isWithin(path, each)));
    assertHolds(
      isExpected,
      `An invalid value was rejected at "${path}" instead of "${expected.join('" or "')}".`,
      value,
    );
  }
}

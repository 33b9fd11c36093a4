// Checks B43 for messages: each field of a sample is deleted or given a value of another type, and each object gets a
// new field. The dialect must restore the data, report a loss, or throw an error that names the field.
import type { Dialect, Encoded } from "../../dialects/dialect.ts";
import { sameJson } from "../../model/json/index.ts";
import { pickEvenly } from "../pick-evenly.ts";
import { assertHolds, readWireMessages } from "../conformance-case.ts";
import { UNKNOWN_FIELDS, ODD_VALUES } from "./wire-mutants.ts";
import { requireDecoderError } from "./decode-rejections.ts";
import { isWithin, parentPath, walkJson, removeAt, replaceAt } from "../json/json-nodes.ts";

function roundTrip(dialect: Dialect, wire: unknown): Encoded {
  return dialect.encodeMessages(dialect.decodeMessages(wire));
}

/** Requires that an unknown field causes no error and no loss, and that the encoder writes it again. */
export function assertNewMessageFieldsRestored(dialect: Dialect, wire: unknown): void {
  for (const { path, keys, value } of walkJson(wire)) {
    // Only objects get a new field. The root gets none, because only its field `messages` is decoded.
    if (keys.length === 0 || typeof value !== "object" || value === null || Array.isArray(value)) continue;
    for (const [name, field] of UNKNOWN_FIELDS) {
      const mutant = replaceAt(wire, [...keys, name], field);
      const { wire: encoded, losses } = requireRoundTrip(dialect, mutant, `A new field "${name}" at "${path}"`);
      assertHolds(
        sameJson(encoded, readWireMessages(mutant)) && losses.every(({ level }) => level === "note"),
        `A new field "${name}" at "${path}" did not come back unchanged.`,
        "sent:",
        readWireMessages(mutant),
        "came back:",
        encoded,
        losses,
      );
    }
  }
}

function requireRoundTrip(dialect: Dialect, mutant: unknown, description: string): Encoded {
  try {
    return roundTrip(dialect, mutant);
  } catch (error) {
    assertHolds(false, `${description} caused an error.`, String(error), mutant);
    throw error;
  }
}

/**
 * Requires for each deleted or retyped field: equal JSON after a round trip, a loss that the unchanged sample does not
 * have, or an error whose path is related to the field.
 */
export function assertMessageMutantsHandled(
  dialect: Dialect,
  wire: unknown,
  { limit, salt }: { limit: number; salt: string },
): void {
  const known = new Set(roundTrip(dialect, wire).losses.map(({ path, code }) => `${code} ${path}`));
  const hasNewLoss = ({ losses }: Encoded): boolean => losses.some(({ path, code }) => !known.has(`${code} ${path}`));
  const mutants = [...walkJson(wire)].flatMap(({ path, keys, value }) => {
    const odd = ODD_VALUES.filter((each) => !sameJson(each, value));
    const made = odd.map((each) => ({ path, make: () => replaceAt(wire, keys, each) }));
    if (keys.length > 0) made.push({ path, make: () => removeAt(wire, keys) });
    return made;
  });
  for (const { path, make } of pickEvenly(mutants, limit, salt)) {
    assertMessageMutantHandled(dialect, make(), path, hasNewLoss);
  }
}

function assertMessageMutantHandled(
  dialect: Dialect,
  mutant: unknown,
  path: string,
  hasNewLoss: (encoded: Encoded) => boolean,
): void {
  let encoded: Encoded;
  try {
    encoded = roundTrip(dialect, mutant);
  } catch (error) {
    const { path: errorPath } = requireDecoderError(
      dialect,
      error,
      `A mutant at "${path}" was not rejected properly`,
      mutant,
    );
    assertHolds(
      isRelatedMessagePath(errorPath, path),
      `A mutant at "${path}" was rejected at "${errorPath}".`,
      String(error),
      mutant,
    );
    return;
  }
  assertHolds(
    sameJson(encoded.wire, readWireMessages(mutant)) || hasNewLoss(encoded),
    `A mutant at "${path}" came back different without a report.`,
    mutant,
    encoded,
  );
}

/**
 * True if an error names the changed path, a descendant, an ancestor, or a sibling of it. The root counts as an
 * ancestor only if the list of messages itself was changed.
 */
function isRelatedMessagePath(errorPath: string, changedPath: string): boolean {
  if (isWithin(errorPath, changedPath)) return true;
  const isMessageList = changedPath === "" || changedPath === "/messages";
  if (errorPath === "") return isMessageList;
  return isWithin(changedPath, errorPath) || parentPath(errorPath) === parentPath(changedPath);
}

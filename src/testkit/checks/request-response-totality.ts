// Checks B43 for requests and responses: an unknown field is encoded again; an odd value is encoded again, reported as
// a loss, or rejected with its path.
import type { Dialect, Encoded } from "../../dialects/dialect.ts";
import { sameJson } from "../../model/json/index.ts";
import { assertHolds } from "../conformance-case.ts";
import { assertNoDifferences, findDifferences } from "../json/json-differences.ts";
import type { PayloadCodec, WireSampleCheck, WireSample } from "./payload-codec.ts";
import type { WireMutant } from "./wire-mutants.ts";
import { createNewFieldMutants, createOddValueMutants } from "./wire-mutants.ts";
import { requireDecoderError } from "./decode-rejections.ts";
import { isWithin, parentPath } from "../json/json-nodes.ts";

/** Returns the checks that try at most `limit` mutants of each sample. */
export function createTotalityChecks(limit: number): {
  assertNewFieldsRestored: WireSampleCheck;
  assertMutantsHandled: WireSampleCheck;
} {
  return {
    assertNewFieldsRestored(codec, dialect, sample) {
      const mutants = createNewFieldMutants(sample.wire, Math.ceil(limit / 3), sample.name);
      for (const trial of createTrials(codec, dialect, sample, mutants)) assertNewFieldRestored(trial);
    },
    assertMutantsHandled(codec, dialect, sample) {
      const mutants = createOddValueMutants(sample.wire, limit, sample.name);
      for (const trial of createTrials(codec, dialect, sample, mutants)) assertMutantHandled(trial);
    },
  };
}

/** The round trip of one mutant, with or without repairs. */
interface MutantTrial {
  dialect: Dialect;
  mutant: WireMutant;
  repair: boolean;
  /** The encoding of the unchanged sample. */
  original: Encoded;
  /** Names the mutant in messages. */
  description: string;
  /** Decodes and encodes the mutant. If that throws, passes the error to `onError` and returns undefined. */
  roundTrip: (onError: (error: unknown) => void) => Encoded | undefined;
}

function* createTrials<T>(
  codec: PayloadCodec<T>,
  dialect: Dialect,
  sample: WireSample,
  mutants: Iterable<WireMutant>,
): Generator<MutantTrial> {
  const original = codec.encode(dialect, codec.decode(dialect, sample.wire, sample));
  for (const mutant of mutants) {
    for (const repair of [true, false]) {
      const description = `At "${mutant.path}", ${mutant.change} (repair: ${repair})`;
      const roundTrip: MutantTrial["roundTrip"] = (onError) => {
        try {
          return codec.encode(dialect, codec.decode(dialect, mutant.wire, sample), { repair });
        } catch (error) {
          onError(error);
          return undefined;
        }
      };
      yield { dialect, mutant, repair, original, description, roundTrip };
    }
  }
}

function assertNewFieldRestored({ mutant, repair, original, description, roundTrip }: MutantTrial): void {
  const encoded = roundTrip((error) => {
    assertHolds(false, `${description} caused an error.`, String(error), mutant.wire);
  });
  if (encoded === undefined) return;
  const losses = listNewLosses(encoded, original);
  // The check is skipped after a repair, because a new field in a schema can make a repair of the schema necessary.
  if (repair && losses.some(({ action }) => action === "repaired")) return;
  assertNoDifferences(
    findDifferences(mutant.wire, encoded.wire),
    `${description} did not come back unchanged.`,
    encoded.losses,
  );
  const loss = losses.find(({ level }) => level !== "note");
  assertHolds(loss === undefined, `${description} was reported as a loss.`, loss);
}

function listNewLosses({ losses }: Encoded, original: Encoded): Encoded["losses"] {
  const known = new Set(original.losses.map(({ path, code }) => `${code} ${path}`));
  return losses.filter(({ path, code }) => !known.has(`${code} ${path}`));
}

function assertMutantHandled({ dialect, mutant, repair, original, description, roundTrip }: MutantTrial): void {
  const encoded = roundTrip((error) => {
    const { path } = requireDecoderError(dialect, error, `${description} was not rejected properly`, mutant.wire);
    assertHolds(
      isRelatedPath(path, mutant.path),
      `${description} was rejected at "${path}".`,
      String(error),
      mutant.wire,
    );
  });
  if (encoded === undefined) return;
  if (sameJson(encoded.wire, mutant.wire) || (repair && listNewLosses(encoded, original).length > 0)) return;
  assertNoDifferences(
    findDifferences(mutant.wire, encoded.wire),
    `${description} came back different without a report.`,
    encoded.losses,
  );
}

/**
 * True if an error names the changed path, a descendant, an ancestor, or a sibling of it. The root counts as an
 * ancestor only if a field of the root was changed.
 */
function isRelatedPath(errorPath: string, changedPath: string): boolean {
  if (isWithin(errorPath, changedPath)) return true;
  if (errorPath === "") return parentPath(changedPath) === "";
  return isWithin(changedPath, errorPath) || parentPath(errorPath) === parentPath(changedPath);
}

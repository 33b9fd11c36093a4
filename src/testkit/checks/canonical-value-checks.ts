// Checks an encoder with a canonical request or response: no silent losses, declared losses, equal output for equal
// input, and decoding of the output.
import type { Dialect, Encoded } from "../../dialects/dialect.ts";
import { sameJson, stringifyJson } from "../../model/json/index.ts";
import { pointer } from "../../model/json/pointer.ts";
import { createCoverageTest } from "../oracle/loss-coverage.ts";
import { assertHolds } from "../conformance-case.ts";
import { abbreviateJson, assertNoDifferences, findDifferences } from "../json/json-differences.ts";
import type { PayloadCodec, CanonicalValueCheck } from "./payload-codec.ts";
import { isImpliedByWire, silentLosses } from "../oracle/silent-losses.ts";
import type { JsonNode } from "../json/json-nodes.ts";
import { deepFreeze, walkJson, listScalars, readAt } from "../json/json-nodes.ts";
import { isVocabulary } from "../oracle/model-paths.ts";
import { sampledLosses } from "../oracle/sampled-losses.ts";

function assertNothingLost(lost: readonly JsonNode[]): void {
  const shown = lost.slice(0, 10).map(({ path, value }) => `${path} = ${abbreviateJson(value)}`);
  assertHolds(lost.length === 0, `${lost.length} values were lost without a report:`, shown.join("\n"));
}

/** Requires for every scalar of the value that the encoder writes it or reports its loss. */
export const assertNoSilentLosses: CanonicalValueCheck = (codec, dialect, value) => {
  assertNothingLost(silentLosses(value, (each) => codec.encode(dialect, each)));
};

/** Requires the same as assertNoSilentLosses for a sample of the scalars, so that large values can be checked. */
export const assertNoSampledLosses: CanonicalValueCheck = (codec, dialect, value) => {
  assertNothingLost(sampledLosses(value, (each) => codec.encode(dialect, each)));
};

export const assertDeclaredLosses: CanonicalValueCheck = (codec, dialect, value) => {
  const { losses } = codec.encode(dialect, value);
  const paths = new Set([...walkJson(value)].map(({ path }) => path));
  for (const { code, path, action, level, message } of losses) {
    const declared = Object.hasOwn(dialect.losses, code) ? dialect.losses[code] : undefined;
    assertHolds(
      declared?.action === action && declared.level === level,
      `The dialect does not declare the loss "${code}" with the action "${action}" and the level "${level}".`,
    );
    assertHolds(message !== "", `The loss "${code}" has no message.`);
    // Only the path of a synthesized field may be absent from the value.
    assertHolds(
      paths.has(path) || action === "synthesized",
      `The loss "${code}" names the path "${path}", which does not exist.`,
    );
  }
};

export const assertPureEncoding: CanonicalValueCheck = (codec, dialect, value) => {
  const copy = deepFreeze(structuredClone(value));
  const [first, second] = [codec.encode(dialect, value), codec.encode(dialect, copy)];
  assertHolds(
    stringifyJson(first) === stringifyJson(second),
    "The encodings of a value and its copy differ.",
    first,
    second,
  );
};

/** Requires that the encoder's output, decoded and encoded without repairs, is the same wire value. */
export const assertStableReencoding: CanonicalValueCheck = (codec, dialect, value) => {
  const { wire, reencoded } = encodeDecodeEncode(codec, dialect, value);
  assertNoDifferences(
    findDifferences(wire, reencoded.wire),
    "The encoder's output was decoded and encoded to another wire.",
    reencoded.losses,
  );
};

function encodeDecodeEncode<T>(
  codec: PayloadCodec<T>,
  dialect: Dialect,
  value: T,
): Encoded & { reencoded: Encoded; decoded: T } {
  const encoded = codec.encode(dialect, value);
  const { wire, address } = encoded;
  const decoded = codec.decode(dialect, wire, address === undefined ? {} : { address });
  return { ...encoded, reencoded: codec.encode(dialect, decoded, { repair: false }), decoded };
}

/**
 * Matches paths outside messages, residue and raw data. Messages are not matched, because encoders may split and merge
 * them.
 */
const OUTSIDE_MESSAGES = /^\/(?!messages?\/|alternatives\/\d+\/message\/|extra\/)(?!.*\/(?:extra|raw)(?:\/|$))/;

/**
 * Requires that a scalar without a loss is decoded at its original path. This detects two settings that an encoder
 * exchanged, which the silent-loss oracle does not detect.
 */
export const assertFieldsDecodeInPlace: CanonicalValueCheck = (codec, dialect, value) => {
  const { losses, names, decoded } = encodeDecodeEncode(codec, dialect, value);
  const isLost = createCoverageTest({ losses });
  const isRenamed = (scalar: unknown): boolean =>
    Object.values(names ?? {}).some((table: Record<string, string>) => Object.values(table).includes(String(scalar)));
  const differences = listScalars(value).flatMap((node) => {
    const { path, keys, value: was } = node;
    if (!OUTSIDE_MESSAGES.test(path) || isLost(path) || path === "/error/kind" || isRenamed(was)) return [];
    if (isImpliedByWire(value, node)) return [];
    if (isVocabulary(path) && (!COMPARED_VOCABULARY.test(path) || was === "text")) return [];
    const is = readAt(decoded, shiftLostIndexes(keys, isLost));
    return sameJson(was, is) || isSameTime(was, is) ? [] : [{ path, was, is }];
  });
  assertNoDifferences(differences, "A field was decoded to another value, or not at all.", losses);
};

/**
 * Matches paths of enumerated values that must be equal after decoding. The check skips the output type "text", which
 * is the default.
 */
const COMPARED_VOCABULARY = /\/(?:unified|toolChoice|mode|effort|type)$/;

/**
 * Returns the keys of a node in the decoded value: each list index is reduced by the number of preceding elements that
 * a loss covers, because the output does not contain these.
 */
function shiftLostIndexes(keys: readonly (string | number)[], isLost: (path: string) => boolean): (string | number)[] {
  return keys.map((key, depth) => {
    if (typeof key !== "number") return key;
    const list = pointer(keys.slice(0, depth));
    return key - Array.from({ length: key }, (_, index) => isLost(`${list}/${index}`)).filter(Boolean).length;
  });
}

function isSameTime(was: unknown, is: unknown): boolean {
  const times = [was, is].map((each) => (typeof each === "string" ? Date.parse(each) : Number.NaN));
  return Math.floor((times[0] ?? 0) / 1000) === Math.floor((times[1] ?? 1) / 1000);
}

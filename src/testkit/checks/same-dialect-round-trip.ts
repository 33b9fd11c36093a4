// Checks that a sample, decoded and encoded by its own dialect, is equal JSON: with frozen and with stored values, with
// and without repairs.
import type { Encoded } from "../../dialects/dialect.ts";
import { sameValue, stringifyJson } from "../../model/json/index.ts";
import type { IssueCode } from "../../model/validation/issue.ts";
import { assertHolds } from "../conformance-case.ts";
import { assertNoDifferences, findDifferences } from "../json/json-differences.ts";
import type { WireSampleCheck } from "./payload-codec.ts";
import { findKeyOrderDifferences } from "./key-order.ts";
import { deepFreeze, walkJson } from "../json/json-nodes.ts";

export const assertRoundTrip: WireSampleCheck = (codec, dialect, sample) => {
  const { wire, address } = sample;
  const value = deepFreeze(codec.decode(dialect, deepFreeze(wire), sample));
  const encoded = codec.encode(dialect, value);
  assertNoDifferences(findDifferences(wire, encoded.wire), "The wire came back different.", encoded.losses);
  const loss = encoded.losses.find(({ level }) => level !== "note");
  assertHolds(loss === undefined, "The dialect reported a loss for its own data.", loss);
  for (const [key, sent] of Object.entries(address ?? {})) {
    const received = Object.entries(encoded.address ?? {}).find(([each]) => each === key)?.[1];
    assertNoDifferences(findDifferences(sent, received, `/${key}`), "The request envelope came back different.");
  }
};

export const assertRoundTripWithoutRepair: WireSampleCheck = (codec, dialect, sample) => {
  const encoded = codec.encode(dialect, codec.decode(dialect, sample.wire, sample), { repair: false });
  assertNoDifferences(
    findDifferences(sample.wire, encoded.wire),
    "Without repairs, the wire came back different.",
    encoded.losses,
  );
  const repair = encoded.losses.find(({ action }) => action === "repaired");
  assertHolds(repair === undefined, "The encoder made a repair although `repair` is false.", repair);
};

/** Requires that schemas, tools and inputs keep their key order, because prompt caches compare bytes. */
export const assertKeyOrder: WireSampleCheck = (codec, dialect, sample) => {
  const value = codec.decode(dialect, sample.wire, sample);
  const { wire } = codec.encode(dialect, value);
  assertNoDifferences(
    findKeyOrderDifferences(value, sample.wire, wire),
    "The keys of a schema, tool or input changed their order.",
  );
};

/**
 * Requires equal JSON after a copy of the value by JSON text or structured clone. Numbers are compared as doubles,
 * because both copies lose the exact digits.
 */
export const assertStorageRoundTrip: WireSampleCheck = (codec, dialect, sample) => {
  const value = codec.decode(dialect, sample.wire, sample);
  const copies = { stored: JSON.parse(JSON.stringify(value)) as typeof value, cloned: structuredClone(value) };
  for (const [method, copy] of Object.entries(copies)) {
    const { wire } = codec.encode(dialect, copy);
    if (sameValue(wire, sample.wire)) continue;
    assertNoDifferences(findDifferences(sample.wire, wire), `A ${method} ${codec.noun} came back different.`);
  }
};

/** The issues about the shape of a value. Samples may have other issues, for example about the order of messages. */
const SHAPE_ISSUES: ReadonlySet<IssueCode> = new Set<IssueCode>([
  "wrong-type",
  "missing-field",
  "unknown-field",
  "unknown-part-type",
  "unknown-word",
  "one-source",
  "not-json",
  "too-deep",
]);

export const assertModelShape: WireSampleCheck = (codec, dialect, sample) => {
  const value = codec.decode(dialect, sample.wire, sample);
  const issues = codec.validate(value).filter(({ code }) => SHAPE_ISSUES.has(code));
  assertHolds(issues.length === 0, `The decoded value is no ${codec.noun} of the model.`, issues.slice(0, 5));
  const undefinedNode = [...walkJson(value)].find((node) => node.value === undefined);
  assertHolds(undefinedNode === undefined, `The decoded value has undefined at "${undefinedNode?.path}".`);
};

export const assertDeterministic: WireSampleCheck = (codec, dialect, sample) => {
  const roundTrip = (): Encoded => codec.encode(dialect, codec.decode(dialect, sample.wire, sample));
  const [first, second] = [roundTrip(), roundTrip()];
  assertNoDifferences(findDifferences(first, second), "Two encodings differ.");
  assertHolds(stringifyJson(first) === stringifyJson(second), "Two encodings differ in the order of keys.");
};

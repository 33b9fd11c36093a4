// Checks enumerated settings and finish reasons: different values must have different wires, or a loss must be
// reported. The silent-loss oracle does not search for these values, because encoders map them to other strings.
import type { Encoded } from "../../dialects/dialect.ts";
import { createCoverageTest } from "../oracle/loss-coverage.ts";
import { assertHolds } from "../conformance-case.ts";
import type { CanonicalValueCheck } from "./payload-codec.ts";
import { fingerprint } from "../oracle/encoded-text.ts";
import { walkJson, replaceAt } from "../json/json-nodes.ts";

/** The paths of enumerated values, each with values that must be distinct on the wire. */
const ENUM_VALUES: readonly [path: RegExp, values: readonly unknown[]][] = [
  [/^\/toolChoice$/, ["auto", "none", "required"]],
  [/^\/toolChoice\/mode$/, ["auto", "required"]],
  [/^\/reasoning\/effort$/, ["low", "high"]],
  [/^\/output$/, [{ type: "text" }, { type: "json" }]],
  // "tool-calls" is not in the list, because some wires have no such value and only the calls themselves imply it.
  [/^(?:\/alternatives\/\d+)?\/finishReason$/, ["stop", "length", "content-filter"].map((unified) => ({ unified }))],
];

export const assertEnumValuesDistinct: CanonicalValueCheck = (codec, dialect, value) => {
  const isLost = createCoverageTest(codec.encode(dialect, value));
  for (const { path, keys, value: current } of walkJson(value)) {
    const values = ENUM_VALUES.find(([pattern]) => pattern.test(path))?.[1];
    if (values === undefined || isLost(path)) continue;
    const encodeWith = (each: unknown): Encoded => codec.encode(dialect, replaceAt(value, keys, each) as typeof value);
    // If ENUM_VALUES has the value of the sample, that entry replaces it, because the sample's own value may have a raw
    // wire value, which would determine the encoding.
    const listed = values.find((each) => isSameEnumValue(each, current)) ?? current;
    // Finish reasons that are not in ENUM_VALUES are skipped, because the content or the error may imply them.
    if (listed === current && path.endsWith("/finishReason")) continue;
    const encoded = encodeWith(listed);
    if (createCoverageTest(encoded)(path)) continue;
    for (const other of values.filter((each) => each !== listed)) {
      const isDistinct = fingerprint(encodeWith(other)) !== fingerprint(encoded);
      assertHolds(
        isDistinct,
        `At "${path}", ${JSON.stringify(listed)} and ${JSON.stringify(other)} have the same wire.`,
        encoded.wire,
      );
    }
  }
};

function isSameEnumValue(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  const [a, b] = [one, other] as Record<string, unknown>[];
  return a?.["unified"] === b?.["unified"] && a?.["type"] === b?.["type"];
}

// Same dialect in and out: equal JSON, from a frozen value, from a stored copy, with and without repairs.
import type { Encoded } from "../dialects/dialect.ts";
import { sameValue, stringifyJson } from "../model/json/index.ts";
import type { IssueCode } from "../model/validation/issue.ts";
import { demand } from "./demand.ts";
import { demandNone, differences } from "./differences.ts";
import type { SampleCheck } from "./exchange.ts";
import { orderDifferences } from "./key-order.ts";
import { deepFreeze, places } from "./places.ts";

export const comesBack: SampleCheck = (exchange, dialect, sample) => {
  const { wire, address } = sample;
  const value = deepFreeze(exchange.decode(dialect, deepFreeze(wire), sample));
  const encoded = exchange.encode(dialect, value);
  demandNone(differences(wire, encoded.wire), "The wire came back different.", encoded.losses);
  const loss = encoded.losses.find(({ level }) => level !== "note");
  demand(loss === undefined, "A loss in the dialect's own data.", loss);
  for (const [key, sent] of Object.entries(address ?? {})) {
    const back = Object.entries(encoded.address ?? {}).find(([each]) => each === key)?.[1];
    demandNone(differences(sent, back, `/${key}`), "The address came back different.");
  }
};

export const comesBackUnrepaired: SampleCheck = (exchange, dialect, sample) => {
  const encoded = exchange.encode(dialect, exchange.decode(dialect, sample.wire, sample), { repair: false });
  demandNone(differences(sample.wire, encoded.wire), "Without repairs, the wire came back different.", encoded.losses);
  const repaired = encoded.losses.find(({ action }) => action === "repaired");
  demand(repaired === undefined, "A repair, although none was wanted.", repaired);
};

/** What a model reads byte by byte keeps the order of its keys, so that its caches hit. */
export const keepsKeyOrder: SampleCheck = (exchange, dialect, sample) => {
  const value = exchange.decode(dialect, sample.wire, sample);
  const { wire } = exchange.encode(dialect, value);
  demandNone(orderDifferences(value, sample.wire, wire), "The keys of a schema, tool or input changed their order.");
};

/** What a store does: text and back, or a copy. Digits that only parseJson knows are not in it. */
export const survivesStorage: SampleCheck = (exchange, dialect, sample) => {
  const value = exchange.decode(dialect, sample.wire, sample);
  const copies = { stored: JSON.parse(JSON.stringify(value)) as typeof value, cloned: structuredClone(value) };
  for (const [how, copy] of Object.entries(copies)) {
    const { wire } = exchange.encode(dialect, copy);
    if (sameValue(wire, sample.wire)) continue;
    demandNone(differences(sample.wire, wire), `A ${how} ${exchange.noun} came back different.`);
  }
};

/** Not how a conversation may go, but what a value of the model looks like. */
const SHAPE: ReadonlySet<IssueCode> = new Set<IssueCode>([
  "wrong-type",
  "missing-field",
  "unknown-field",
  "unknown-part-type",
  "unknown-word",
  "one-source",
  "not-json",
  "too-deep",
]);

export const hasRightShape: SampleCheck = (exchange, dialect, sample) => {
  const value = exchange.decode(dialect, sample.wire, sample);
  const wrong = exchange.issues(value).filter(({ code }) => SHAPE.has(code));
  demand(wrong.length === 0, `What was decoded is no ${exchange.noun} of the model.`, wrong.slice(0, 5));
  const unsaid = [...places(value)].find((place) => place.value === undefined);
  demand(unsaid === undefined, `At "${unsaid?.path}" stands undefined, which is no JSON.`);
};

export const isDeterministic: SampleCheck = (exchange, dialect, sample) => {
  const once = (): Encoded => exchange.encode(dialect, exchange.decode(dialect, sample.wire, sample));
  const [first, second] = [once(), once()];
  demandNone(differences(first, second), "Two encodings differ.");
  demand(stringifyJson(first) === stringifyJson(second), "Two encodings differ in the order of keys.");
};

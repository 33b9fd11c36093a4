// The silent-loss oracle for large values: one encoding with marks confirms most scalars; only the unconfirmed ones are
// probed one by one, a few per path pattern.
import type { Encoded } from "../../dialects/dialect.ts";
import { pickEvenly, pickPerGroup, toPathPattern } from "../pick-evenly.ts";
import { createCoverageTest } from "./loss-coverage.ts";
import { findMarks, markScalars } from "./marks.ts";
import { SilentLossOracle } from "./silent-losses.ts";
import type { JsonNode } from "../json/json-nodes.ts";

/** Values with at most this many unreported scalars need no marks: each scalar is probed. */
const EXHAUSTIVE_LIMIT = 150;
const PROBES_PER_PATTERN = 4;
const PROBE_LIMIT = 200;

/** Returns the nodes that an encoding lost without a report: exact for small values, sampled for large ones. */
export function sampledLosses<T>(value: T, encode: (value: T) => Encoded): JsonNode[] {
  const oracle = new SilentLossOracle(value, encode);
  const lost: JsonNode[] = [];
  const present: JsonNode[] = [];
  for (const node of oracle.unreported) (oracle.isInOutput(node) ? present : lost).push(node);
  const unconfirmed = present.length <= EXHAUSTIVE_LIMIT ? present : findUnconfirmed(present, value, encode);
  const selected = pickPerGroup(unconfirmed, ({ path }) => toPathPattern(path), PROBES_PER_PATTERN);
  return [...lost, ...pickEvenly(selected, PROBE_LIMIT).filter((node) => !oracle.isChangeVisible(node))];
}

/** Returns the nodes that have no mark, or whose mark neither arrives nor is reported. */
function findUnconfirmed<T>(nodes: readonly JsonNode[], value: T, encode: (value: T) => Encoded): readonly JsonNode[] {
  const { value: marked, marks } = markScalars(value, nodes);
  const encoded = encode(marked);
  const arrived = findMarks(encoded);
  const isLost = createCoverageTest(encoded);
  return nodes.filter(({ path }) => {
    const mark = marks.get(path);
    return mark === undefined || (!arrived.has(mark) && !isLost(path));
  });
}

// Finds silent losses of large values: one encoding of the value with marks confirms most scalars. The other scalars
// are changed one by one, a few per path pattern.
import type { Encoded } from "../../dialects/dialect.ts";
import { pickEvenly, pickPerGroup, toPathPattern } from "../pick-evenly.ts";
import { createCoverageTest } from "./loss-coverage.ts";
import { findMarks, markScalars } from "./marks.ts";
import { SilentLossOracle } from "./silent-losses.ts";
import type { JsonNode } from "../json/json-nodes.ts";

/**
 * If at most this many scalars must be examined, marks are not used, because so few scalars can be changed one by one.
 */
const EXHAUSTIVE_LIMIT = 150;
const PROBES_PER_PATTERN = 4;
const PROBE_LIMIT = 200;

/**
 * Returns nodes that an encoding lost without a report. All strings are searched in the output. Changes are tried at a
 * sample of the nodes: a few per path pattern, up to PROBE_LIMIT.
 */
export function sampledLosses<T>(value: T, encode: (value: T) => Encoded): JsonNode[] {
  const oracle = new SilentLossOracle(value, encode);
  const lost: JsonNode[] = [];
  const present: JsonNode[] = [];
  for (const node of oracle.unreported) (oracle.isInOutput(node) ? present : lost).push(node);
  const unconfirmed = present.length <= EXHAUSTIVE_LIMIT ? present : findUnconfirmed(present, value, encode);
  const selected = pickPerGroup(unconfirmed, ({ path }) => toPathPattern(path), PROBES_PER_PATTERN);
  return [...lost, ...pickEvenly(selected, PROBE_LIMIT).filter((node) => !oracle.isChangeVisible(node))];
}

/**
 * Encodes the value once with marks. Returns the nodes that this does not confirm: they have no mark, or their mark is
 * neither in the output nor covered by a loss.
 */
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

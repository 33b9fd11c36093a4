// The silent-loss oracle for large values: all strings and numbers are probed at once, by marks; only what does not
// arrive so, and what cannot be marked, is probed place by place, a few of each kind.
import type { Encoded } from "../dialects/dialect.ts";
import { evenly, fewOfEach, patternOf } from "./choice.ts";
import { coverage } from "./coverage.ts";
import { arrivedMarks, markPlaces } from "./marks.ts";
import { Oracle } from "./oracle.ts";
import type { Place } from "./places.ts";

/** Up to this many open places each is probed by itself. */
const SMALL = 150;
/** Of the places that differ only in list positions, so many are probed; and so many altogether. */
const ALIKE = 4;
const PROBES = 200;

/** The places whose value was lost without a word: exact for small values, by marks and samples for large ones. */
export function sampledLosses<T>(value: T, encode: (value: T) => Encoded): Place[] {
  const oracle = new Oracle(value, encode);
  const gone: Place[] = [];
  const there: Place[] = [];
  for (const place of oracle.open) (oracle.isThere(place) ? there : gone).push(place);
  const unsure = there.length <= SMALL ? there : unmarked(there, value, encode);
  const alike = fewOfEach(unsure, ({ path }) => patternOf(path), ALIKE);
  return [...gone, ...evenly(alike, PROBES).filter((place) => !oracle.shows(place))];
}

/** The places that have no mark, or whose mark neither arrives nor is reported. */
function unmarked<T>(there: readonly Place[], value: T, encode: (value: T) => Encoded): readonly Place[] {
  const { value: marked, marks } = markPlaces(value, there);
  const encoded = encode(marked);
  const arrived = arrivedMarks(encoded);
  const isLost = coverage(encoded);
  return there.filter(({ path }) => {
    const mark = marks.get(path);
    return mark === undefined || (!arrived.has(mark) && !isLost(path));
  });
}

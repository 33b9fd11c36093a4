// ULIDs: sortable by time, and by order within a thread whatever the clocks of its writers say.
import { getRandomValues } from "node:crypto";
import { encodeTime, incrementBase32, TIME_LEN } from "ulid";

/** Makes an id that sorts after `last` ("" where there is none). */
export type NextId = (last: string) => string;

/** Crockford's base 32. */
const CHARACTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ENDING = 16;
const POOL = new Uint8Array(4096);
let used = POOL.length;

/** 80 random bits from a pool, as characters: the package's own source asks the system for every one of them. */
function ending(): string {
  if (used + ENDING > POOL.length) {
    getRandomValues(POOL);
    used = 0;
  }
  let text = "";
  // The last five of eight bits choose evenly among the characters; the pool has enough of them.
  for (const end = used + ENDING; used < end; used++) text += CHARACTERS.charAt((POOL[used] as number) & 31);
  return text;
}

/** Ids by this clock. Where the clock has not passed the last id's millisecond, the last id is counted up instead. */
export function idsBy(now: () => number): NextId {
  let time = Number.NaN;
  /** The time as the beginning of an id: these compare as times do, and are made once per millisecond. */
  let beginning = "";
  return (last) => {
    const current = now();
    if (current !== time) {
      beginning = encodeTime(current);
      time = current;
    }
    // An empty one sorts before all others.
    return last.slice(0, TIME_LEN) >= beginning ? incrementBase32(last) : beginning + ending();
  };
}

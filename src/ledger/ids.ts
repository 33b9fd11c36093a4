// ULIDs: sortable by time, and by order within a thread whatever the clocks of its writers say.
import { getRandomValues } from "node:crypto";
import { decodeTime, incrementBase32, ulid } from "ulid";

/** Makes an id that sorts after `last` ("" where there is none). */
export type NextId = (last: string) => string;

const POOL = new Uint8Array(4096);
let used = POOL.length;

/** Random numbers below 1 from a pool: the package's own source asks the system for every character. */
function random(): number {
  if (used === POOL.length) {
    getRandomValues(POOL);
    used = 0;
  }
  // 8 bits choose evenly among ULID's 32 characters; the pool was filled above.
  return (POOL[used++] as number) / 256;
}

/** Ids by this clock. Where the clock has not passed the last id's millisecond, the last id is counted up instead. */
export function idsBy(now: () => number): NextId {
  return (last) => {
    const time = now();
    if (last !== "" && decodeTime(last) >= time) return incrementBase32(last);
    return ulid(time, random);
  };
}

// Creates ULIDs. They sort by time; within a thread they sort in the order of writing, even if the clocks of its
// writers differ.
import { getRandomValues } from "node:crypto";
import { encodeTime, incrementBase32, TIME_LEN } from "ulid";
import { LedgerError } from "./errors.ts";
import type { LedgerStore } from "./store/contract.ts";

/** Returns an id that sorts after `last`, the largest id of a thread; `last` is "" if there is no earlier id. */
export type NextId = (last: string) => string;

/** The digits of Crockford's base 32, which ULIDs use, in ascending order. */
export const BASE32_CHARACTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_LENGTH = 16;
const POOL = new Uint8Array(4096);
let used = POOL.length;

/**
 * Returns 80 random bits as base 32 characters. The bytes come from a pool, because the ulid package calls the system's
 * random source for every character.
 */
function randomCharacters(): string {
  if (used + RANDOM_LENGTH > POOL.length) {
    getRandomValues(POOL);
    used = 0;
  }
  let text = "";
  // The lower five bits of a byte select one of the 32 characters, each with the same probability.
  for (const end = used + RANDOM_LENGTH; used < end; used++)
    text += BASE32_CHARACTERS.charAt((POOL[used] as number) & 31);
  return text;
}

/** The largest valid ULID; a larger text would contain a time of more than 48 bits. */
const LARGEST_ID = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";

function incrementId(last: string): string {
  if (last < LARGEST_ID) return incrementBase32(last);
  throw new LedgerError(
    "conflict",
    `The thread ends with ${last}, the largest possible id; nothing can be added after it.`,
  );
}

/** The largest time that a ULID can contain, in milliseconds since 1970. */
const LAST_TIME = 2 ** 48 - 1;

/**
 * Returns the time prefix of the ids of a millisecond. A time outside the range of ULIDs is replaced by the nearest
 * valid time.
 */
export function toIdPrefix(ms: number): string {
  return encodeTime(Math.min(Math.max(Math.floor(ms), 0), LAST_TIME), TIME_LEN);
}

/**
 * Returns a function that creates ids from the clock's time. If that time is not later than the time of the last id,
 * the function increments the last id instead.
 */
export function createIdGenerator(now: () => number): NextId {
  let time = Number.NaN;
  /** The id prefix for `time`; it is computed only when the time changes. Prefixes sort like their times. */
  let prefix = "";
  /**
   * The last id that was created with an empty `last`. Threads are listed by id, so the ids of threads that are created
   * in the same millisecond must increase.
   */
  let free = "";
  return (last) => {
    const current = now();
    if (current !== time) {
      prefix = encodeTime(current);
      time = current;
    }
    if (last === "") return (free = isBeforeTime(free, prefix) ? prefix + randomCharacters() : incrementWithGap(free));
    return isBeforeTime(last, prefix) ? prefix + randomCharacters() : incrementId(last);
  };
}

/** True if the time of the id `last` is before the time of the prefix; also true if `last` is "". */
function isBeforeTime(last: string, prefix: string): boolean {
  return last.slice(0, TIME_LEN) < prefix;
}

/**
 * The length of the id prefix that `incrementWithGap` increments. The remaining characters are not incremented: their
 * range is the room for the ids that later increments of the previous id create.
 */
const GAP_PREFIX_LENGTH = TIME_LEN + RANDOM_LENGTH / 2;

/** Returns an id so much larger than `last` that the ids which `incrementId` creates from `last` never reach it. */
function incrementWithGap(last: string): string {
  return incrementBase32(last.slice(0, GAP_PREFIX_LENGTH)) + randomCharacters().slice(GAP_PREFIX_LENGTH - TIME_LEN);
}

const ULID_PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** True if the text is a ULID. */
export function isUlid(text: string): boolean {
  return ULID_PATTERN.test(text);
}

/**
 * The maximum number of issued ids that are remembered per store; when there are more, the id that was issued first is
 * forgotten.
 */
const MAX_ISSUED_IDS = 4096;
const issued = new WeakMap<LedgerStore, Set<string>>();

/** Returns a new id that the caller may use for a record that it writes later. */
export function issueId(store: LedgerStore, nextId: NextId): string {
  const id = nextId("");
  let ids = issued.get(store);
  if (ids === undefined) issued.set(store, (ids = new Set()));
  ids.add(id);
  if (ids.size > MAX_ISSUED_IDS) {
    const [oldest] = ids;
    if (oldest !== undefined) ids.delete(oldest);
  }
  return id;
}

/**
 * Returns true if `issueId` created this id and the id is used for the first time. Such an id cannot exist in the
 * store, so no lookup is needed.
 */
export function consumeIssuedId(store: LedgerStore, id: string): boolean {
  return issued.get(store)?.delete(id) === true;
}

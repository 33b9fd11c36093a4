// Creates ULIDs: sortable by time, and in the order of writing within a thread even if its writers' clocks differ.
import { getRandomValues } from "node:crypto";
import { encodeTime, incrementBase32, TIME_LEN } from "ulid";
import { LedgerError } from "./errors.ts";
import type { LedgerStore } from "./store/contract.ts";

/** Returns an id that sorts after `last` ("" if there is none). */
export type NextId = (last: string) => string;

/** Crockford's base 32. */
export const BASE32_CHARACTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_LENGTH = 16;
const POOL = new Uint8Array(4096);
let used = POOL.length;

/**
 * Returns 80 random bits as characters, from a pool: the ulid package calls the system's random source once per
 * character.
 */
function randomCharacters(): string {
  if (used + RANDOM_LENGTH > POOL.length) {
    getRandomValues(POOL);
    used = 0;
  }
  let text = "";
  // Each byte's lower five bits select one of the 32 characters with equal probability.
  for (const end = used + RANDOM_LENGTH; used < end; used++)
    text += BASE32_CHARACTERS.charAt((POOL[used] as number) & 31);
  return text;
}

/** The largest valid ULID: a larger text would contain a time of more than 48 bits. */
const LARGEST_ID = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";

function incrementId(last: string): string {
  if (last < LARGEST_ID) return incrementBase32(last);
  throw new LedgerError(
    "conflict",
    `The thread ends with ${last}, the largest possible id; nothing can be added after it.`,
  );
}

/** The last millisecond that a ULID can contain. */
const LAST_TIME = 2 ** 48 - 1;

/** Returns the time prefix of the ids of a millisecond, clamped to the times that a ULID can contain. */
export function toIdPrefix(ms: number): string {
  return encodeTime(Math.min(Math.max(Math.floor(ms), 0), LAST_TIME), TIME_LEN);
}

/**
 * Creates ids from this clock. If the clock is not past the last id's millisecond, the last id is incremented instead.
 */
export function createIdGenerator(now: () => number): NextId {
  let time = Number.NaN;
  /** The time prefix of `time`; prefixes compare like times, and each is computed once per millisecond. */
  let prefix = "";
  /**
   * The last id without a predecessor: threads are listed by id, so threads of one millisecond must keep their order.
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

/** True if the id's time is before this prefix; "" sorts before all ids. */
function isBeforeTime(last: string, prefix: string): boolean {
  return last.slice(0, TIME_LEN) < prefix;
}

/** The length of the id prefix that is incremented; the rest stays free for increments of the previous id. */
const GAP_PREFIX_LENGTH = TIME_LEN + RANDOM_LENGTH / 2;

/** Returns an id far enough after `last` that increments of `last` never reach it. */
function incrementWithGap(last: string): string {
  return incrementBase32(last.slice(0, GAP_PREFIX_LENGTH)) + randomCharacters().slice(GAP_PREFIX_LENGTH - TIME_LEN);
}

const ULID_PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** True if the text is a ULID. */
export function isUlid(text: string): boolean {
  return ULID_PATTERN.test(text);
}

/** The maximum number of issued ids that are remembered per store; older ones are dropped. */
const MAX_ISSUED_IDS = 4096;
const issued = new WeakMap<LedgerStore, Set<string>>();

/** Returns a new id to a caller, who may use it for a record that is written later. */
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
 * Returns true if `issueId` made this id and it is used for the first time: it then cannot exist in the store, and no
 * lookup is needed.
 */
export function consumeIssuedId(store: LedgerStore, id: string): boolean {
  return issued.get(store)?.delete(id) === true;
}

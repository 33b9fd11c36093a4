// ULIDs: sortable by time, and by order within a thread whatever the clocks of its writers say.
import { getRandomValues } from "node:crypto";
import { encodeTime, incrementBase32, TIME_LEN } from "ulid";
import { LedgerError } from "./errors.ts";
import type { LedgerStore } from "./store.ts";

/** Makes an id that sorts after `last` ("" where there is none). */
export type NextId = (last: string) => string;

/** Crockford's base 32. */
export const CHARACTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
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

/** The largest text that is an id: a larger one would say a time of more than 48 bits. */
const LARGEST = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";

function counted(last: string): string {
  if (last < LARGEST) return incrementBase32(last);
  throw new LedgerError("conflict", `The thread ends with ${last}, the largest id there is: nothing can follow it.`);
}

/** The last millisecond that an id can say. */
const LAST_TIME = 2 ** 48 - 1;

/** How ids of a millisecond begin; for a time that no id can say, the nearest that one can. */
export function idTime(ms: number): string {
  return encodeTime(Math.min(Math.max(Math.floor(ms), 0), LAST_TIME), TIME_LEN);
}

/** Ids by this clock. Where the clock has not passed the last id's millisecond, the last id is counted up instead. */
export function idsBy(now: () => number): NextId {
  let time = Number.NaN;
  /** The time as the beginning of an id: these compare as times do, and are made once per millisecond. */
  let beginning = "";
  /** The last id that follows none: threads are listed by theirs, so that those of one millisecond keep their order. */
  let free = "";
  return (last) => {
    const current = now();
    if (current !== time) {
      beginning = encodeTime(current);
      time = current;
    }
    if (last === "") return (free = isPassed(free, beginning) ? beginning + ending() : leapt(free));
    return isPassed(last, beginning) ? beginning + ending() : counted(last);
  };
}

/** An empty id sorts before all others. */
function isPassed(last: string, beginning: string): boolean {
  return last.slice(0, TIME_LEN) < beginning;
}

/** How much of an id is counted up to leave room behind it. */
const LEAP = TIME_LEN + ENDING / 2;

/** The next one, far enough away that ids which count up from the last never meet it. */
function leapt(last: string): string {
  return incrementBase32(last.slice(0, LEAP)) + ending().slice(LEAP - TIME_LEN);
}

const FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a text is a ULID, as ids are. */
export function isId(text: string): boolean {
  return FORM.test(text);
}

/** Ids that are remembered per store; of more, those that came last. */
const MOST_ISSUED = 4096;
const issued = new WeakMap<LedgerStore, Set<string>>();

/** An id for a caller, who may give it to something that is yet to be written. */
export function issueId(store: LedgerStore, nextId: NextId): string {
  const id = nextId("");
  let known = issued.get(store);
  if (known === undefined) issued.set(store, (known = new Set()));
  known.add(id);
  if (known.size > MOST_ISSUED) {
    const [oldest] = known;
    if (oldest !== undefined) known.delete(oldest);
  }
  return id;
}

/** Whether the id was made here for whoever asks, and this is the first time that it is used: nobody need look for it. */
export function claimId(store: LedgerStore, id: string): boolean {
  return issued.get(store)?.delete(id) === true;
}

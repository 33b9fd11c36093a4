// What must hold whenever a canonical request or response is encoded, whoever it came from.
import type { Dialect, Encoded } from "../dialects/dialect.ts";
import { sameJson, stringifyJson } from "../model/json/index.ts";
import { pointer } from "../model/json/pointer.ts";
import { coverage } from "./coverage.ts";
import { demand } from "./demand.ts";
import { brief, demandNone, differences } from "./differences.ts";
import type { Exchange, ValueCheck } from "./exchange.ts";
import { isImplied, silentLosses } from "./oracle.ts";
import type { Place } from "./places.ts";
import { deepFreeze, places, scalars, valueAt } from "./places.ts";
import { isVocabulary } from "./positions.ts";
import { sampledLosses } from "./sampled.ts";

function demandNothingLost(lost: readonly Place[]): void {
  const shown = lost.slice(0, 10).map(({ path, value }) => `${path} = ${brief(value)}`);
  demand(lost.length === 0, `Lost without a word (${lost.length}):`, shown.join("\n"));
}

/** Every single place, each by itself. */
export const losesNothingSilently: ValueCheck = (exchange, dialect, value) => {
  demandNothingLost(silentLosses(value, (each) => exchange.encode(dialect, each)));
};

/** The same for values of any size: a few of the places that are alike. */
export const losesNothingAtLarge: ValueCheck = (exchange, dialect, value) => {
  demandNothingLost(sampledLosses(value, (each) => exchange.encode(dialect, each)));
};

export const lossesAreDeclared: ValueCheck = (exchange, dialect, value) => {
  const { losses } = exchange.encode(dialect, value);
  const known = new Set([...places(value)].map(({ path }) => path));
  for (const { code, path, action, level, message } of losses) {
    const declared = Object.hasOwn(dialect.losses, code) ? dialect.losses[code] : undefined;
    demand(declared?.action === action && declared.level === level, `The loss "${code}" is not declared so.`);
    demand(message !== "", `The loss "${code}" says nothing.`);
    // A synthesized field stands where nothing stood.
    demand(
      known.has(path) || action === "synthesized",
      `The loss "${code}" names a place that is not there: "${path}".`,
    );
  }
};

export const encodesTheSameTwice: ValueCheck = (exchange, dialect, value) => {
  const copy = deepFreeze(structuredClone(value));
  const [first, second] = [exchange.encode(dialect, value), exchange.encode(dialect, copy)];
  demand(stringifyJson(first) === stringifyJson(second), "Two encodings differ.", first, second);
};

/** What an encoder writes its decoder reads, and needs no repair. */
export const readsWhatItWrites: ValueCheck = (exchange, dialect, value) => {
  const { wire, again } = writeTwice(exchange, dialect, value);
  demandNone(differences(wire, again.wire), "What the encoder wrote came back different.", again.losses);
};

function writeTwice<T>(exchange: Exchange<T>, dialect: Dialect, value: T): Encoded & { again: Encoded; read: T } {
  const written = exchange.encode(dialect, value);
  const { wire, address } = written;
  const read = exchange.decode(dialect, wire, address === undefined ? {} : { address });
  return { ...written, again: exchange.encode(dialect, read, { repair: false }), read };
}

/** Fields of a value outside of its messages, which may be split and joined. */
const BESIDE = /^\/(?!messages?\/|alternatives\/\d+\/message\/|extra\/)(?!.*\/(?:extra|raw)(?:\/|$))/;

/** What no loss tells of is read back at its own place: two settings that changed places lose nothing, and mean another thing. */
export const putsFieldsInPlace: ValueCheck = (exchange, dialect, value) => {
  const { losses, names, read } = writeTwice(exchange, dialect, value);
  const isLost = coverage({ losses });
  const isRenamed = (word: unknown): boolean =>
    Object.values(names ?? {}).some((table: Record<string, string>) => Object.values(table).includes(String(word)));
  const found = scalars(value).flatMap((place) => {
    const { path, keys, value: was } = place;
    if (!BESIDE.test(path) || isLost(path) || path === "/error/kind" || isRenamed(was)) return [];
    if (isImplied(value, place)) return [];
    if (isVocabulary(path) && (!TOLD.test(path) || was === "text")) return [];
    const is = valueAt(read, placesNow(keys, isLost));
    return sameJson(was, is) || isSameTime(was, is) ? [] : [{ path, was, is }];
  });
  demandNone(found, "A field came back from elsewhere, or not at all.", losses);
};

/** Words that are read back as themselves, unless a loss says otherwise; that text is wanted goes without saying. */
const TOLD = /\/(?:unified|toolChoice|mode|effort|type)$/;

/** Where a place is once the elements before it that a loss names are gone. */
function placesNow(keys: readonly (string | number)[], isLost: (path: string) => boolean): (string | number)[] {
  return keys.map((key, depth) => {
    if (typeof key !== "number") return key;
    const list = pointer(keys.slice(0, depth));
    return key - Array.from({ length: key }, (_, index) => isLost(`${list}/${index}`)).filter(Boolean).length;
  });
}

function isSameTime(was: unknown, is: unknown): boolean {
  const times = [was, is].map((each) => (typeof each === "string" ? Date.parse(each) : Number.NaN));
  return Math.floor((times[0] ?? 0) / 1000) === Math.floor((times[1] ?? 1) / 1000);
}

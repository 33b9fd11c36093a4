// A small language for describing the settings of a file as data: from one description come the reader, with a path and
// a hint for every mistake, the JSON Schema that editors use, and the type of what was read.
import { LONGEST_MS, TIME_HINT } from "./times.ts";

/** The phantom that `ValueOf` reads; it is never there at run time. */
declare const described: unique symbol;
interface Typed<T> {
  readonly [described]?: T;
}

interface Said {
  /** What it is for, in a sentence. */
  says?: string;
}

export interface TextSetting extends Said {
  kind: "text";
  /** A regular expression, and what it means: completes "must be …". */
  pattern?: string;
  means?: string;
  /** What to do about a text that does not fit, where that is not plain from what it means. */
  hint?: string;
}
export interface NumberSetting extends Said {
  kind: "number";
  whole: boolean;
  from: number;
  to?: number;
  /** What to do about a number that does not fit, where that is not plain from the range. */
  hint?: string;
}
export interface FlagSetting extends Said {
  kind: "flag";
  /** The only value that is meant. */
  only?: boolean;
}
export interface WordsSetting extends Said {
  kind: "words";
  words: readonly string[];
}
export interface ListSetting extends Said {
  kind: "list";
  of: AnySetting;
  least?: number;
}
export interface DictionarySetting extends Said {
  kind: "dictionary";
  of: AnySetting;
  /** What its names must be. */
  names?: { pattern: string; means: string };
}
export interface FieldsSetting extends Said {
  kind: "fields";
  required: Readonly<Record<string, AnySetting>>;
  optional: Readonly<Record<string, AnySetting>>;
  /** Exactly one of these optional fields is there. */
  exactlyOne?: readonly string[];
}
/** Settings that their JSON types tell apart. */
export interface EitherSetting extends Said {
  kind: "either";
  of: readonly AnySetting[];
}

export type AnySetting =
  | TextSetting
  | NumberSetting
  | FlagSetting
  | WordsSetting
  | ListSetting
  | DictionarySetting
  | FieldsSetting
  | EitherSetting;
export type Setting<T> = AnySetting & Typed<T>;
export type ValueOf<S> = S extends Typed<infer T> ? T : never;

type Group = Readonly<Record<string, AnySetting>>;
type ValuesOf<Required extends Group, Optional extends Group> = {
  readonly [Name in keyof Required]: ValueOf<Required[Name]>;
} & { readonly [Name in keyof Optional]?: ValueOf<Optional[Name]> };

export const text: Setting<string> = { kind: "text", pattern: "\\S", means: "a text that is not empty" };
/** May be empty. */
export const anyText: Setting<string> = { kind: "text" };
export const flag: Setting<boolean> = { kind: "flag" };
export const off: Setting<false> = { kind: "flag", only: false };

export function matching(pattern: string, means: string, hint?: string): Setting<string> {
  return { kind: "text", pattern, means, ...(hint !== undefined && { hint }) };
}

export function count(from: number, to?: number): Setting<number> {
  return { kind: "number", whole: true, from, ...(to !== undefined && { to }) };
}

/** A time, up to the longest that a timer waits. */
export function milliseconds(from: number): Setting<number> {
  return { kind: "number", whole: true, from, to: LONGEST_MS, hint: TIME_HINT };
}

export function amount(from: number): Setting<number> {
  return { kind: "number", whole: false, from };
}

export function words<const Word extends string>(...of: readonly Word[]): Setting<Word> {
  return { kind: "words", words: of };
}

export function list<S extends AnySetting>(of: S, least = 0): Setting<readonly ValueOf<S>[]> {
  return { kind: "list", of, ...(least > 0 && { least }) };
}

export function dictionary<S extends AnySetting>(
  of: S,
  names?: DictionarySetting["names"],
): Setting<Readonly<Record<string, ValueOf<S>>>> {
  return { kind: "dictionary", of, ...(names !== undefined && { names }) };
}

export function fields<Required extends Group, Optional extends Group>(
  required: Required,
  optional: Optional,
  exactlyOne?: readonly (string & keyof Optional)[],
): Setting<ValuesOf<Required, Optional>> {
  return { kind: "fields", required, optional, ...(exactlyOne !== undefined && { exactlyOne }) };
}

export function either<const Settings extends readonly AnySetting[]>(
  ...of: Settings
): Setting<ValueOf<Settings[number]>> {
  return { kind: "either", of };
}

/** The same setting, with a sentence for people. */
export function said<S extends AnySetting>(says: string, setting: S): S {
  return { ...setting, says };
}

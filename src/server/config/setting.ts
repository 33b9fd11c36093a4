// Builders for settings as data. One description yields the reader with its messages, the JSON Schema for editors, and
// the type of the value.
import { MAX_TIMER_MS, TIMER_HINT } from "./check-durations.ts";

/** A phantom property for `ValueOf`; it does not exist at run time. */
declare const described: unique symbol;
interface TypedSetting<T> {
  readonly [described]?: T;
}

interface DescribedSetting {
  /** One sentence for users. */
  description?: string;
}

export interface TextSetting extends DescribedSetting {
  kind: "text";
  /** A regular expression, and its meaning, which completes "must be …". */
  pattern?: string;
  means?: string;
  /** The remedy for an invalid text, if `means` does not suggest it. */
  hint?: string;
}
export interface NumberSetting extends DescribedSetting {
  kind: "number";
  whole: boolean;
  from: number;
  to?: number;
  /** The remedy for an invalid number, if the range does not suggest it. */
  hint?: string;
}
export interface FlagSetting extends DescribedSetting {
  kind: "flag";
  /** The only allowed value. */
  only?: boolean;
}
export interface ChoiceSetting extends DescribedSetting {
  kind: "words";
  values: readonly string[];
}
export interface ListSetting extends DescribedSetting {
  kind: "list";
  of: AnySetting;
  least?: number;
}
export interface DictionarySetting extends DescribedSetting {
  kind: "dictionary";
  of: AnySetting;
  /** The pattern of its keys. */
  names?: { pattern: string; means: string };
}
export interface FieldsSetting extends DescribedSetting {
  kind: "fields";
  required: Readonly<Record<string, AnySetting>>;
  optional: Readonly<Record<string, AnySetting>>;
  /** Exactly one of these optional fields must be set. */
  exactlyOne?: readonly string[];
}
/** Alternatives that differ in their JSON type. */
export interface EitherSetting extends DescribedSetting {
  kind: "either";
  of: readonly AnySetting[];
}

export type AnySetting =
  | TextSetting
  | NumberSetting
  | FlagSetting
  | ChoiceSetting
  | ListSetting
  | DictionarySetting
  | FieldsSetting
  | EitherSetting;
export type Setting<T> = AnySetting & TypedSetting<T>;
export type ValueOf<S> = S extends TypedSetting<infer T> ? T : never;

type SettingGroup = Readonly<Record<string, AnySetting>>;
type ValuesOf<Required extends SettingGroup, Optional extends SettingGroup> = {
  readonly [Name in keyof Required]: ValueOf<Required[Name]>;
} & { readonly [Name in keyof Optional]?: ValueOf<Optional[Name]> };

export const text: Setting<string> = { kind: "text", pattern: "\\S", means: "a non-empty text" };
/** A text that may be empty. */
export const anyText: Setting<string> = { kind: "text" };
export const flag: Setting<boolean> = { kind: "flag" };
export const off: Setting<false> = { kind: "flag", only: false };

export function matching(pattern: string, means: string, hint?: string): Setting<string> {
  return { kind: "text", pattern, means, ...(hint !== undefined && { hint }) };
}

export function count(from: number, to?: number): Setting<number> {
  return { kind: "number", whole: true, from, ...(to !== undefined && { to }) };
}

/** A duration, up to the longest that a timer supports. */
export function milliseconds(from: number): Setting<number> {
  return { kind: "number", whole: true, from, to: MAX_TIMER_MS, hint: TIMER_HINT };
}

export function amount(from: number): Setting<number> {
  return { kind: "number", whole: false, from };
}

export function choice<const Value extends string>(...of: readonly Value[]): Setting<Value> {
  return { kind: "words", values: of };
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

export function fields<Required extends SettingGroup, Optional extends SettingGroup>(
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

/** Adds a description to a setting. */
export function describe<S extends AnySetting>(description: string, setting: S): S {
  return { ...setting, description };
}

// Defines functions that describe settings as data. The description of a setting determines the checks and messages of
// the reader, the JSON Schema for editors, and the type of the value.

/** The maximum delay of a timer in milliseconds. Node fires a timer with a longer delay immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The key of a property that exists only in types, so that `ValueOf` can read the type of a setting's value. */
declare const described: unique symbol;
interface TypedSetting<T> {
  readonly [described]?: T;
}

interface DescribedSetting {
  /** One sentence that explains the setting to users. */
  description?: string;
}

export interface TextSetting extends DescribedSetting {
  kind: "text";
  /** A regular expression that the text must match. */
  pattern?: string;
  /** The meaning of the pattern, as the end of the sentence "must be …". */
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
  /** True if code may also pass Infinity, which JSON does not have. */
  infinite?: true;
}
export interface FlagSetting extends DescribedSetting {
  kind: "flag";
  /** The only allowed value; undefined if true and false are allowed. */
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
  /** A regular expression that every key must match, and its meaning as the end of the sentence "must be …". */
  names?: { pattern: string; means: string };
}
export interface FieldsSetting extends DescribedSetting {
  kind: "fields";
  required: Readonly<Record<string, AnySetting>>;
  optional: Readonly<Record<string, AnySetting>>;
  /** The optional fields of which exactly one must be set. */
  exactlyOne?: readonly string[];
}
/**
 * A value that only code can pass, such as a function. It is rejected in files and absent from the JSON Schema.
 */
export interface CodeSetting extends DescribedSetting {
  kind: "code";
  isValid: (value: unknown) => boolean;
  /** The description of a valid value, as the end of the sentence "must be …". */
  means: string;
}
/**
 * Alternatives that differ in their type. The first alternative whose type fits is read, so an alternative that only
 * code can pass must precede the others.
 */
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
  | CodeSetting
  | EitherSetting;
export type Setting<T> = AnySetting & TypedSetting<T>;
export type ValueOf<S> = S extends TypedSetting<infer T> ? T : never;

type SettingGroup = Readonly<Record<string, AnySetting>>;
/** Converts an intersection to one object type, because editors display the parts of an intersection separately. */
type Flatten<T> = { [Name in keyof T]: T[Name] } & {};
type ValuesOf<Required extends SettingGroup, Optional extends SettingGroup> = Flatten<
  {
    readonly [Name in keyof Required]: ValueOf<Required[Name]>;
  } & {
    readonly [Name in keyof Optional as [ValueOf<Optional[Name]>] extends [never] ? never : Name]?: ValueOf<
      Optional[Name]
    >;
  }
>;

export const text: Setting<string> = { kind: "text", pattern: "\\S", means: "a non-empty text" };
/** The setting of a text that may be empty. */
export const anyText: Setting<string> = { kind: "text" };
export const flag: Setting<boolean> = { kind: "flag" };
export const off: Setting<false> = { kind: "flag", only: false };

export function matching(pattern: string, means: string, hint?: string): Setting<string> {
  return { kind: "text", pattern, means, ...(hint !== undefined && { hint }) };
}

export function count(from: number, to?: number): Setting<number> {
  return { kind: "number", whole: true, from, ...(to !== undefined && { to }) };
}

/** Describes a duration in milliseconds, up to the maximum delay of a timer. */
export function milliseconds(from: number): NumberSetting & Setting<number> {
  return { kind: "number", whole: true, from, to: MAX_TIMER_MS, hint: "The longest duration is 24 days." };
}

/** The setting of a time limit of at least one millisecond. In code, Infinity means no limit. */
export const timeLimit: Setting<number> = { ...milliseconds(1), infinite: true };

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

/**
 * Describes a value that only code can pass. The type of the value is declared in `ConfigInput`, not in `ConfigFile`.
 */
export function codeOnly(means: string, isValid: (value: unknown) => boolean): Setting<never> {
  return { kind: "code", means, isValid };
}

/** Adds a description to a setting. */
export function describe<S extends AnySetting>(description: string, setting: S): S {
  return { ...setting, description };
}

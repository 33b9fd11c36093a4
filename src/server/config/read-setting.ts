// Reads a value by the description of its setting: checks the value, expands variables, and reports every mistake.
import { describeKind, isPlainRecord, isRecord } from "../../model/value-kind.ts";
import { pointerStep } from "../../model/json/pointer.ts";
import type { Mistakes } from "./mistakes.ts";
import type {
  AnySetting,
  DictionarySetting,
  EitherSetting,
  FieldsSetting,
  FlagSetting,
  ListSetting,
  NumberSetting,
  Setting,
  TextSetting,
  ChoiceSetting,
} from "./setting.ts";
import { findSimilarName } from "./similar-name.ts";
import type { ConfigEnv } from "./variables.ts";
import { hasVariables, readVariables } from "./variables.ts";

interface SettingContext {
  env: ConfigEnv;
  mistakes: Mistakes;
  /** True if the value comes from code, which can pass functions, Infinity and undefined; false for a file. */
  isCode?: boolean;
}

/**
 * Returns the checked value with variables expanded. If the value is invalid, adds to `context.mistakes` and returns
 * undefined or an incomplete value.
 */
export function readSetting<T>(
  setting: Setting<T>,
  value: unknown,
  path: string,
  context: SettingContext,
): T | undefined {
  // The cast is safe: `readAny` checks the value against `setting`, and `T` is the type that this setting describes.
  return readAny(setting, value, path, context) as T | undefined;
}

function readAny(setting: AnySetting, value: unknown, path: string, context: SettingContext): unknown {
  const expanded = typeof value === "string" ? readVariables(value, path, context.env, context.mistakes) : value;
  if (expanded === undefined) return undefined;
  const hasVariable = typeof value === "string" && hasVariables(value);
  switch (setting.kind) {
    case "text":
      return readText(setting, expanded, path, context);
    case "number":
      return readNumber(setting, hasVariable ? parseNumber(expanded) : expanded, path, context);
    case "flag":
      return readFlag(setting, hasVariable ? parseFlag(expanded) : expanded, path, context);
    case "words":
      return readChoice(setting, expanded, path, context);
    case "list":
      return readList(setting, value, path, context);
    case "dictionary":
      return readDictionary(setting, value, path, context);
    case "fields":
      return readFields(setting, value, path, context);
    case "code":
      return setting.isValid(value) ? value : addWrongValue(setting, value, path, context);
    case "either":
      return readEither(setting, value, path, context);
  }
}

/** Parses the text of a variable as a number. Returns the value unchanged if it is not the text of a number. */
function parseNumber(value: unknown): unknown {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
  return Number.isNaN(number) ? value : number;
}

function parseFlag(value: unknown): unknown {
  return value === "true" ? true : value === "false" ? false : value;
}

function addWrongValue(setting: AnySetting, value: unknown, path: string, context: SettingContext): undefined {
  const [expected, kind] = [describeExpected(setting, context), describeValue(value)];
  // The message adds the type of the value ("; it is a list"), unless the value is a text where a text is expected, or
  // `expected` already names the type ("must be a number above 0; it is a number").
  const isText = typeof value === "string" && (setting.kind === "text" || setting.kind === "words");
  const addsKind = !isText && !expected.includes(kind.replace(/^an? /, ""));
  const hint = "hint" in setting && setting.hint !== undefined ? ` ${setting.hint}` : "";
  context.mistakes.add(path, `must be ${expected}${addsKind ? `; it is ${kind}` : ""}.${hint}`);
}

/** Returns the description of a value's type. An instance of a class, such as a `Map`, is described by its class. */
function describeValue(value: unknown): string {
  if (!isRecord(value) || isPlainRecord(value)) return describeKind(value);
  return `an instance of ${Object(value).constructor.name}`;
}

/** Returns the description of the expected value, which completes "must be …". */
function describeExpected(setting: AnySetting, context: SettingContext): string {
  switch (setting.kind) {
    case "text":
      return setting.means ?? "a text";
    case "number":
      return `a ${setting.whole ? "whole " : ""}number ${range(setting)}`;
    case "flag":
      return setting.only === undefined ? "true or false" : String(setting.only);
    case "words":
      return setting.values.length === 1 ? quoted(setting.values) : `one of ${quoted(setting.values)}`;
    case "list":
      return "a list";
    case "dictionary":
    case "fields":
      return "an object";
    case "code":
      return setting.means;
    case "either":
      return alternativesOf(setting, context)
        .map((each) => describeExpected(each, context))
        .join(", or ");
  }
}

function range({ from, to }: NumberSetting): string {
  return to === undefined ? `of at least ${from}` : `from ${from} to ${to}`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

function readText(setting: TextSetting, value: unknown, path: string, context: SettingContext): string | undefined {
  const isValid =
    typeof value === "string" && (setting.pattern === undefined || new RegExp(setting.pattern).test(value));
  return isValid ? value : addWrongValue(setting, value, path, context);
}

function readNumber(setting: NumberSetting, value: unknown, path: string, context: SettingContext): number | undefined {
  const { whole, from, to = Number.MAX_VALUE } = setting;
  const isUnlimited = context.isCode === true && setting.infinite === true && value === Infinity;
  const isValid =
    isUnlimited ||
    (typeof value === "number" && (!whole || Number.isSafeInteger(value)) && value >= from && value <= to);
  return isValid ? value : addWrongValue(setting, value, path, context);
}

function readFlag(setting: FlagSetting, value: unknown, path: string, context: SettingContext): boolean | undefined {
  const isValid = typeof value === "boolean" && (setting.only ?? value) === value;
  return isValid ? value : addWrongValue(setting, value, path, context);
}

function readChoice(setting: ChoiceSetting, value: unknown, path: string, context: SettingContext): string | undefined {
  const choice = setting.values.find((each) => each === value);
  return choice ?? addWrongValue(setting, value, path, context);
}

function readList(setting: ListSetting, value: unknown, path: string, context: SettingContext): unknown[] | undefined {
  if (!Array.isArray(value)) return addWrongValue(setting, value, path, context);
  if (value.length < (setting.least ?? 0)) context.mistakes.add(path, "is an empty list; add at least one element.");
  return value.map((each: unknown, index) => {
    const elementPath = path + pointerStep(index);
    if (each === undefined) return addWrongValue(setting.of, each, elementPath, context);
    return readAny(setting.of, each, elementPath, context);
  });
}

type SettingValues = Record<string, unknown>;

function readDictionary(
  setting: DictionarySetting,
  value: unknown,
  path: string,
  context: SettingContext,
): SettingValues | undefined {
  if (!isPlainRecord(value)) return addWrongValue(setting, value, path, context);
  const { of, names } = setting;
  const entries = setEntries(value).map(([name, each]) => {
    const fieldPath = path + pointerStep(name);
    if (names !== undefined && !new RegExp(names.pattern).test(name)) {
      context.mistakes.add(fieldPath, `has an invalid name: it must be ${names.means}.`);
    }
    return [name, readAny(of, each, fieldPath, context)];
  });
  return Object.fromEntries(entries) as SettingValues;
}

/** Returns the entries without undefined values, which count as not set. */
function setEntries(value: object): [name: string, value: unknown][] {
  return Object.entries(value).filter(([, each]) => each !== undefined);
}

function readFields(
  setting: FieldsSetting,
  value: unknown,
  path: string,
  context: SettingContext,
): SettingValues | undefined {
  if (!isPlainRecord(value)) return addWrongValue(setting, value, path, context);
  const { mistakes } = context;
  const known = knownFields(setting, context);
  const values: SettingValues = {};
  for (const [name, each] of setEntries(value)) {
    const fieldPath = path + pointerStep(name);
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (field === undefined) mistakes.add(fieldPath, unknownField(name, Object.keys(known)));
    else values[name] = readAny(field, each, fieldPath, context);
  }
  for (const [name, field] of Object.entries(setting.required)) {
    if (!isSet(value, name))
      mistakes.add(path + pointerStep(name), `is missing: it must be ${describeExpected(field, context)}.`);
  }
  const { exactlyOne } = setting;
  if (exactlyOne !== undefined && exactlyOne.filter((name) => isSet(value, name)).length !== 1) {
    mistakes.add(path, `must have exactly one of ${quoted(exactlyOne)}.`);
  }
  return values;
}

function isSet(value: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function knownFields({ required, optional }: FieldsSetting, context: SettingContext): Record<string, AnySetting> {
  const fields = Object.entries({ ...required, ...optional });
  return Object.fromEntries(fields.filter(([, field]) => isAllowed(field, context)));
}

/**
 * Returns false if only code can pass the setting and the value is from a file. Messages about files do not list such
 * settings.
 */
function isAllowed({ kind }: AnySetting, { isCode }: SettingContext): boolean {
  return kind !== "code" || isCode === true;
}

function alternativesOf({ of }: EitherSetting, context: SettingContext): readonly AnySetting[] {
  return of.filter((each) => isAllowed(each, context));
}

function unknownField(name: string, known: readonly string[]): string {
  const similar = findSimilarName(name, known);
  const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
  return `is not a setting.${hint} Available: ${known.join(", ")}.`;
}

function readEither(setting: EitherSetting, value: unknown, path: string, context: SettingContext): unknown {
  const alternatives = alternativesOf(setting, context);
  const [only] = alternatives.length === 1 ? alternatives : [];
  if (only !== undefined) return readAny(only, value, path, context);
  // A text with a variable that fits no alternative is read as a number or flag, because the variable may stand for
  // one.
  const hasVariable = typeof value === "string" && hasVariables(value);
  const fitting =
    alternatives.find((each) => isOfType(each, value)) ??
    (hasVariable ? alternatives.find(({ kind }) => kind === "number" || kind === "flag") : undefined);
  return fitting === undefined ? addWrongValue(setting, value, path, context) : readAny(fitting, value, path, context);
}

function isOfType(setting: AnySetting, value: unknown): boolean {
  switch (setting.kind) {
    case "text":
    case "words":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "flag":
      return typeof value === "boolean" && (setting.only ?? value) === value;
    case "list":
      return Array.isArray(value);
    case "dictionary":
    case "fields":
      return isRecord(value);
    case "code":
      return setting.isValid(value);
    case "either":
      return setting.of.some((each) => isOfType(each, value));
  }
}

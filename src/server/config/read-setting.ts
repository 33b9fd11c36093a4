// Reads a JSON value by its setting: checks it, expands variables, and reports every mistake.
import { describeKind } from "../../model/value-kind.ts";
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
import { isRecord } from "../../model/value-kind.ts";

interface SettingContext {
  env: ConfigEnv;
  mistakes: Mistakes;
}

/** Returns the value; undefined or incomplete if there are mistakes. */
export function readSetting<T>(
  setting: Setting<T>,
  value: unknown,
  path: string,
  context: SettingContext,
): T | undefined {
  // The setting determines both the check and the type.
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
    case "either":
      return readEither(setting, value, path, context);
  }
}

/** Variables are strings, even for numbers and flags. */
function parseNumber(value: unknown): unknown {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
  return Number.isNaN(number) ? value : number;
}

function parseFlag(value: unknown): unknown {
  return value === "true" ? true : value === "false" ? false : value;
}

function addWrongValue(setting: AnySetting, value: unknown, path: string, { mistakes }: SettingContext): undefined {
  const [expected, kind] = [describeExpected(setting), describeKind(value)];
  // The kind of the value is omitted if it is the expected one.
  const isText = typeof value === "string" && (setting.kind === "text" || setting.kind === "words");
  const addsKind = !isText && !expected.includes(kind.replace(/^an? /, ""));
  const hint = "hint" in setting && setting.hint !== undefined ? ` ${setting.hint}` : "";
  mistakes.add(path, `must be ${expected}${addsKind ? `; it is ${kind}` : ""}.${hint}`);
}

/** Completes "must be …". */
function describeExpected(setting: AnySetting): string {
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
    case "either":
      return setting.of.map(describeExpected).join(", or ");
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
  const isValid = typeof value === "number" && (!whole || Number.isSafeInteger(value)) && value >= from && value <= to;
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
  return value.map((each: unknown, index) => readAny(setting.of, each, path + pointerStep(index), context));
}

type SettingValues = Record<string, unknown>;

function readDictionary(
  setting: DictionarySetting,
  value: unknown,
  path: string,
  context: SettingContext,
): SettingValues | undefined {
  if (!isRecord(value)) return addWrongValue(setting, value, path, context);
  const { of, names } = setting;
  const entries = Object.entries(value).map(([name, each]) => {
    const fieldPath = path + pointerStep(name);
    if (names !== undefined && !new RegExp(names.pattern).test(name)) {
      context.mistakes.add(fieldPath, `has an invalid name: it must be ${names.means}.`);
    }
    return [name, readAny(of, each, fieldPath, context)];
  });
  return Object.fromEntries(entries) as SettingValues;
}

function readFields(
  setting: FieldsSetting,
  value: unknown,
  path: string,
  context: SettingContext,
): SettingValues | undefined {
  if (!isRecord(value)) return addWrongValue(setting, value, path, context);
  const { mistakes } = context;
  const known: Readonly<Record<string, AnySetting>> = { ...setting.required, ...setting.optional };
  const values: SettingValues = {};
  for (const [name, each] of Object.entries(value)) {
    const fieldPath = path + pointerStep(name);
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (field === undefined) mistakes.add(fieldPath, unknownField(name, Object.keys(known)));
    else values[name] = readAny(field, each, fieldPath, context);
  }
  for (const [name, field] of Object.entries(setting.required)) {
    if (!Object.hasOwn(value, name))
      mistakes.add(path + pointerStep(name), `is missing: it must be ${describeExpected(field)}.`);
  }
  const { exactlyOne } = setting;
  if (exactlyOne !== undefined && exactlyOne.filter((name) => Object.hasOwn(value, name)).length !== 1) {
    mistakes.add(path, `must have exactly one of ${quoted(exactlyOne)}.`);
  }
  return values;
}

function unknownField(name: string, known: readonly string[]): string {
  const similar = findSimilarName(name, known);
  const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
  return `is not a setting.${hint} Available: ${known.join(", ")}.`;
}

function readEither(setting: EitherSetting, value: unknown, path: string, context: SettingContext): unknown {
  // A variable may stand for a number or flag if the setting accepts no text.
  const hasVariable = typeof value === "string" && hasVariables(value);
  const fitting =
    setting.of.find((each) => isOfType(each, value)) ??
    (hasVariable ? setting.of.find(({ kind }) => kind === "number" || kind === "flag") : undefined);
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
    case "either":
      return setting.of.some((each) => isOfType(each, value));
  }
}

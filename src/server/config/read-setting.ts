// Reads a JSON value by its description: checks it, reads the variables in it, and tells every mistake.
import { kindOf } from "../../model/kind.ts";
import { pointerStep } from "../../model/pointer.ts";
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
  WordsSetting,
} from "./setting.ts";
import { similarTo } from "./similar.ts";
import type { Env } from "./variables.ts";
import { hasVariables, readVariables } from "./variables.ts";

interface Reading {
  env: Env;
  mistakes: Mistakes;
}

/** What the value says; undefined, or incomplete, where there are mistakes. */
export function readSetting<T>(setting: Setting<T>, value: unknown, path: string, reading: Reading): T | undefined {
  // What was read by the description is of the type that was inferred from it.
  return read(setting, value, path, reading) as T | undefined;
}

function read(setting: AnySetting, value: unknown, path: string, reading: Reading): unknown {
  const expanded = typeof value === "string" ? readVariables(value, path, reading.env, reading.mistakes) : value;
  if (expanded === undefined) return undefined;
  const isRead = typeof value === "string" && hasVariables(value);
  switch (setting.kind) {
    case "text":
      return readText(setting, expanded, path, reading);
    case "number":
      return readNumber(setting, isRead ? numberOf(expanded) : expanded, path, reading);
    case "flag":
      return readFlag(setting, isRead ? flagOf(expanded) : expanded, path, reading);
    case "words":
      return readWord(setting, expanded, path, reading);
    case "list":
      return readList(setting, value, path, reading);
    case "dictionary":
      return readDictionary(setting, value, path, reading);
    case "fields":
      return readFields(setting, value, path, reading);
    case "either":
      return readEither(setting, value, path, reading);
  }
}

/** A variable holds text, whatever it stands for. */
function numberOf(value: unknown): unknown {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
  return Number.isNaN(number) ? value : number;
}

function flagOf(value: unknown): unknown {
  return value === "true" ? true : value === "false" ? false : value;
}

function refuse(setting: AnySetting, value: unknown, path: string, { mistakes }: Reading): undefined {
  const [wanted, kind] = [wantedBy(setting), kindOf(value)];
  // That a number is a number helps nobody.
  const isText = typeof value === "string" && (setting.kind === "text" || setting.kind === "words");
  const isNews = !isText && !wanted.includes(kind.replace(/^an? /, ""));
  const hint = "hint" in setting && setting.hint !== undefined ? ` ${setting.hint}` : "";
  mistakes.add(path, `must be ${wanted}${isNews ? `; it is ${kind}` : ""}.${hint}`);
}

/** Completes "must be …". */
function wantedBy(setting: AnySetting): string {
  switch (setting.kind) {
    case "text":
      return setting.means ?? "a text";
    case "number":
      return `a ${setting.whole ? "whole " : ""}number ${range(setting)}`;
    case "flag":
      return setting.only === undefined ? "true or false" : String(setting.only);
    case "words":
      return setting.words.length === 1 ? quoted(setting.words) : `one of ${quoted(setting.words)}`;
    case "list":
      return "a list";
    case "dictionary":
    case "fields":
      return "an object";
    case "either":
      return setting.of.map(wantedBy).join(", or ");
  }
}

function range({ from, to }: NumberSetting): string {
  return to === undefined ? `of at least ${from}` : `from ${from} to ${to}`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

function readText(setting: TextSetting, value: unknown, path: string, reading: Reading): string | undefined {
  const isIt = typeof value === "string" && (setting.pattern === undefined || new RegExp(setting.pattern).test(value));
  return isIt ? value : refuse(setting, value, path, reading);
}

function readNumber(setting: NumberSetting, value: unknown, path: string, reading: Reading): number | undefined {
  const { whole, from, to = Number.MAX_VALUE } = setting;
  const isIt = typeof value === "number" && (!whole || Number.isSafeInteger(value)) && value >= from && value <= to;
  return isIt ? value : refuse(setting, value, path, reading);
}

function readFlag(setting: FlagSetting, value: unknown, path: string, reading: Reading): boolean | undefined {
  const isIt = typeof value === "boolean" && (setting.only ?? value) === value;
  return isIt ? value : refuse(setting, value, path, reading);
}

function readWord(setting: WordsSetting, value: unknown, path: string, reading: Reading): string | undefined {
  const word = setting.words.find((each) => each === value);
  return word ?? refuse(setting, value, path, reading);
}

function readList(setting: ListSetting, value: unknown, path: string, reading: Reading): unknown[] | undefined {
  if (!Array.isArray(value)) return refuse(setting, value, path, reading);
  if (value.length < (setting.least ?? 0)) reading.mistakes.add(path, "is an empty list; name at least one.");
  return value.map((each: unknown, index) => read(setting.of, each, path + pointerStep(index), reading));
}

type Read = Record<string, unknown>;

function readDictionary(setting: DictionarySetting, value: unknown, path: string, reading: Reading): Read | undefined {
  if (!isRecord(value)) return refuse(setting, value, path, reading);
  const { of, names } = setting;
  const entries = Object.entries(value).map(([name, each]) => {
    const own = path + pointerStep(name);
    if (names !== undefined && !new RegExp(names.pattern).test(name)) {
      reading.mistakes.add(own, `has a name that cannot be used: it must be ${names.means}.`);
    }
    return [name, read(of, each, own, reading)];
  });
  return Object.fromEntries(entries) as Read;
}

function readFields(setting: FieldsSetting, value: unknown, path: string, reading: Reading): Read | undefined {
  if (!isRecord(value)) return refuse(setting, value, path, reading);
  const { mistakes } = reading;
  const known: Readonly<Record<string, AnySetting>> = { ...setting.required, ...setting.optional };
  const found: Read = {};
  for (const [name, each] of Object.entries(value)) {
    const own = path + pointerStep(name);
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (field === undefined) mistakes.add(own, unknownField(name, Object.keys(known)));
    else found[name] = read(field, each, own, reading);
  }
  for (const [name, field] of Object.entries(setting.required)) {
    if (!Object.hasOwn(value, name))
      mistakes.add(path + pointerStep(name), `is missing: it must be ${wantedBy(field)}.`);
  }
  const { exactlyOne } = setting;
  if (exactlyOne !== undefined && exactlyOne.filter((name) => Object.hasOwn(value, name)).length !== 1) {
    mistakes.add(path, `must have exactly one of ${quoted(exactlyOne)}.`);
  }
  return found;
}

function unknownField(name: string, known: readonly string[]): string {
  const meant = similarTo(name, known);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  return `is no setting.${hint} There ${known.length === 1 ? "is" : "are"}: ${known.join(", ")}.`;
}

function readEither(setting: EitherSetting, value: unknown, path: string, reading: Reading): unknown {
  // A variable may stand for a number or a flag where no text is meant.
  const isRead = typeof value === "string" && hasVariables(value);
  const fitting =
    setting.of.find((each) => isOfType(each, value)) ??
    (isRead ? setting.of.find(({ kind }) => kind === "number" || kind === "flag") : undefined);
  return fitting === undefined ? refuse(setting, value, path, reading) : read(fitting, value, path, reading);
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

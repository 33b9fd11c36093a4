// All schemas that hold for one value at once (a schema, what it refers to, its `allOf`) as one set of keywords. Keeps
// the list of changes, and bounds the work: references are unrolled twice, and a whole schema has a budget.
import type { JsonObject } from "../../model/json.ts";
import { pointerStep } from "../../model/pointer.ts";
import { isObject } from "../kit/read.ts";
import { goesWith, typeFor } from "./schema-keywords.ts";

/** One thing that could not be said as it was. */
export interface SchemaChange {
  /** A JSON pointer within the schema as it was given. */
  path: string;
  what: string;
  action: "dropped" | "approximated";
}

/** A value in a schema, mostly a schema itself, where it stands: `from[key]`. */
export interface Place {
  from: JsonObject;
  key: string;
  path: string;
  /** The references that led here. */
  trail: readonly string[];
  /** It is one branch of a choice that has null for another. */
  orNull?: boolean | undefined;
}

export interface Merged {
  /** Gemini's keywords as they came, each with everything that was said under it. */
  fields: Map<string, Place[]>;
  /** Of each of these lists, one schema or another holds. */
  unions: { path: string; branches: Place[] }[];
  /** Whether null is taken by one of the schemas, and whether another refuses it. */
  saysNull: boolean;
  refusesNull: boolean;
}

export interface Conversion {
  root: JsonObject;
  changes: Map<string, SchemaChange>;
  /** What the schema may still grow by, about in characters. */
  left: number;
}

/** How often a reference is followed on the way to one place: so many levels a recursive schema keeps. */
const UNROLLED = 2;
/** The deepest schema within a schema. */
export const DEEPEST = 100;

/** JSON Schema's keywords that Gemini says in another way. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["const", "enum"],
  ["prefixItems", "items"],
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
]);
export const CUT = "From here on any object will do.";
const LISTS = /^(anyOf|oneOf|allOf|enum|required|propertyOrdering|prefixItems)$/;

export function drop({ changes }: Conversion, { path }: { path: string }): void {
  if (!changes.has(path)) changes.set(path, { path, what: "Gemini's Schema cannot say this.", action: "dropped" });
}

export function approximate({ changes }: Conversion, path: string, what = "Said in the nearest form."): void {
  if (!changes.has(path)) changes.set(path, { path, what, action: "approximated" });
}

export function valueOf({ from, key }: Place): unknown {
  return from[key];
}

/** The places in a list or an object. */
export function placesIn(place: Place): Place[] {
  const { path, trail } = place;
  // A list is read like an object: its keys are the indexes.
  const from = valueOf(place) as JsonObject;
  return Object.keys(from).map((key) => ({ from, key, path: path + pointerStep(key), trail }));
}

export function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Everything that the schema says, its own keywords before those it refers to, and before what `base` says. */
export function merge(conversion: Conversion, parts: readonly Place[], base?: Merged): Merged {
  const { saysNull, refusesNull } = base ?? { saysNull: false, refusesNull: false };
  const merged: Merged = { fields: new Map(), unions: [], saysNull, refusesNull };
  const queue = [...parts];
  // The queue grows by what the schemas in it refer to.
  for (const place of queue) {
    const schema = valueOf(place);
    if (Array.isArray(schema)) {
      // A tuple: each of them may now stand anywhere in the list.
      approximate(conversion, place.path);
      unite(conversion, merged, place, queue);
    } else if (isObject(schema)) {
      merged.refusesNull ||= place.orNull !== true && excludesNull(schema);
      for (const keyword of placesIn(place)) take(conversion, merged, { ...keyword, orNull: place.orNull }, queue);
    } else if (schema !== true) drop(conversion, place);
  }
  for (const [name, places] of base?.fields ?? []) for (const place of places) put(conversion, merged, name, place);
  for (const union of base?.unions ?? []) {
    conversion.left--;
    merged.unions.push(union);
  }
  return merged;
}

function excludesNull({ type, enum: members, const: only = null, nullable }: JsonObject): boolean {
  const isTyped = type !== undefined && nullable !== true && ![type].flat().includes("null");
  return isTyped || only !== null || (Array.isArray(members) && !members.includes(null));
}

/** Takes schemas that hold for the same value as the one where they were found. */
function enqueue(queue: Place[], places: Place[], orNull: boolean | undefined): void {
  for (const place of places) queue.push({ ...place, orNull });
}

function take(conversion: Conversion, merged: Merged, keyword: Place, queue: Place[]): void {
  const { key } = keyword;
  const value = valueOf(keyword);
  const name = ALIASES.get(key) ?? key;
  conversion.left--;
  if (value === undefined || conversion.left < 0) return;
  const isFit = key === "properties" ? isObject(value) : !LISTS.test(key) || Array.isArray(value);
  if (key === "$ref") follow(conversion, keyword, queue);
  else if (isFit && key === "allOf") enqueue(queue, placesIn(keyword), keyword.orNull);
  else if (isFit && (key === "anyOf" || key === "oneOf")) unite(conversion, merged, keyword, queue);
  else if (key === "nullable" && value === true) merged.saysNull = true;
  else if (key === "nullable") drop(conversion, keyword);
  // What every type has, null has too.
  else if (isFit && (goesWith(name, "NULL") || typeFor(name) !== undefined)) put(conversion, merged, name, keyword);
  else drop(conversion, keyword);
}

function put(conversion: Conversion, { fields }: Merged, name: string, keyword: Place): void {
  // Values and schemas are paid for where they are written.
  spend(conversion, name === "properties" ? Object.keys(Object(valueOf(keyword))) : name);
  add(fields, name, keyword);
}

/** Takes a plain value from the budget. */
export function spend(conversion: Conversion, value: unknown, depth = 0): void {
  conversion.left -= typeof value === "string" ? value.length + 1 : 1;
  if (typeof value !== "object" || value === null || conversion.left < 0 || depth > DEEPEST) return;
  for (const each of Object.values(value)) spend(conversion, each, depth + 1);
}

/** One branch beside null holds in any case; of several, any one does. */
function unite(conversion: Conversion, merged: Merged, list: Place, queue: Place[]): void {
  const { key, path, orNull } = list;
  const all = placesIn(list);
  const other = all.filter((place) => !isNull(valueOf(place)));
  const some = other.length > 0 ? other : all.slice(0, 1);
  const hasNull = other.length > 0 && other.length < all.length;
  const branches = some.length < 2 ? queue : [];
  conversion.left -= all.length;
  merged.saysNull ||= hasNull;
  enqueue(branches, some, orNull === true || hasNull);
  if (branches !== queue) merged.unions.push({ path, branches });
  if (key === "oneOf" && all.length > 1) approximate(conversion, path);
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema["type"] === "null" && Object.keys(schema).length === 1;
}

/** Puts what a reference leads to in the queue. */
function follow(conversion: Conversion, place: Place, queue: Place[]): void {
  const { trail } = place;
  const ref = valueOf(place);
  if (typeof ref !== "string" || !/^#(\/|$)/.test(ref)) return drop(conversion, place);
  const path = unescaped(ref.slice(1));
  let schema: unknown = conversion.root;
  for (const step of path.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    // Lists and objects alike, and only what they hold themselves.
    schema = Object.hasOwn(Object(schema), key) ? (schema as JsonObject)[key] : undefined;
  }
  if (!isObject(schema)) return drop(conversion, place);
  conversion.left -= trail.length + path.length;
  const isCut = trail.filter((each) => each === path).length >= UNROLLED;
  // The same reference was written out on the way here.
  if (isCut) conversion.changes.delete(place.path);
  approximate(conversion, place.path, isCut ? CUT : "Written out.");
  const from: JsonObject = { $ref: isCut ? { type: "object" } : schema };
  queue.push({ from, key: "$ref", path: isCut ? place.path : path, trail: [...trail, path], orNull: place.orNull });
}

/** A pointer within a URL may be escaped a second time. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// The nearest JSON Schema of which Gemini's Schema can say all: what holds for one value, and everything below it.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { SchemaObject } from "../../model/request.ts";
import { copyField } from "../kit/read.ts";
import { geminiType, type GeminiType, goesWith, takes, takesMember, typeFor } from "./schema-keywords.ts";
import {
  add,
  approximate,
  type Conversion,
  CUT,
  DEEPEST,
  drop,
  merge,
  type Merged,
  type Place,
  placesIn,
  type SchemaChange,
  spend,
  valueOf,
} from "./schema-merge.ts";

/** What a schema may grow to, about in characters: references are written out, and may be many. */
const BUDGET = 100_000;
/** What a schema costs beside its keywords. */
const NODE = 30;
/** What stands for a schema that takes any value. */
const ANYTHING: GeminiType[] = ["STRING", "NUMBER", "BOOLEAN", "OBJECT"];

/** The nearest schema, in JSON Schema's words, and what had to change for it. */
export function nearestSchema(schema: SchemaObject): { schema: JsonObject; changes: SchemaChange[] } {
  // What is no JSON in it is no keyword's value either, and dropped as such.
  const root = schema as JsonObject;
  const conversion: Conversion = { root, changes: new Map(), left: BUDGET };
  const nearest = convert(conversion, [{ from: { root }, key: "root", path: "", trail: [""] }], 0);
  return { schema: nearest, changes: [...conversion.changes.values()] };
}

/** What holds for all the parts and for `base` at once, as one schema. */
function convert(conversion: Conversion, parts: Place[], depth: number, base?: Merged): JsonObject {
  const path = parts[0]?.path ?? "";
  const merged = merge(conversion, parts, base);
  const { fields, unions } = merged;
  if (conversion.left < 0 || depth > DEEPEST) {
    approximate(conversion, path, CUT);
    return { type: "object" };
  }
  // The parameters of a function must stay an object.
  if (depth === 0 && fields.has("properties")) for (const union of unions.splice(0)) drop(conversion, union);
  const union = unions.shift();
  if (union !== undefined) {
    // The API takes nothing beside `anyOf`: the rest is said in each branch.
    if (fields.size + unions.length > 0) approximate(conversion, union.path);
    return { anyOf: union.branches.map((branch) => convert(conversion, [branch], depth + 1, merged)) };
  }
  const types = typesOf(conversion, merged, path);
  const written = types.map((type) => write(conversion, merged, type, types, path, depth));
  return written.length > 1 ? { anyOf: written } : (written[0] ?? {});
}

/** The types that a value may have; null is one only where it is the only one. */
function typesOf(conversion: Conversion, merged: Merged, path: string): GeminiType[] {
  const { fields } = merged;
  const said = first(conversion, fields.get("type"));
  let types = said === undefined ? [] : [valueOf(said)].flat().map(geminiType);
  if (said !== undefined && types.includes(undefined)) drop(conversion, said);
  if (!types.some(Boolean)) types = membersOf(conversion, merged).map((place) => typeOfValue(valueOf(place)));
  const known = new Set(types.filter((type) => type !== undefined));
  if (known.size > 1 && known.delete("NULL")) merged.saysNull = true;
  if (known.size > 0) return [...known];
  approximate(conversion, `${path}/type`);
  const told = [...fields.keys()].map(typeFor).find(Boolean);
  return told === undefined ? ANYTHING : [told];
}

function typeOfValue(value: unknown): GeminiType {
  if (Array.isArray(value)) return "ARRAY";
  return Number.isInteger(value) ? "INTEGER" : (geminiType(value === null ? "null" : typeof value) ?? "NULL");
}

/** What was said first wins; what differs from it is reported. */
function first(conversion: Conversion, places: Place[] = []): Place | undefined {
  const [place, ...others] = places;
  for (const other of others) {
    const value = valueOf(other);
    if (typeof value === "object" || other.key !== place?.key || value !== valueOf(place)) drop(conversion, other);
  }
  return place;
}

/** The values of an `enum` or a `const`. */
function membersOf(conversion: Conversion, { fields }: Merged): Place[] {
  const place = first(conversion, fields.get("enum"));
  return place === undefined ? [] : place.key === "const" ? [place] : placesIn(place);
}

/** A schema of one type; `types` are all that the value may have, of which another may take a keyword. */
function write(
  conversion: Conversion,
  merged: Merged,
  type: GeminiType,
  types: readonly GeminiType[],
  path: string,
  depth: number,
): JsonObject {
  const { fields } = merged;
  const nullable = merged.saysNull && !merged.refusesNull;
  const below = (parts: Place[]): JsonObject => convert(conversion, parts, depth + 1);
  const kept = (entries: Place[], isFit: (value: unknown) => boolean): JsonValue[] => {
    const fit = entries.filter((place) => isFit(valueOf(place)) || drop(conversion, place));
    // What fits is a string.
    const values = fit.map((place) => valueOf(place) as string);
    spend(conversion, values);
    return values;
  };
  const properties = new Map<string, Place[]>();
  for (const place of (fields.get("properties") ?? []).flatMap(placesIn)) add(properties, place.key, place);
  const name = type.toLowerCase();
  conversion.left -= NODE;
  const out: JsonObject = { type: nullable && type !== "NULL" ? [name, "null"] : name };
  for (const [key, all] of fields) {
    if (key === "type") continue;
    if (!goesWith(key, type)) {
      if (!types.some((other) => goesWith(key, other))) for (const place of all) drop(conversion, place);
    } else if (key === "items") out[key] = below(all);
    else if (key === "properties") {
      const written: JsonObject = (out[key] = {});
      for (const [property, places] of properties) setOwn(written, property, below(places));
    } else if (key === "required" || key === "propertyOrdering") {
      out[key] = [...new Set(kept(all.flatMap(placesIn), (entry) => properties.has(entry as string)))];
    } else if (key === "enum") {
      const isElsewhere = (value: unknown): boolean =>
        value === null ? nullable : typeOfValue(value) !== type && types.includes(typeOfValue(value));
      const members = membersOf(conversion, merged).filter((place) => !isElsewhere(valueOf(place)));
      // None of them is of this type, which then takes nothing; that cannot be said.
      if (members.length === 0) for (const place of all) approximate(conversion, place.path);
      const values = kept(members, (value) => takesMember(value, type));
      if (values.length > 0) out[key] = nullable ? [...values, null] : values;
    } else writeValue(conversion, first(conversion, all), key, type, out);
  }
  if (type === "ARRAY") out["items"] ??= below([{ from: { "": true }, key: "", path: `${path}/items`, trail: [] }]);
  return out;
}

function writeValue(
  conversion: Conversion,
  place: Place | undefined,
  key: string,
  type: GeminiType,
  out: JsonObject,
): void {
  if (place === undefined) return;
  const value = valueOf(place);
  if (!takes(key, value, type)) return drop(conversion, place);
  spend(conversion, value);
  const isExclusive = place.key !== key;
  // Whole numbers have a next one, so that an exclusive bound can be said.
  const next = key === "minimum" ? Math.floor(Number(value)) + 1 : Math.ceil(Number(value)) - 1;
  if (isExclusive && type === "INTEGER" && Number.isSafeInteger(next)) out[key] = next;
  else copyField(place.from, place.key, out, key);
  if (isExclusive && out[key] === value) approximate(conversion, place.path);
}

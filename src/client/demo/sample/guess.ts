// One guess at a value for a schema. Guess 0 is the natural one: what the schema gives as default or example, what is
// required, and the first of all branches. The others choose differently wherever there is a choice.
import type { SchemaObject } from "../../../model/index.ts";
import { isObject } from "../../../model/kind.ts";
import type { FlatSchema } from "./flat-schema.ts";
import { Flattener } from "./flat-schema.ts";
import { numberOfSchema } from "./number.ts";
import { textOfSchema } from "./text.ts";

/** From here on only what must be is made, so that schemas that contain themselves end. */
const SHALLOW = 3;
const DEEPEST = 12;
/** More than anybody wants to read. */
const MOST_ITEMS = 100;

type Type = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** Which type a schema means that names none, by the keywords it has. */
const TELLING: readonly (readonly [Type, readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "minProperties", "patternProperties", "propertyNames"]],
  ["array", ["items", "prefixItems", "minItems", "contains", "uniqueItems"]],
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];
/** What is tried for a schema that says nothing. */
const ANYTHING: readonly Type[] = ["string", "integer", "object", "array", "boolean", "null"];

/** Where a value stands. */
interface Place {
  name: string;
  depth: number;
  /** Which of its siblings in a list. */
  n: number;
}

export class Guess {
  readonly #root: SchemaObject;
  readonly #flattener: Flattener;
  readonly #seed: number;
  #state: number;

  constructor(root: SchemaObject, seed: number) {
    this.#root = root;
    this.#seed = seed;
    this.#state = seed;
    this.#flattener = new Flattener(root, this.#choose);
  }

  value(): unknown {
    return this.#sample(this.#root, { name: "", depth: 0, n: 0 });
  }

  /** The first way in guess 0, any way in the others. */
  readonly #choose = (count: number): number => {
    if (this.#seed === 0 || count < 2) return 0;
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return (this.#state >>> 8) % count;
  };

  #sample(schema: unknown, place: Place): unknown {
    if (place.depth > DEEPEST) return null;
    const flat = this.#flattener.flatten(schema, place.depth >= SHALLOW);
    const given = this.#given(flat, place.n);
    if (given.length > 0) return given[(this.#choose(given.length) + place.n) % given.length];
    switch (this.#typeOf(flat)) {
      case "object":
        return this.#object(this.#withDependents(flat, place.depth), place);
      case "array":
        return this.#array(flat, place);
      case "string":
        return textOfSchema(flat, place.name, place.n, this.#choose);
      case "integer":
        return numberOfSchema(flat, true, this.#wanted(place.n));
      case "number":
        return numberOfSchema(flat, false, this.#wanted(place.n));
      case "boolean":
        return (this.#choose(2) + place.n) % 2 === 0;
      case "null":
        return null;
    }
  }

  /** Values that the schema itself names. Defaults and examples are advice, so every other guess does without. */
  #given({ const: only, enum: all, default: usual, examples, type }: FlatSchema, n: number): unknown[] {
    if (only !== undefined) return [only];
    if (Array.isArray(all) && all.length > 0) {
      const fitting = all.filter((value) => type === undefined || [type].flat().some((each) => isOfType(value, each)));
      return fitting.length > 0 ? fitting : all;
    }
    if (this.#seed % 2 === 1) return [];
    if (Array.isArray(examples) && n < examples.length) return [examples[n]];
    return usual === undefined || n > 0 ? [] : [usual];
  }

  #typeOf(flat: FlatSchema): Type {
    const types = [flat["type"]].flat().filter((type): type is Type => typeof type === "string");
    const telling = TELLING.filter(([, keywords]) => keywords.some((key) => key in flat)).map(([type]) => type);
    const choices = [types, telling].find((list) => list.length > 0) ?? ANYTHING;
    return choices[this.#choose(choices.length)] ?? "string";
  }

  #wanted(n: number): number {
    return 1 + n + (this.#choose(20) - this.#choose(20));
  }

  #object(flat: FlatSchema, { depth, n: nth }: Place): Record<string, unknown> {
    const properties = isObject(flat["properties"]) ? flat["properties"] : {};
    const required = this.#required(flat, Object.keys(properties), depth);
    const names = [...Object.keys(properties).filter((name) => required.has(name)), ...required];
    const object: Record<string, unknown> = {};
    const add = (name: string): void => {
      const value = this.#sample(this.#propertySchema(flat, name), { name, depth: depth + 1, n: nth });
      // A property may be called anything, "__proto__" too.
      Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
    };
    for (const name of new Set(names)) add(name);
    const least = typeof flat["minProperties"] === "number" ? Math.min(flat["minProperties"], MOST_ITEMS) : 0;
    const spare = Object.keys(properties).filter((name) => !Object.hasOwn(object, name));
    for (let n = 0; Object.keys(object).length < least && n < 2 * MOST_ITEMS; n++) {
      add(spare.shift() ?? this.#newName(flat, n));
    }
    return object;
  }

  /** What a property asks of the others is asked where that property must be there. */
  #withDependents(flat: FlatSchema, depth: number): FlatSchema {
    const { dependentSchemas, required, ...rest } = flat;
    if (!isObject(dependentSchemas)) return flat;
    const asked = namesIn(required).flatMap((name) => dependentSchemas[name] ?? []);
    return this.#flattener.flatten({ ...rest, allOf: [{ required: namesIn(required) }, ...asked] }, depth >= SHALLOW);
  }

  /** What must be there; where nothing must, everything; in other guesses, some of the rest as well. */
  #required(flat: FlatSchema, names: readonly string[], depth: number): Set<string> {
    const must = namesIn(flat["required"]);
    const isAll = must.length === 0 && depth < SHALLOW && this.#choose(2) === 0;
    const required = new Set([...must, ...names.filter(() => isAll || this.#choose(3) === 1)]);
    if (isObject(flat["dependentRequired"])) {
      for (const name of required) for (const other of namesIn(flat["dependentRequired"][name])) required.add(other);
    }
    return required;
  }

  #propertySchema({ properties, patternProperties, additionalProperties }: FlatSchema, name: string): unknown {
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
    const byPattern = isObject(patternProperties)
      ? Object.keys(patternProperties)
          .filter((pattern) => isMatch(pattern, name))
          .map((pattern) => patternProperties[pattern])
      : [];
    const all = [...own, ...byPattern];
    return all.length === 0 ? (additionalProperties ?? true) : all.length === 1 ? all[0] : { allOf: all };
  }

  #newName({ propertyNames, patternProperties, additionalProperties }: FlatSchema, n: number): string {
    const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
    const pattern = additionalProperties === false ? patterns[this.#choose(patterns.length)] : undefined;
    const names = this.#flattener.flatten(propertyNames ?? {}, false);
    const given = this.#given(names, n);
    if (given.length > 0) return String(given[n % given.length]);
    const schema = pattern === undefined ? names : { ...names, pattern };
    return textOfSchema(schema, "", n, this.#choose).replaceAll(" ", pattern === undefined ? "_" : " ");
  }

  #array(flat: FlatSchema, { name, depth }: Place): unknown[] {
    const { prefixItems, items, contains, uniqueItems } = flat;
    const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? (flat["additionalItems"] ?? true) : (items ?? true);
    const wantedHere = contains === undefined ? 0 : Math.max(1, Number(flat["minContains"] ?? 1));
    const least = Math.min(Number(flat["minItems"] ?? 0), MOST_ITEMS);
    const usual = depth < SHALLOW && rest !== false ? 1 : 0;
    const most = typeof flat["maxItems"] === "number" ? flat["maxItems"] : Infinity;
    const count = Math.min(Math.max(least, usual + this.#choose(3), first.length, wantedHere), Math.max(most, 0));
    const list: unknown[] = [];
    for (let n = 0; list.length < count && n < count + MOST_ITEMS; n++) {
      const at = list.length;
      const own = at < first.length ? first[at] : rest;
      const schema = at >= count - wantedHere ? { allOf: [own, contains] } : own;
      const value = this.#sample(schema, { name: singular(name), depth: depth + 1, n });
      const isNew = uniqueItems !== true || !list.some((other) => JSON.stringify(other) === JSON.stringify(value));
      if (isNew) list.push(value);
    }
    return list;
  }
}

function singular(name: string): string {
  return name.replace(/ies$/, "y").replace(/s$/, "");
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

function isMatch(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  return type === "object" ? isObject(value) : typeof value === type;
}

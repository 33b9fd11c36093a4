// Creates one guess at a value of a JSON schema. Guess 0 is the natural value: defaults, examples, required properties,
// and the first branch. The other guesses choose at random, by their seed.
import type { SchemaObject } from "../../../model/index.ts";
import { isObject } from "../../../model/value-kind.ts";
import type { FlatSchema } from "./flat-schema.ts";
import { SchemaFlattener } from "./flat-schema.ts";
import { sampleNumber } from "./sample-number.ts";
import { sampleText } from "./sample-text.ts";

/**
 * The depth from which branches without nested schemas are preferred and guess 0 creates only required values, so that
 * the values of recursive schemas end.
 */
const SHALLOW_DEPTH = 3;
const MAX_DEPTH = 12;
/** The maximum number of items of a list and of properties of an object. */
const MAX_ITEMS = 100;

type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** Keywords that imply a type, for schemas without the keyword `type`. */
const KEYWORDS_BY_TYPE: readonly (readonly [JsonType, readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "minProperties", "patternProperties", "propertyNames"]],
  ["array", ["items", "prefixItems", "minItems", "contains", "uniqueItems"]],
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];
/** The types from which one is chosen for a schema that has no `type` and no keyword that implies a type. */
const UNTYPED_CHOICES: readonly JsonType[] = ["string", "integer", "object", "array", "boolean", "null"];

/** The position of a value in the generated object. */
interface SamplePosition {
  name: string;
  depth: number;
  /** The index of the value in its list; 0 outside a list. */
  n: number;
}

export class SampleGuess {
  readonly #root: SchemaObject;
  readonly #flattener: SchemaFlattener;
  readonly #seed: number;
  #state: number;

  constructor(root: SchemaObject, seed: number) {
    this.#root = root;
    this.#seed = seed;
    this.#state = seed;
    this.#flattener = new SchemaFlattener(root, this.#choose);
  }

  value(): unknown {
    return this.#sample(this.#root, { name: "", depth: 0, n: 0 });
  }

  /** Returns 0 in guess 0, and a pseudorandom index in the other guesses. */
  readonly #choose = (count: number): number => {
    if (this.#seed === 0 || count < 2) return 0;
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return (this.#state >>> 8) % count;
  };

  #sample(schema: unknown, position: SamplePosition): unknown {
    if (position.depth > MAX_DEPTH) return null;
    const flat = this.#flattener.flatten(schema, position.depth >= SHALLOW_DEPTH);
    const values = this.#listNamedValues(flat, position.n);
    if (values.length > 0) return values[(this.#choose(values.length) + position.n) % values.length];
    switch (this.#chooseType(flat)) {
      case "object":
        return this.#object(this.#withDependents(flat, position.depth), position);
      case "array":
        return this.#array(flat, position);
      case "string":
        return sampleText(flat, position.name, position.n, this.#choose);
      case "integer":
        return sampleNumber(flat, true, this.#preferredNumber(position.n));
      case "number":
        return sampleNumber(flat, false, this.#preferredNumber(position.n));
      case "boolean":
        return (this.#choose(2) + position.n) % 2 === 0;
      case "null":
        return null;
    }
  }

  /**
   * Lists the values that the schema itself names: const or enum; otherwise the n-th example or, for n = 0, the
   * default. Guesses with an odd seed ignore examples and defaults, because these may be invalid.
   */
  #listNamedValues({ const: only, enum: all, default: usual, examples, type }: FlatSchema, n: number): unknown[] {
    if (only !== undefined) return [only];
    if (Array.isArray(all) && all.length > 0) {
      const ofType = all.filter((value) => type === undefined || [type].flat().some((each) => isOfType(value, each)));
      return ofType.length > 0 ? ofType : all;
    }
    if (this.#seed % 2 === 1) return [];
    if (Array.isArray(examples) && n < examples.length) return [examples[n]];
    return usual === undefined || n > 0 ? [] : [usual];
  }

  #chooseType(flat: FlatSchema): JsonType {
    const types = [flat["type"]].flat().filter((type): type is JsonType => typeof type === "string");
    const implied = KEYWORDS_BY_TYPE.filter(([, keywords]) => keywords.some((key) => key in flat)).map(
      ([type]) => type,
    );
    const choices = [types, implied].find((list) => list.length > 0) ?? UNTYPED_CHOICES;
    return choices[this.#choose(choices.length)] ?? "string";
  }

  #preferredNumber(n: number): number {
    return 1 + n + (this.#choose(20) - this.#choose(20));
  }

  #object(flat: FlatSchema, { depth, n: nth }: SamplePosition): Record<string, unknown> {
    const properties = isObject(flat["properties"]) ? flat["properties"] : {};
    const required = this.#required(flat, Object.keys(properties), depth);
    const names = [...Object.keys(properties).filter((name) => required.has(name)), ...required];
    const object: Record<string, unknown> = {};
    const add = (name: string): void => {
      const value = this.#sample(this.#propertySchema(flat, name), { name, depth: depth + 1, n: nth });
      // `defineProperty` is used, because a property can be named "__proto__".
      Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
    };
    for (const name of new Set(names)) add(name);
    const least = typeof flat["minProperties"] === "number" ? Math.min(flat["minProperties"], MAX_ITEMS) : 0;
    const spare = Object.keys(properties).filter((name) => !Object.hasOwn(object, name));
    for (let n = 0; Object.keys(object).length < least && n < 2 * MAX_ITEMS; n++) {
      add(spare.shift() ?? this.#newName(flat, n));
    }
    return object;
  }

  /** Returns the schema merged with those of its `dependentSchemas` that apply because their property is required. */
  #withDependents(flat: FlatSchema, depth: number): FlatSchema {
    const { dependentSchemas, required, ...rest } = flat;
    if (!isObject(dependentSchemas)) return flat;
    const dependents = readNames(required).flatMap((name) => dependentSchemas[name] ?? []);
    return this.#flattener.flatten(
      { ...rest, allOf: [{ required: readNames(required) }, ...dependents] },
      depth >= SHALLOW_DEPTH,
    );
  }

  /**
   * Chooses the names of the properties to create: the required ones, some optional ones at random, and those on which
   * the chosen ones depend (`dependentRequired`). If no property is required, guess 0 chooses all.
   */
  #required(flat: FlatSchema, properties: readonly string[], depth: number): Set<string> {
    const names = readNames(flat["required"]);
    const isAll = names.length === 0 && depth < SHALLOW_DEPTH && this.#choose(2) === 0;
    const required = new Set([...names, ...properties.filter(() => isAll || this.#choose(3) === 1)]);
    if (isObject(flat["dependentRequired"])) {
      for (const name of required) for (const other of readNames(flat["dependentRequired"][name])) required.add(other);
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
    const values = this.#listNamedValues(names, n);
    if (values.length > 0) return String(values[n % values.length]);
    const schema = pattern === undefined ? names : { ...names, pattern };
    return sampleText(schema, "", n, this.#choose).replaceAll(" ", pattern === undefined ? "_" : " ");
  }

  #array(flat: FlatSchema, { name, depth }: SamplePosition): unknown[] {
    const { prefixItems, items, contains, uniqueItems } = flat;
    const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? (flat["additionalItems"] ?? true) : (items ?? true);
    const containedCount = contains === undefined ? 0 : Math.max(1, Number(flat["minContains"] ?? 1));
    const least = Math.min(Number(flat["minItems"] ?? 0), MAX_ITEMS);
    const usual = depth < SHALLOW_DEPTH && rest !== false ? 1 : 0;
    const most = typeof flat["maxItems"] === "number" ? flat["maxItems"] : Infinity;
    const count = Math.min(Math.max(least, usual + this.#choose(3), first.length, containedCount), Math.max(most, 0));
    const list: unknown[] = [];
    for (let n = 0; list.length < count && n < count + MAX_ITEMS; n++) {
      const at = list.length;
      const own = at < first.length ? first[at] : rest;
      const schema = at >= count - containedCount ? { allOf: [own, contains] } : own;
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

function readNames(list: unknown): string[] {
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

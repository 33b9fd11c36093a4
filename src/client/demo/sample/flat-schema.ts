// Flattens a JSON schema to one object without references and branches: follows references, chooses branches, and
// merges all schemas that apply together.
import type { SchemaObject } from "../../../model/index.ts";
import { parsePointer } from "../../../model/json/short-pointer.ts";
import { isObject } from "../../../model/value-kind.ts";

export type FlatSchema = Record<string, unknown>;

/** Returns the index of one of `count` branches. */
export type ChooseIndex = (count: number) => number;

/** The number of schemas that one call of `flatten` may visit. It is limited, because references can be cyclic. */
const MAX_STEPS = 100;

/** A schema that no value satisfies. */
const IMPOSSIBLE: FlatSchema = { not: {} };

export class SchemaFlattener {
  readonly #root: SchemaObject;
  readonly #choose: ChooseIndex;
  #steps = 0;

  constructor(root: SchemaObject, choose: ChooseIndex) {
    this.#root = root;
    this.#choose = choose;
  }

  /** Returns the flattened schema. If `shallow` is true, branches without nested schemas are preferred. */
  flatten(schema: unknown, shallow: boolean): FlatSchema {
    this.#steps = 0;
    return this.#flat(schema, shallow);
  }

  #flat(schema: unknown, shallow: boolean): FlatSchema {
    if (schema === false || this.#steps++ > MAX_STEPS) return IMPOSSIBLE;
    if (!isObject(schema)) return {};
    const { $ref, allOf, anyOf, oneOf, if: condition, then, else: otherwise, ...own } = schema as FlatSchema;
    let flat: FlatSchema = own;
    const add = (more: unknown): void => {
      flat = mergeSchemas(flat, this.#flat(more, shallow));
    };
    if (typeof $ref === "string") add(this.#resolve($ref));
    if (Array.isArray(allOf)) allOf.forEach(add);
    for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) add(this.#branch(branches, shallow));
    if (condition !== undefined) {
      // A value satisfies `if` and `then`, or it satisfies `else`. One of the two alternatives is chosen and merged.
      if (this.#choose(2) === 0) [condition, then ?? true].forEach(add);
      else add(otherwise ?? true);
    }
    return flat;
  }

  #branch(branches: readonly unknown[], shallow: boolean): unknown {
    const candidates = branches.filter((branch) => branch !== false);
    const simple = shallow ? candidates.filter((branch) => !isDeep(branch)) : [];
    const choices = simple.length > 0 ? simple : candidates;
    return choices.length === 0 ? false : choices[this.#choose(choices.length)];
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith("#")) return true;
    const keys = parsePointer(decode(reference.slice(1)));
    if (keys === undefined) return findAnchor(this.#root, reference.slice(1)) ?? true;
    let target: unknown = this.#root;
    for (const key of keys) target = isContainer(target) && Object.hasOwn(target, key) ? target[key] : true;
    return target;
  }
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A fragment with an invalid percent escape is used without decoding.
    return fragment;
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function findAnchor(root: SchemaObject, anchor: string): unknown {
  const definitions = [root["$defs"], root["definitions"]].flatMap((all) =>
    isContainer(all) ? Object.values(all) : [],
  );
  return [root, ...definitions].find((each) => isContainer(each) && each["$anchor"] === anchor);
}

/** True if a branch contains nested schemas. */
function isDeep(branch: unknown): boolean {
  return (
    isObject(branch) &&
    ["$ref", "properties", "items", "prefixItems", "anyOf", "oneOf", "allOf"].some((key) => key in branch)
  );
}

type KeywordMerge = (a: unknown, b: unknown) => unknown;

const larger: KeywordMerge = (a, b) => Math.max(Number(a), Number(b));
const smaller: KeywordMerge = (a, b) => Math.min(Number(a), Number(b));
const allOfBoth: KeywordMerge = (a, b) => ({ allOf: [a, b] });
const union: KeywordMerge = (a, b) => [...new Set([a, b].flat())];
const mergeProperties: KeywordMerge = (a, b) => {
  const all = new Map<string, unknown>(Object.entries(a as object));
  for (const [key, value] of Object.entries(b as object))
    all.set(key, all.has(key) ? allOfBoth(all.get(key), value) : value);
  return Object.fromEntries(all);
};

/**
 * For each keyword, the function that merges its two values if both of the merged schemas have the keyword. For
 * keywords that are not in the map, the value of the second schema is used.
 */
const KEYWORD_MERGES = new Map<string, KeywordMerge>([
  ["type", intersection],
  ["enum", intersection],
  ["required", union],
  // If both schemas have a pattern, the result is a list of patterns.
  ["pattern", union],
  ["properties", mergeProperties],
  ["patternProperties", mergeProperties],
  ["dependentSchemas", mergeProperties],
  ["items", allOfBoth],
  ["contains", allOfBoth],
  ["additionalProperties", allOfBoth],
  ["propertyNames", allOfBoth],
  ["not", (a, b) => ({ anyOf: [a, b] })],
  ["uniqueItems", (a, b) => a === true || b === true],
  ["multipleOf", commonMultiple],
  ...["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"].map(
    (key) => [key, larger] as const,
  ),
  ...["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"].map(
    (key) => [key, smaller] as const,
  ),
]);

function mergeSchemas(a: FlatSchema, b: FlatSchema): FlatSchema {
  const all: FlatSchema = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const join = Object.hasOwn(all, key) ? KEYWORD_MERGES.get(key) : undefined;
    all[key] = join === undefined ? value : join(all[key], value);
  }
  return all;
}

function intersection(a: unknown, b: unknown): unknown {
  const [left, right] = [[a].flat(), [b].flat()];
  return [
    ...left.filter((each) => includesValue(right, each)),
    ...right.filter((each) => !includesValue(left, each, "exactly") && includesValue(left, each)),
  ];
}

/** True if the list contains the value. For lists of types, "number" includes "integer", unless `how` is "exactly". */
function includesValue(list: readonly unknown[], value: unknown, how?: "exactly"): boolean {
  if (how !== "exactly" && value === "integer" && list.includes("number")) return true;
  return list.some((each) => JSON.stringify(each) === JSON.stringify(value));
}

function commonMultiple(a: unknown, b: unknown): number {
  const [left, right] = [Number(a), Number(b)];
  for (let times = 1; times <= 1000; times++) if (Number.isInteger((left * times) / right)) return left * times;
  return left;
}

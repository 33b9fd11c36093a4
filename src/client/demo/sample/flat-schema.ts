// A schema as one flat object: references followed, branches chosen, everything that must hold at once put together.
import type { SchemaObject } from "../../../model/index.ts";
import { parsePointer } from "../../../model/json-pointer.ts";
import { isObject } from "../../../model/kind.ts";

export type FlatSchema = Record<string, unknown>;

/** Whoever makes the choices: which of `count` ways to go. */
export type Choose = (count: number) => number;

/** References that lead in a circle end here. */
const MOST_STEPS = 100;

/** The schema of nothing at all. */
const IMPOSSIBLE: FlatSchema = { not: {} };

export class Flattener {
  readonly #root: SchemaObject;
  readonly #choose: Choose;
  #steps = 0;

  constructor(root: SchemaObject, choose: Choose) {
    this.#root = root;
    this.#choose = choose;
  }

  /** `shallow`: of several branches one that ends soon is taken. */
  flatten(schema: unknown, shallow: boolean): FlatSchema {
    this.#steps = 0;
    return this.#flat(schema, shallow);
  }

  #flat(schema: unknown, shallow: boolean): FlatSchema {
    if (schema === false || this.#steps++ > MOST_STEPS) return IMPOSSIBLE;
    if (!isObject(schema)) return {};
    const { $ref, allOf, anyOf, oneOf, if: condition, then, else: otherwise, ...own } = schema as FlatSchema;
    let flat: FlatSchema = own;
    const add = (more: unknown): void => {
      flat = combine(flat, this.#flat(more, shallow));
    };
    if (typeof $ref === "string") add(this.#resolve($ref));
    if (Array.isArray(allOf)) allOf.forEach(add);
    for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) add(this.#branch(branches, shallow));
    if (condition !== undefined) {
      // Either the condition holds, and with it what follows; or it is left alone.
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
    let found: unknown = this.#root;
    for (const key of keys) found = isContainer(found) && Object.hasOwn(found, key) ? found[key] : true;
    return found;
  }
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A percent sign that encodes nothing stands for itself.
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

/** Whether a branch leads on: to another schema, or into objects and lists. */
function isDeep(branch: unknown): boolean {
  return (
    isObject(branch) &&
    ["$ref", "properties", "items", "prefixItems", "anyOf", "oneOf", "allOf"].some((key) => key in branch)
  );
}

type Join = (a: unknown, b: unknown) => unknown;

const most: Join = (a, b) => Math.max(Number(a), Number(b));
const least: Join = (a, b) => Math.min(Number(a), Number(b));
const both: Join = (a, b) => ({ allOf: [a, b] });
const joined: Join = (a, b) => [...new Set([a, b].flat())];
const named: Join = (a, b) => {
  const all = new Map<string, unknown>(Object.entries(a as object));
  for (const [key, value] of Object.entries(b as object))
    all.set(key, all.has(key) ? both(all.get(key), value) : value);
  return Object.fromEntries(all);
};

/** How a keyword that stands in both schemas is said once; of the others the later one wins. */
const JOINS = new Map<string, Join>([
  ["type", shared],
  ["enum", shared],
  ["required", joined],
  // A list where there are several.
  ["pattern", joined],
  ["properties", named],
  ["patternProperties", named],
  ["dependentSchemas", named],
  ["items", both],
  ["contains", both],
  ["additionalProperties", both],
  ["propertyNames", both],
  ["not", (a, b) => ({ anyOf: [a, b] })],
  ["uniqueItems", (a, b) => a === true || b === true],
  ["multipleOf", commonMultiple],
  ...["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"].map(
    (key) => [key, most] as const,
  ),
  ...["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"].map(
    (key) => [key, least] as const,
  ),
]);

function combine(a: FlatSchema, b: FlatSchema): FlatSchema {
  const all: FlatSchema = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const join = Object.hasOwn(all, key) ? JOINS.get(key) : undefined;
    all[key] = join === undefined ? value : join(all[key], value);
  }
  return all;
}

function shared(a: unknown, b: unknown): unknown {
  const [left, right] = [[a].flat(), [b].flat()];
  return [
    ...left.filter((each) => has(right, each)),
    ...right.filter((each) => !has(left, each, "exactly") && has(left, each)),
  ];
}

/** Every integer is a number. */
function has(list: readonly unknown[], wanted: unknown, how?: "exactly"): boolean {
  if (how !== "exactly" && wanted === "integer" && list.includes("number")) return true;
  return list.some((each) => JSON.stringify(each) === JSON.stringify(wanted));
}

function commonMultiple(a: unknown, b: unknown): number {
  const [left, right] = [Number(a), Number(b)];
  for (let times = 1; times <= 1000; times++) if (Number.isInteger((left * times) / right)) return left * times;
  return left;
}

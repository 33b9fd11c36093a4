// Holds a value against a shape and says where and how it differs. Unknown keys, cycles and depth do it no harm.
import type { Issue, IssueCode } from "./issue.ts";
import { clip } from "./issue.ts";
import { MAX_DEPTH } from "./json.ts";
import { isObject, kindOf } from "./kind.ts";
import { pointer } from "./pointer.ts";
import type { AnyShape, ObjectShape, Scalar, Union, Words } from "./shape.ts";
import { json, string } from "./shape.ts";

type Steps = (string | number)[];

/** A lookup of own fields only: `constructor` and `__proto__` are no shapes and no variants. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export class ShapeInspector {
  readonly issues: Issue[] = [];
  readonly #named: Readonly<Record<string, AnyShape>>;
  readonly #steps: Steps = [];
  /** The objects on the way from the root to here: meeting one again is a cycle. */
  readonly #ancestors = new Set<unknown>();

  constructor(named: Readonly<Record<string, AnyShape>>) {
    this.#named = named;
  }

  inspect(value: unknown, shape: AnyShape): Issue[] {
    this.#ancestors.add(value);
    this.#visit(value, shape);
    this.#ancestors.delete(value);
    return this.issues;
  }

  #note(code: IssueCode, message: string): void {
    this.issues.push({ path: pointer(this.#steps), code, message });
  }

  #wrongType(value: unknown, wanted: string): void {
    this.#note("wrong-type", `Expected ${wanted}, found ${kindOf(value)}.`);
  }

  #within(key: string | number, value: unknown, shape: AnyShape): void {
    this.#steps.push(key);
    if (typeof value !== "object" || value === null) this.#visit(value, shape);
    else if (this.#steps.length > MAX_DEPTH) {
      this.#note("too-deep", `Nested deeper than ${MAX_DEPTH} levels; flatten it.`);
    } else if (this.#ancestors.has(value)) {
      this.#note("not-json", "The value contains itself; JSON cannot hold a cycle.");
    } else {
      this.#ancestors.add(value);
      this.#visit(value, shape);
      this.#ancestors.delete(value);
    }
    this.#steps.pop();
  }

  #visit(value: unknown, shape: AnyShape): void {
    switch (shape.kind) {
      case "reference": {
        const target = own(this.#named, shape.name);
        if (target !== undefined) this.#visit(value, target);
        return;
      }
      case "nullable":
        if (value !== null) this.#visit(value, shape.of);
        return;
      case "list":
        if (!Array.isArray(value)) return this.#wrongType(value, "a list");
        for (let index = 0; index < value.length; index++) this.#within(index, value[index], shape.of);
        return;
      case "dictionary":
        if (!isObject(value)) return this.#wrongType(value, "an object");
        for (const key of Object.keys(value)) this.#within(key, value[key], shape.of);
        return;
      case "either":
        return this.#visitEither(value, shape.of);
      case "object":
        return this.#visitObject(value, shape);
      case "union":
        return this.#visitUnion(value, shape);
      case "json":
        return this.#visitJson(value);
      default:
        return this.#visitScalar(value, shape);
    }
  }

  #visitScalar(value: unknown, shape: Scalar | Words): void {
    switch (shape.kind) {
      case "words":
        if (typeof value !== "string") return this.#wrongType(value, "a string");
        if (!shape.words.includes(value)) {
          this.#note("unknown-word", `"${clip(value)}" is none of ${shape.words.join(", ")}.`);
        }
        return;
      case "string":
        if (typeof value !== "string") return this.#wrongType(value, "a string");
        if (shape.pattern !== undefined && !new RegExp(shape.pattern, "u").test(value)) {
          this.#note("wrong-format", `"${clip(value)}" is not ${shape.means ?? shape.pattern}.`);
        }
        return;
      case "boolean":
        if (typeof value !== "boolean") this.#wrongType(value, "true or false");
        return;
      default:
        if (typeof value !== "number") return this.#wrongType(value, "a number");
        if (!Number.isFinite(value)) return this.#note("not-json", `${value} is no JSON number; leave the field out.`);
        if (shape.kind === "integer" && !Number.isInteger(value))
          this.#note("wrong-type", `${value} is no whole number.`);
        if (shape.minimum !== undefined && value < shape.minimum) {
          this.#note("wrong-format", `${value} is below ${shape.minimum}.`);
        }
    }
  }

  /** Reports against the alternative that fits best: of the same kind of value, then with the fewest issues. */
  #visitEither(value: unknown, shapes: readonly AnyShape[]): void {
    const here = pointer(this.#steps);
    let best: Issue[] | undefined;
    let leastCost = Number.POSITIVE_INFINITY;
    for (const shape of shapes) {
      const attempt = new ShapeInspector(this.#named);
      attempt.#steps.push(...this.#steps);
      for (const ancestor of this.#ancestors) attempt.#ancestors.add(ancestor);
      const issues = attempt.inspect(value, shape);
      const isOtherKind = issues.some(({ path, code }) => path === here && code === "wrong-type");
      const cost = isOtherKind ? Number.MAX_SAFE_INTEGER : issues.length;
      if (cost < leastCost) [best, leastCost] = [issues, cost];
    }
    this.issues.push(...(best ?? []));
  }

  #visitUnion(value: unknown, shape: Union): void {
    if (!isObject(value)) return this.#wrongType(value, "an object");
    const tag = value[shape.on];
    if (typeof tag !== "string") return this.#within(shape.on, tag, string);
    const variant = own(shape.variants, tag);
    if (variant !== undefined) return this.#visitObject(value, variant);
    this.#steps.push(shape.on);
    const known = Object.keys(shape.variants).join(", ");
    this.#note("unknown-part-type", `"${clip(tag)}" is none of ${known}; it is kept, but no dialect can send it.`);
    this.#steps.pop();
  }

  #visitObject(value: unknown, shape: ObjectShape): void {
    if (!isObject(value)) return this.#wrongType(value, "an object");
    for (const key of Object.keys(shape.required)) {
      if (!Object.hasOwn(value, key) || value[key] === undefined) {
        this.#note("missing-field", `The field "${key}" is missing.`);
      }
    }
    for (const key of Object.keys(value)) {
      const field = own(shape.required, key) ?? own(shape.optional, key);
      if (value[key] === undefined) continue;
      if (field !== undefined) this.#within(key, value[key], field);
      else if (shape.open === true) this.#within(key, value[key], json);
      else this.#unknownField(key);
    }
    if (shape.exactlyOne !== undefined) this.#checkExactlyOne(value, shape.exactlyOne);
  }

  #unknownField(key: string): void {
    this.#steps.push(key);
    this.#note("unknown-field", `No field of that name here; a dialect's own fields go into "extra".`);
    this.#steps.pop();
  }

  #checkExactlyOne(value: Record<string, unknown>, keys: readonly string[]): void {
    const present = keys.filter((key) => value[key] !== undefined);
    if (present.length === 1) return;
    const found = present.length === 0 ? "none" : present.join(" and ");
    this.#note("one-source", `Exactly one of ${keys.join(", ")} is needed; found ${found}.`);
  }

  /** The value is plain JSON: no undefined in lists, functions, dates, class instances or numbers without digits. */
  #visitJson(value: unknown): void {
    switch (typeof value) {
      case "string":
      case "boolean":
        return;
      case "number":
        if (!Number.isFinite(value)) this.#note("not-json", `${value} is no JSON number; use null or a string.`);
        return;
      case "object":
        if (value === null) return;
        if (Array.isArray(value)) {
          for (let index = 0; index < value.length; index++) this.#within(index, value[index], json);
          return;
        }
        this.#visitJsonObject(value as Record<string, unknown>);
        return;
      default:
        this.#note("not-json", `JSON cannot hold ${kindOf(value)}.`);
    }
  }

  #visitJsonObject(value: Record<string, unknown>): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    // A prototype whose own prototype is null is Object.prototype, of this realm or of another.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      this.#note("not-json", "JSON cannot hold a class instance; convert it to a plain object first.");
      return;
    }
    for (const key of Object.keys(value)) {
      if (value[key] !== undefined) this.#within(key, value[key], json);
    }
  }
}

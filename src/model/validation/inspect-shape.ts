// Compares a value with a shape and lists the differences as issues. Cycles and nesting that is too deep are reported
// as issues, and the values in them are not checked.
import type { Issue, IssueCode } from "./issue.ts";
import { truncateText } from "./issue.ts";
import { MAX_DEPTH } from "../json/index.ts";
import { isObject, describeKind } from "../value-kind.ts";
import { pointer } from "../json/pointer.ts";
import type { AnyShape, ObjectShape, ScalarShape, UnionShape, EnumShape } from "./shape.ts";
import { json, string } from "./shape.ts";

type PathSteps = (string | number)[];

/**
 * Returns an own field of a table of shapes. Inherited fields such as `constructor` are not returned, because keys come
 * from the checked value and an inherited field is not a shape.
 */
function readOwn<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export class ShapeInspector {
  readonly issues: Issue[] = [];
  readonly #named: Readonly<Record<string, AnyShape>>;
  readonly #steps: PathSteps = [];
  /** The objects from the root to the current value. An object that occurs again below itself is a cycle. */
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

  #addIssue(code: IssueCode, message: string): void {
    this.issues.push({ path: pointer(this.#steps), code, message });
  }

  #wrongType(value: unknown, expected: string): void {
    this.#addIssue("wrong-type", `Expected ${expected}, found ${describeKind(value)}.`);
  }

  #inspectChild(key: string | number, value: unknown, shape: AnyShape): void {
    this.#steps.push(key);
    if (typeof value !== "object" || value === null) this.#visit(value, shape);
    else if (this.#steps.length > MAX_DEPTH) {
      this.#addIssue("too-deep", `Nested deeper than ${MAX_DEPTH} levels; flatten it.`);
    } else if (this.#ancestors.has(value)) {
      this.#addIssue("not-json", "The value contains itself; JSON cannot hold a cycle.");
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
        const target = readOwn(this.#named, shape.name);
        if (target !== undefined) this.#visit(value, target);
        return;
      }
      case "nullable":
        if (value !== null) this.#visit(value, shape.of);
        return;
      case "list":
        if (!Array.isArray(value)) return this.#wrongType(value, "a list");
        for (let index = 0; index < value.length; index++) this.#inspectChild(index, value[index], shape.of);
        return;
      case "dictionary":
        if (!isObject(value)) return this.#wrongType(value, "an object");
        for (const key of Object.keys(value)) this.#inspectChild(key, value[key], shape.of);
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

  #visitScalar(value: unknown, shape: ScalarShape | EnumShape): void {
    switch (shape.kind) {
      case "words":
        if (typeof value !== "string") return this.#wrongType(value, "a string");
        if (!shape.values.includes(value)) {
          this.#addIssue("unknown-word", `"${truncateText(value)}" is none of ${shape.values.join(", ")}.`);
        }
        return;
      case "string":
        if (typeof value !== "string") return this.#wrongType(value, "a string");
        if (shape.pattern !== undefined && !new RegExp(shape.pattern, "u").test(value)) {
          this.#addIssue("wrong-format", `"${truncateText(value)}" is not ${shape.patternName ?? shape.pattern}.`);
        }
        return;
      case "boolean":
        if (typeof value !== "boolean") this.#wrongType(value, "true or false");
        return;
      default:
        if (typeof value !== "number") return this.#wrongType(value, "a number");
        if (!Number.isFinite(value))
          return this.#addIssue("not-json", `${value} is no JSON number; leave the field out.`);
        if (shape.kind === "integer" && !Number.isInteger(value))
          this.#addIssue("wrong-type", `${value} is no whole number.`);
        if (shape.minimum !== undefined && value < shape.minimum) {
          this.#addIssue("wrong-format", `${value} is below ${shape.minimum}.`);
        }
    }
  }

  /**
   * Reports the issues for the shape that fits best: the shape with the fewest issues. A shape for a different JSON
   * type than that of the value fits worst.
   */
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

  #visitUnion(value: unknown, shape: UnionShape): void {
    if (!isObject(value)) return this.#wrongType(value, "an object");
    const tag = value[shape.on];
    if (typeof tag !== "string") return this.#inspectChild(shape.on, tag, string);
    const variant = readOwn(shape.variants, tag);
    if (variant !== undefined) return this.#visitObject(value, variant);
    this.#steps.push(shape.on);
    const known = Object.keys(shape.variants).join(", ");
    this.#addIssue(
      "unknown-part-type",
      `"${truncateText(tag)}" is none of ${known}; it is stored, but no dialect can send it.`,
    );
    this.#steps.pop();
  }

  #visitObject(value: unknown, shape: ObjectShape): void {
    if (!isObject(value)) return this.#wrongType(value, "an object");
    for (const key of Object.keys(shape.required)) {
      if (!Object.hasOwn(value, key) || value[key] === undefined) {
        this.#addIssue("missing-field", `The field "${key}" is missing.`);
      }
    }
    for (const key of Object.keys(value)) {
      const field = readOwn(shape.required, key) ?? readOwn(shape.optional, key);
      if (value[key] === undefined) continue;
      if (field !== undefined) this.#inspectChild(key, value[key], field);
      else if (shape.open === true) this.#inspectChild(key, value[key], json);
      else this.#unknownField(key);
    }
    if (shape.exactlyOne !== undefined) this.#checkExactlyOne(value, shape.exactlyOne);
  }

  #unknownField(key: string): void {
    this.#steps.push(key);
    this.#addIssue("unknown-field", `The model has no field of this name; a dialect's own fields belong in "extra".`);
    this.#steps.pop();
  }

  #checkExactlyOne(value: Record<string, unknown>, keys: readonly string[]): void {
    const present = keys.filter((key) => value[key] !== undefined);
    if (present.length === 1) return;
    const presentKeys = present.length === 0 ? "none" : present.join(" and ");
    this.#addIssue("one-source", `Exactly one of ${keys.join(", ")} is needed; found ${presentKeys}.`);
  }

  /**
   * Checks that a value is plain JSON: without functions, class instances, NaN and infinities, and without undefined in
   * lists.
   */
  #visitJson(value: unknown): void {
    switch (typeof value) {
      case "string":
      case "boolean":
        return;
      case "number":
        if (!Number.isFinite(value)) this.#addIssue("not-json", `${value} is no JSON number; use null or a string.`);
        return;
      case "object":
        if (value === null) return;
        if (Array.isArray(value)) {
          for (let index = 0; index < value.length; index++) this.#inspectChild(index, value[index], json);
          return;
        }
        this.#visitJsonObject(value as Record<string, unknown>);
        return;
      default:
        this.#addIssue("not-json", `JSON cannot hold ${describeKind(value)}.`);
    }
  }

  #visitJsonObject(value: Record<string, unknown>): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    // A prototype that has no prototype itself is Object.prototype, possibly of a different realm.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      this.#addIssue("not-json", "JSON cannot hold a class instance; convert it to a plain object first.");
      return;
    }
    for (const key of Object.keys(value)) {
      if (value[key] !== undefined) this.#inspectChild(key, value[key], json);
    }
  }
}

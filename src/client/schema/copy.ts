// A JSON Schema made ready for the validator: a copy (the validator writes into what it is given), held to what it can
// judge, so that a mistake is told when the schema is read and not when a value comes in.
import { isObject, kindOf } from "../../model/kind.ts";
import type { SchemaObject } from "../../model/index.ts";
import { pointerStep } from "../../model/pointer.ts";
import { ClientError } from "../errors.ts";

type Kind = "schema" | "schemas" | "named" | "names" | "lists" | "pattern" | "text" | "limit" | "any";

/** What stands behind each keyword. Others say nothing to a validator, and what they hold (examples!) may look like a schema. */
const KEYWORDS = new Map<string, Kind>(
  Object.entries({
    schema:
      "additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames not if then else",
    schemas: "prefixItems allOf anyOf oneOf",
    named: "$defs definitions properties patternProperties dependentSchemas",
    names: "required",
    lists: "dependentRequired",
    pattern: "pattern",
    text: "$id $anchor $ref $recursiveRef format",
    limit:
      "minProperties maxProperties minItems maxItems minContains maxContains minLength maxLength minimum maximum multipleOf",
    // Numbers, or booleans in draft 4; and what is compared as it is.
    any: "exclusiveMinimum exclusiveMaximum uniqueItems $recursiveAnchor const",
  } satisfies Record<Kind, string>).flatMap(([kind, names]) =>
    // The keys of the table above.
    names.split(" ").map((name) => [name, kind as Kind] as const),
  ),
);

const TYPES = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** Deeper than any schema that is meant; one that contains itself has no end. */
const DEEPEST = 200;

/** A copy of a schema that the validator can work with. `path` is where it was given, for errors. */
export function copySchema(schema: SchemaObject, path: string, isDraft4: boolean): SchemaObject {
  return new SchemaCopy(path, isDraft4, referredSteps(schema, path)).object(schema, "", 0);
}

/** Every key that a local reference goes through: definitions may stand under any name, such as `components/schemas`. */
function referredSteps(schema: SchemaObject, path: string): ReadonlySet<string> {
  const steps = new Set<string>();
  try {
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === "$ref" && typeof value === "string" && value.startsWith("#/")) {
        for (const step of value.slice(2).split("/")) steps.add(decodeStep(step));
      }
      return value;
    });
  } catch (cause) {
    throw new ClientError("configuration", `A schema must be plain JSON; write cycles as "$ref".`, { path, cause });
  }
  return steps;
}

function decodeStep(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    // A percent sign that encodes nothing stands for itself.
    return plain;
  }
}

class SchemaCopy {
  readonly #path: string;
  readonly #isDraft4: boolean;
  readonly #steps: ReadonlySet<string>;

  constructor(path: string, isDraft4: boolean, steps: ReadonlySet<string>) {
    this.#path = path;
    this.#isDraft4 = isDraft4;
    this.#steps = steps;
  }

  #fail(at: string, message: string): never {
    throw new ClientError("configuration", `The schema is not valid JSON Schema: at "${at}": ${message}`, {
      path: this.#path + at,
    });
  }

  #schema(value: unknown, at: string, depth: number): unknown {
    if (typeof value === "boolean") return value;
    if (!isObject(value)) return this.#fail(at, `expected a schema (an object or a boolean), found ${kindOf(value)}.`);
    return this.object(value, at, depth);
  }

  object(source: SchemaObject, at: string, depth: number): SchemaObject {
    if (depth > DEEPEST) this.#fail(at, `it is nested deeper than ${DEEPEST} levels.`);
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(source)) {
      const value = source[key];
      if (value === undefined) continue;
      const kept = this.#keyword(key, value, at + pointerStep(key), depth + 1);
      // A property may be called anything, "__proto__" too.
      if (kept !== undefined) define(copy, key, kept);
    }
    return copy;
  }

  #keyword(key: string, value: unknown, at: string, depth: number): unknown {
    if (key === "type") return this.#type(value, at);
    if (key === "enum") return Array.isArray(value) ? value : this.#fail(at, "expected a list of values.");
    if (key === "id") return this.#isDraft4 && typeof value === "string" ? value : undefined;
    // A list, before draft 2020-12.
    if (key === "items") return Array.isArray(value) ? this.#list(value, at, depth) : this.#schema(value, at, depth);
    if (key === "dependencies") return this.#dependencies(value, at, depth);
    const kind = KEYWORDS.get(key);
    // Definitions under a name of their own.
    if (kind === undefined) return isObject(value) && this.#steps.has(key) ? this.object(value, at, depth) : undefined;
    return this.#valueOf(kind, key, value, at, depth);
  }

  #valueOf(kind: Kind, key: string, value: unknown, at: string, depth: number): unknown {
    switch (kind) {
      case "schema":
        return this.#schema(value, at, depth);
      case "schemas":
        return this.#list(value, at, depth);
      case "named":
        return this.#named(value, at, depth, key === "patternProperties");
      case "names":
        return this.#names(value, at);
      case "lists":
        return this.#entries(value, at, (each, place) => this.#names(each, place));
      case "pattern":
        return typeof value === "string" ? this.#pattern(value, at) : this.#fail(at, "expected a regular expression.");
      case "text":
        return typeof value === "string" ? value : this.#fail(at, `expected a string, found ${kindOf(value)}.`);
      case "limit":
        return typeof value === "number" ? value : this.#fail(at, `expected a number, found ${kindOf(value)}.`);
      case "any":
        return value;
    }
  }

  #type(value: unknown, at: string): unknown {
    const names: unknown[] = [value].flat();
    const unknown = names.find((name) => typeof name !== "string" || !TYPES.has(name));
    if (unknown !== undefined || names.length === 0) {
      this.#fail(at, `${JSON.stringify(unknown ?? [])} is no type; the types are ${[...TYPES].join(", ")}.`);
    }
    return value;
  }

  #list(value: unknown, at: string, depth: number): unknown[] {
    if (!Array.isArray(value)) return this.#fail(at, `expected a list of schemas, found ${kindOf(value)}.`);
    return value.map((each, index) => this.#schema(each, at + pointerStep(index), depth + 1));
  }

  #names(value: unknown, at: string): unknown {
    if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
    return this.#fail(at, "expected a list of property names; it belongs to the object, not to the property.");
  }

  #named(value: unknown, at: string, depth: number, arePatterns: boolean): unknown {
    return this.#entries(
      value,
      at,
      (each, place) => this.#schema(each, place, depth + 1),
      (name, place) => (arePatterns ? this.#pattern(name, place) : name),
    );
  }

  #dependencies(value: unknown, at: string, depth: number): unknown {
    return this.#entries(value, at, (each, place) =>
      Array.isArray(each) ? this.#names(each, place) : this.#schema(each, place, depth + 1),
    );
  }

  #entries(
    value: unknown,
    at: string,
    read: (each: unknown, place: string) => unknown,
    rename: (name: string, place: string) => string = (name) => name,
  ): unknown {
    if (!isObject(value)) return this.#fail(at, `expected an object, found ${kindOf(value)}.`);
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const place = at + pointerStep(name);
      define(copy, rename(name, place), read(value[name], place));
    }
    return copy;
  }

  /** The validator reads patterns in Unicode mode, which refuses escapes of plain characters that many write (`\-`). */
  #pattern(source: string, at: string): string {
    for (const candidate of [source, source.replaceAll(/\\([^\w^$\\.*+?()[\]{}|/]|_)/g, codePoint)]) {
      try {
        return new RegExp(candidate, "u").source;
      } catch {
        // Tried in the other spelling, then refused below.
      }
    }
    return this.#fail(at, `${JSON.stringify(source)} is no regular expression of JavaScript.`);
  }
}

function codePoint(escaped: string): string {
  return `\\u{${escaped.charCodeAt(1).toString(16)}}`;
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

// Copies a JSON Schema for the validation library, which writes into its schemas, and checks the copy, so that a
// mistake is reported when the schema is compiled and not when a value is validated.
import { isObject, describeKind } from "../../model/value-kind.ts";
import type { SchemaObject } from "../../model/index.ts";
import { pointerStep } from "../../model/json/pointer.ts";
import { ClientError } from "../../calls/index.ts";

type KeywordKind = "schema" | "schemas" | "named" | "names" | "lists" | "pattern" | "text" | "limit" | "any";

/**
 * The kind of value that each copied keyword has. All other keywords are dropped, except those that `#keyword` handles
 * itself: their values, such as examples, are not schemas but may look like schemas to the validation library.
 */
const KEYWORDS = new Map<string, KeywordKind>(
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
    // `exclusiveMinimum` and `exclusiveMaximum` are numbers, or booleans in draft 4; `const` can have any value.
    any: "exclusiveMinimum exclusiveMaximum uniqueItems $recursiveAnchor const",
  } satisfies Record<KeywordKind, string>).flatMap(([kind, names]) =>
    names.split(" ").map((name) => [name, kind as KeywordKind] as const),
  ),
);

const TYPES = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** The maximum depth of a schema. A deeper schema is an error, because the copy is made recursively. */
const MAX_DEPTH = 200;

/** Returns a checked copy of a schema. `path` is the position of the schema, for errors. */
export function copySchema(schema: SchemaObject, path: string, isDraft4: boolean): SchemaObject {
  return new SchemaCopy(path, isDraft4, collectReferenceSteps(schema, path)).object(schema, "", 0);
}

/**
 * Collects the keys in all local references, such as "components" and "schemas" for "#/components/schemas/A". Values
 * under these keys are copied even if the keys are not keywords, because they contain referenced definitions.
 */
function collectReferenceSteps(schema: SchemaObject, path: string): ReadonlySet<string> {
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
    // A step with an invalid percent escape is used without decoding.
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
    if (!isObject(value))
      return this.#fail(at, `expected a schema (an object or a boolean), found ${describeKind(value)}.`);
    return this.object(value, at, depth);
  }

  object(source: SchemaObject, at: string, depth: number): SchemaObject {
    if (depth > MAX_DEPTH) this.#fail(at, `it is nested deeper than ${MAX_DEPTH} levels.`);
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(source)) {
      const value = source[key];
      if (value === undefined) continue;
      const copied = this.#keyword(key, value, at + pointerStep(key), depth + 1);
      // `defineProperty` is used, because a key can be "__proto__".
      if (copied !== undefined) defineProperty(copy, key, copied);
    }
    return copy;
  }

  #keyword(key: string, value: unknown, at: string, depth: number): unknown {
    if (key === "type") return this.#type(value, at);
    if (key === "enum") return Array.isArray(value) ? value : this.#fail(at, "expected a list of values.");
    if (key === "id") return this.#isDraft4 && typeof value === "string" ? value : undefined;
    // Before draft 2020-12, `items` can be a list.
    if (key === "items") return Array.isArray(value) ? this.#list(value, at, depth) : this.#schema(value, at, depth);
    if (key === "dependencies") return this.#dependencies(value, at, depth);
    const kind = KEYWORDS.get(key);
    // An unknown key is copied only if it is part of a local reference, because its value then contains definitions.
    if (kind === undefined) return isObject(value) && this.#steps.has(key) ? this.object(value, at, depth) : undefined;
    return this.#valueOf(kind, key, value, at, depth);
  }

  #valueOf(kind: KeywordKind, key: string, value: unknown, at: string, depth: number): unknown {
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
        return this.#entries(value, at, (each, position) => this.#names(each, position));
      case "pattern":
        return typeof value === "string" ? this.#pattern(value, at) : this.#fail(at, "expected a regular expression.");
      case "text":
        return typeof value === "string" ? value : this.#fail(at, `expected a string, found ${describeKind(value)}.`);
      case "limit":
        return typeof value === "number" ? value : this.#fail(at, `expected a number, found ${describeKind(value)}.`);
      case "any":
        return value;
    }
  }

  #type(value: unknown, at: string): unknown {
    const names: unknown[] = [value].flat();
    const unknown = names.find((name) => typeof name !== "string" || !TYPES.has(name));
    if (unknown !== undefined || names.length === 0) {
      this.#fail(at, `${JSON.stringify(unknown ?? [])} is not a type; the types are ${[...TYPES].join(", ")}.`);
    }
    return value;
  }

  #list(value: unknown, at: string, depth: number): unknown[] {
    if (!Array.isArray(value)) return this.#fail(at, `expected a list of schemas, found ${describeKind(value)}.`);
    return value.map((each, index) => this.#schema(each, at + pointerStep(index), depth + 1));
  }

  #names(value: unknown, at: string): unknown {
    if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
    return this.#fail(at, "expected a list of property names; `required` belongs to the object, not to the property.");
  }

  #named(value: unknown, at: string, depth: number, arePatterns: boolean): unknown {
    return this.#entries(
      value,
      at,
      (each, position) => this.#schema(each, position, depth + 1),
      (name, position) => (arePatterns ? this.#pattern(name, position) : name),
    );
  }

  #dependencies(value: unknown, at: string, depth: number): unknown {
    return this.#entries(value, at, (each, position) =>
      Array.isArray(each) ? this.#names(each, position) : this.#schema(each, position, depth + 1),
    );
  }

  #entries(
    value: unknown,
    at: string,
    read: (each: unknown, position: string) => unknown,
    rename: (name: string, position: string) => string = (name) => name,
  ): unknown {
    if (!isObject(value)) return this.#fail(at, `expected an object, found ${describeKind(value)}.`);
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const position = at + pointerStep(name);
      defineProperty(copy, rename(name, position), read(value[name], position));
    }
    return copy;
  }

  /**
   * Returns the pattern in a form that is valid in Unicode mode, which the validation library uses and which rejects
   * common escapes such as `\-`.
   */
  #pattern(source: string, at: string): string {
    for (const candidate of [source, source.replaceAll(/\\([^\w^$\\.*+?()[\]{}|/]|_)/g, toCodePointEscape)]) {
      try {
        return new RegExp(candidate, "u").source;
      } catch {
        // The candidate is invalid, so the next candidate is tried.
      }
    }
    return this.#fail(at, `${JSON.stringify(source)} is not a regular expression of JavaScript.`);
  }
}

function toCodePointEscape(escaped: string): string {
  return `\\u{${escaped.charCodeAt(1).toString(16)}}`;
}

function defineProperty(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

// Tests messages with fast predicates. They apply the rules of the model's `structuralIssues` and are compiled from the
// same shapes, because every message that is written or read is tested. If a predicate returns false,
// `structuralIssues` gives the reasons.
import { MAX_DEPTH } from "../model/json/index.ts";
import type { AnyShape, ObjectShape, UnionShape } from "../model/validation/shape.ts";
import { message, NAMED, storedMessage } from "../model/validation/message-shapes.ts";
import { isPlainRecord, isRecord } from "../model/value-kind.ts";

type ShapePredicate = (value: unknown, depth: number) => boolean;

/**
 * True if a value is JSON with at most `MAX_DEPTH` levels. False for dates, class instances, non-finite numbers and
 * lists that contain undefined.
 */
function isJson(value: unknown, depth: number): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return every(value, depth, isJson);
  return isPlainRecord(value) && everyMember(value, depth, isJson);
}

function every(items: readonly unknown[], depth: number, test: ShapePredicate): boolean {
  for (let index = 0; index < items.length; index++) if (!test(items[index], depth + 1)) return false;
  return true;
}

function everyMember(container: object, depth: number, test: ShapePredicate): boolean {
  // The cast allows access by key to an object of unknown shape.
  const members = container as Record<string, unknown>;
  // oxlint-disable-next-line guard-for-in -- for…in without a guard is by far the fastest; an inherited member can only make the result false.
  for (const key in members) {
    const member = members[key];
    if (member !== undefined && !test(member, depth + 1)) return false;
  }
  return true;
}

/**
 * Compiles shapes into predicates. `open` is the predicate for values that no shape describes: the values of fields
 * with arbitrary JSON, of unknown fields and of unknown parts.
 */
class PredicateCompiler {
  readonly #named = new Map<string, ShapePredicate>();
  readonly #open: ShapePredicate;
  readonly #isRecord: typeof isRecord;

  constructor(open: ShapePredicate, isObject: typeof isRecord) {
    this.#open = open;
    this.#isRecord = isObject;
  }

  of(shape: AnyShape): ShapePredicate {
    switch (shape.kind) {
      case "string":
      case "words":
        return (value) => typeof value === "string";
      case "boolean":
        return (value) => typeof value === "boolean";
      case "number":
        return (value) => Number.isFinite(value);
      case "integer":
        return (value) => Number.isInteger(value);
      case "json":
        return this.#open;
      case "nullable": {
        const inner = this.of(shape.of);
        return (value, depth) => value === null || inner(value, depth);
      }
      case "list": {
        const item = this.of(shape.of);
        return (value, depth) => depth <= MAX_DEPTH && Array.isArray(value) && every(value, depth, item);
      }
      case "dictionary": {
        const member = this.of(shape.of);
        return (value, depth) => depth <= MAX_DEPTH && this.#isRecord(value) && everyMember(value, depth, member);
      }
      case "either": {
        const alternatives = shape.of.map((each) => this.of(each));
        return (value, depth) => alternatives.some((test) => test(value, depth));
      }
      case "reference":
        return this.#reference(shape.name);
      case "union":
        return this.#union(shape);
      default:
        return this.#object(shape);
    }
  }

  /** Returns a predicate that looks up the named shape on first use, because shapes refer to each other in cycles. */
  #reference(name: string): ShapePredicate {
    return (value, depth) => {
      let test = this.#named.get(name);
      if (test === undefined) {
        const target = NAMED[name];
        test = target === undefined ? this.#open : this.of(target);
        this.#named.set(name, test);
      }
      return test(value, depth);
    };
  }

  #union({ on, variants }: UnionShape): ShapePredicate {
    const tests = new Map(Object.entries(variants).map(([tag, variant]) => [tag, this.#object(variant)]));
    return (value, depth) => {
      if (!this.#isRecord(value)) return false;
      const tag = value[on];
      return typeof tag === "string" && (tests.get(tag) ?? this.#open)(value, depth);
    };
  }

  #object({ required, optional }: ObjectShape): ShapePredicate {
    const names = Object.keys(required);
    const fields = new Map(Object.entries({ ...required, ...optional }).map(([name, shape]) => [name, this.of(shape)]));
    return (value, depth) => {
      if (!this.#isRecord(value) || depth > MAX_DEPTH) return false;
      for (const name of names) if (value[name] === undefined) return false;
      // oxlint-disable-next-line guard-for-in -- for the reasons given in everyMember.
      for (const key in value) {
        const member = value[key];
        if (member !== undefined && !(fields.get(key) ?? this.#open)(member, depth + 1)) return false;
      }
      return true;
    };
  }
}

const isAppendable = new PredicateCompiler(isJson, isPlainRecord).of(message);
// Tests messages that the JSON parser returned. Their values are JSON within the parser's depth limit, so the predicate
// for values that no shape describes always returns true.
const isParsedMessage = new PredicateCompiler(() => true, isRecord).of(storedMessage);

/**
 * True if a message can be written and will be read back unchanged. The root counts as a level of depth, as in the JSON
 * parser.
 */
export function isStorableMessage(value: unknown): boolean {
  return isAppendable(value, 1);
}

/** True if a value can be written as JSON and will be read back unchanged. */
export function isStorableJson(value: unknown): boolean {
  return isJson(value, 1);
}

/** True if a value from the JSON parser is a message of the current schema version. */
export function isCurrentMessage(value: unknown): boolean {
  return isParsedMessage(value, 1);
}

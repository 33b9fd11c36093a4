// Whether a message is sound, as a plain yes or no: the rules of the model's `structuralIssues`, made from the same
// shapes into functions, because every message that is written or read passes here. A no is for it to explain.
import { MAX_DEPTH } from "../model/json.ts";
import type { AnyShape, ObjectShape, Union } from "../model/shape.ts";
import { message, NAMED, storedMessage } from "../model/shapes.ts";

type Test = (value: unknown, depth: number) => boolean;

/** JSON and nothing else: no undefined in lists, dates, class instances or numbers without digits. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return every(value, depth, isPlain);
  return isPlainRecord(value) && everyMember(value, depth, isPlain);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An instance of a class would come back as something else. */
function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // A prototype whose own prototype is null is Object.prototype, of this realm or of another.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function every(items: readonly unknown[], depth: number, test: Test): boolean {
  for (let index = 0; index < items.length; index++) if (!test(items[index], depth + 1)) return false;
  return true;
}

function everyMember(container: object, depth: number, test: Test): boolean {
  // An object of unknown shape is read as a record.
  const members = container as Record<string, unknown>;
  // oxlint-disable-next-line guard-for-in -- for…in without a guard is by far the fastest; an inherited member can only make it a no.
  for (const key in members) {
    const member = members[key];
    if (member !== undefined && !test(member, depth + 1)) return false;
  }
  return true;
}

/** Makes tests from shapes. `open` is for what the shapes leave open (JSON of all kinds, fields and parts that they do not know). */
class Tests {
  readonly #named = new Map<string, Test>();
  readonly #open: Test;
  readonly #isRecord: typeof isRecord;

  constructor(open: Test, isObject: typeof isRecord) {
    this.#open = open;
    this.#isRecord = isObject;
  }

  of(shape: AnyShape): Test {
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

  /** Shapes refer to each other in circles, so that a reference is followed when it is first used. */
  #reference(name: string): Test {
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

  #union({ on, variants }: Union): Test {
    const tests = new Map(Object.entries(variants).map(([tag, variant]) => [tag, this.#object(variant)]));
    return (value, depth) => {
      if (!this.#isRecord(value)) return false;
      const tag = value[on];
      return typeof tag === "string" && (tests.get(tag) ?? this.#open)(value, depth);
    };
  }

  #object({ required, optional }: ObjectShape): Test {
    const names = Object.keys(required);
    const fields = new Map(Object.entries({ ...required, ...optional }).map(([name, shape]) => [name, this.of(shape)]));
    return (value, depth) => {
      if (!this.#isRecord(value) || depth > MAX_DEPTH) return false;
      for (const name of names) if (value[name] === undefined) return false;
      // oxlint-disable-next-line guard-for-in -- as in everyMember.
      for (const key in value) {
        const member = value[key];
        if (member !== undefined && !(fields.get(key) ?? this.#open)(member, depth + 1)) return false;
      }
      return true;
    };
  }
}

const appended = new Tests(isPlain, isPlainRecord).of(message);
// What a JSON reader made is JSON, and no deeper than it allows.
const parsed = new Tests(() => true, isRecord).of(storedMessage);

/** Whether a message can be written and will be read back as it is. Depth is counted as the reader of JSON counts it. */
export function isSoundMessage(value: unknown): boolean {
  return appended(value, 1);
}

/** Whether a value can be written as JSON and will be read back as it is. */
export function isSoundJson(value: unknown): boolean {
  return isPlain(value, 1);
}

/** Whether a value that was read from JSON is a message of the current version. */
export function isSoundRecord(value: unknown): boolean {
  return parsed(value, 1);
}

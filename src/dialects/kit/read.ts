// Reading wire data: unknown in, typed out, with an error that names the place where it is not what it must be.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyDigits } from "../../model/json.ts";
import { isObject, kindOf } from "../../model/kind.ts";
import type { DecodeContext } from "../dialect.ts";

export { isObject, kindOf };

/** The value in hand as an object. */
export function readObject(value: unknown, context: DecodeContext): JsonObject {
  if (!isObject(value)) context.fail("wrong-type", `Expected an object, found ${kindOf(value)}.`);
  return value;
}

export function readList(value: unknown, context: DecodeContext, field?: string): readonly JsonValue[] {
  if (!Array.isArray(value)) context.fail("wrong-type", `Expected a list, found ${kindOf(value)}.`, field);
  return value as JsonValue[];
}

/** A field that must be a string. */
export function readString(wire: JsonObject, field: string, context: DecodeContext): string {
  const value = wire[field];
  if (value === undefined) context.fail("missing-field", `The field "${field}" is missing.`, field);
  if (typeof value !== "string") context.fail("wrong-type", `Expected a string, found ${kindOf(value)}.`, field);
  return value;
}

/** The messages of a fragment: a bare list, or an object with the list under `messages`. */
export function readMessageList(
  wire: unknown,
  context: DecodeContext,
): { list: readonly JsonValue[]; key: string | undefined } {
  if (Array.isArray(wire)) return { list: wire as JsonValue[], key: undefined };
  const { messages, ...others } = isObject(wire) ? wire : {};
  if (messages === undefined) {
    context.fail("wrong-type", `Expected a list of messages or { "messages": […] }, found ${kindOf(wire)}.`);
  }
  // A list of messages has no place to keep them, and they must not vanish.
  const [other] = Object.keys(others);
  if (other !== undefined) context.fail("wrong-type", "Only messages are read here; pass them alone.", other);
  return { list: readList(messages, context, "messages"), key: "messages" };
}

/** The fields that are not among the known ones; undefined where there are none. */
export function unknownFields(wire: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let rest: JsonObject | undefined;
  for (const key of Object.keys(wire)) {
    // Objects made in code may say undefined, which is no JSON: it is as good as absent.
    if (known.has(key) || wire[key] === undefined) continue;
    rest ??= {};
    copyField(wire, key, rest);
  }
  return rest;
}

/** Copies a JSON field to another container; a number takes along the exact digits that are kept beside it (B23). */
export function copyField(from: object, key: string, to: object, as = key): void {
  // Both are read as records: the keys are data.
  const value = (from as JsonObject)[key] ?? null;
  setOwn(to as JsonObject, as, value);
  if (typeof value === "number") copyDigits(from, key, to, as);
}

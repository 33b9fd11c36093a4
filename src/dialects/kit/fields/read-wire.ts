// Reads typed values from unknown wire data. A value of a wrong type throws an error with the path of the value.
import { setOwn } from "../../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyDigits } from "../../../model/json/index.ts";
import { isObject, describeKind } from "../../../model/value-kind.ts";
import type { DecodeContext } from "../../dialect.ts";

export { describeKind, isObject };

/** Returns the value if it is an object, else throws an error at the current path. */
export function readObject(value: unknown, context: DecodeContext): JsonObject {
  if (!isObject(value)) context.fail("wrong-type", `Expected an object, found ${describeKind(value)}.`);
  return value;
}

/** Returns the value if it is a list, else throws an error at the current path or at its field `field`. */
export function readList(value: unknown, context: DecodeContext, field?: string): readonly JsonValue[] {
  if (!Array.isArray(value)) context.fail("wrong-type", `Expected a list, found ${describeKind(value)}.`, field);
  return value as JsonValue[];
}

/** Returns the value of a field; throws if the field is absent or not a string. */
export function readString(wire: JsonObject, field: string, context: DecodeContext): string {
  const value = wire[field];
  if (value === undefined) context.fail("missing-field", `The field "${field}" is missing.`, field);
  if (typeof value !== "string") context.fail("wrong-type", `Expected a string, found ${describeKind(value)}.`, field);
  return value;
}

/**
 * Returns the list of messages from a bare list or from an object whose only field is `messages`. `key` is the field
 * that contains the list; undefined for a bare list.
 */
export function readMessageList(
  wire: unknown,
  context: DecodeContext,
): { list: readonly JsonValue[]; key: string | undefined } {
  if (Array.isArray(wire)) return { list: wire as JsonValue[], key: undefined };
  const { messages, ...otherFields } = isObject(wire) ? wire : {};
  if (messages === undefined) {
    context.fail("wrong-type", `Expected a list of messages or { "messages": […] }, found ${describeKind(wire)}.`);
  }
  // A list of messages has no residue that could store further fields, and they must not be dropped without a report.
  const [otherField] = Object.keys(otherFields);
  if (otherField !== undefined)
    context.fail("wrong-type", "Only messages are accepted here; remove this field.", otherField);
  return { list: readList(messages, context, "messages"), key: "messages" };
}

/** Returns the fields of a wire object that are not in `known`; undefined if all fields are. */
export function unknownFields(wire: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let unknown: JsonObject | undefined;
  for (const key of Object.keys(wire)) {
    // A field with the value undefined counts as absent: an object that was created in code can have it, JSON cannot.
    if (known.has(key) || wire[key] === undefined) continue;
    unknown ??= {};
    copyField(wire, key, unknown);
  }
  return unknown;
}

/**
 * Copies a JSON field to another object, and with it the exact digits of a number that a double cannot represent (B23).
 */
export function copyField(from: object, key: string, to: object, as = key): void {
  // The casts let the objects be accessed with any string as key.
  const value = (from as JsonObject)[key] ?? null;
  setOwn(to as JsonObject, as, value);
  if (typeof value === "number") copyDigits(from, key, to, as);
}

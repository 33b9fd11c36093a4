// Reads typed values from unknown wire data; a wrong type is an error with the path of the value.
import { setOwn } from "../../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyDigits } from "../../../model/json/index.ts";
import { isObject, describeKind } from "../../../model/value-kind.ts";
import type { DecodeContext } from "../../dialect.ts";

export { describeKind, isObject };

/** Returns the current value as an object. */
export function readObject(value: unknown, context: DecodeContext): JsonObject {
  if (!isObject(value)) context.fail("wrong-type", `Expected an object, found ${describeKind(value)}.`);
  return value;
}

/** Returns the current value, or the value of `field`, as a list. */
export function readList(value: unknown, context: DecodeContext, field?: string): readonly JsonValue[] {
  if (!Array.isArray(value)) context.fail("wrong-type", `Expected a list, found ${describeKind(value)}.`, field);
  return value as JsonValue[];
}

/** Returns a required string field. */
export function readString(wire: JsonObject, field: string, context: DecodeContext): string {
  const value = wire[field];
  if (value === undefined) context.fail("missing-field", `The field "${field}" is missing.`, field);
  if (typeof value !== "string") context.fail("wrong-type", `Expected a string, found ${describeKind(value)}.`, field);
  return value;
}

/** Returns the messages of a fragment: a bare list, or the list in the field `messages` of an object. */
export function readMessageList(
  wire: unknown,
  context: DecodeContext,
): { list: readonly JsonValue[]; key: string | undefined } {
  if (Array.isArray(wire)) return { list: wire as JsonValue[], key: undefined };
  const { messages, ...otherFields } = isObject(wire) ? wire : {};
  if (messages === undefined) {
    context.fail("wrong-type", `Expected a list of messages or { "messages": […] }, found ${describeKind(wire)}.`);
  }
  // A list of messages cannot hold residue of other fields, and they must not be dropped silently.
  const [otherField] = Object.keys(otherFields);
  if (otherField !== undefined)
    context.fail("wrong-type", "Only messages are accepted here; remove this field.", otherField);
  return { list: readList(messages, context, "messages"), key: "messages" };
}

/** Returns the fields that are not in `known`; undefined if there are none. */
export function unknownFields(wire: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let unknown: JsonObject | undefined;
  for (const key of Object.keys(wire)) {
    // Objects made in code may contain undefined, which JSON cannot: it counts as absent.
    if (known.has(key) || wire[key] === undefined) continue;
    unknown ??= {};
    copyField(wire, key, unknown);
  }
  return unknown;
}

/** Copies a JSON field to another object, with the exact digits of a number that a double cannot hold (B23). */
export function copyField(from: object, key: string, to: object, as = key): void {
  // Both are used as records: the keys are data.
  const value = (from as JsonObject)[key] ?? null;
  setOwn(to as JsonObject, as, value);
  if (typeof value === "number") copyDigits(from, key, to, as);
}

// Which fields and words of a shape a set of values uses, and which there are.
import type { AnyShape, ObjectShape } from "../../src/model/validation/shape.ts";
import { NAMED, storedMessage } from "../../src/model/validation/message-shapes.ts";

/** Calls `found` with the name of each field and word, and the shape it belongs to. */
type Found = (owner: AnyShape, name: string, path: string) => void;

function inside(shape: AnyShape): AnyShape {
  return shape.kind === "reference" ? (NAMED[shape.name] ?? shape) : shape;
}

function isMeant(shape: AnyShape): boolean {
  // What a store adds is no part of an exchange.
  return shape !== storedMessage;
}

/** Everything that a shape can say. */
export function allOf(given: AnyShape, found: Found, path = "", seen = new Set<AnyShape>()): void {
  const shape = inside(given);
  if (seen.has(shape)) return;
  seen.add(shape);
  if (shape.kind === "words") for (const word of shape.values) found(shape, word, `${path} = ${word}`);
  if (shape.kind === "list" || shape.kind === "nullable") allOf(shape.of, found, path, seen);
  if (shape.kind === "either") for (const each of shape.of.filter(isMeant)) allOf(each, found, path, seen);
  if (shape.kind === "union") {
    for (const [word, variant] of Object.entries(shape.variants)) allOf(variant, found, `${path}<${word}>`, seen);
  }
  if (shape.kind !== "object") return;
  for (const [key, field] of fieldsOf(shape)) {
    found(shape, key, `${path}/${key}`);
    allOf(field, found, `${path}/${key}`, seen);
  }
}

function fieldsOf(shape: ObjectShape): [string, AnyShape][] {
  return Object.entries({ ...shape.required, ...shape.optional });
}

/** Everything that a value says of a shape. */
export function usedOf(given: AnyShape, value: unknown, found: Found, path = ""): void {
  const shape = inside(given);
  if (shape.kind === "words") found(shape, String(value), path);
  if (shape.kind === "list" && Array.isArray(value)) for (const each of value) usedOf(shape.of, each, found, path);
  if (shape.kind === "nullable") usedOf(shape.of, value, found, path);
  if (shape.kind === "either") {
    const chosen = shape.of.find((each) => isMeant(each) && fits(each, value));
    if (chosen !== undefined) usedOf(chosen, value, found, path);
  }
  if (typeof value !== "object" || value === null) return;
  const fields = value as Record<string, unknown>;
  if (shape.kind === "union") {
    const variant = shape.variants[String(fields[shape.on])];
    if (variant !== undefined) usedOf(variant, value, found, path);
  }
  if (shape.kind !== "object") return;
  for (const [key, field] of fieldsOf(shape)) {
    if (fields[key] === undefined) continue;
    found(shape, key, path);
    usedOf(field, fields[key], found, `${path}/${key}`);
  }
}

function fits(shape: AnyShape, value: unknown): boolean {
  if (shape.kind !== "object") return typeof value !== "object";
  return typeof value === "object" && value !== null && Object.keys(shape.required).every((key) => key in value);
}

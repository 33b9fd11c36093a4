// Lists the fields and enumerated values of a shape, and those that a value uses.
import type { AnyShape, ObjectShape } from "../../src/model/validation/shape.ts";
import { NAMED, storedMessage } from "../../src/model/validation/message-shapes.ts";

/** Receives the name of each field or enumerated value, and the shape it belongs to. */
type OnShapeField = (owner: AnyShape, name: string, path: string) => void;

function resolveReference(shape: AnyShape): AnyShape {
  return shape.kind === "reference" ? (NAMED[shape.name] ?? shape) : shape;
}

function isExchanged(shape: AnyShape): boolean {
  // Stored messages are not part of requests and responses.
  return shape !== storedMessage;
}

/** Calls `found` for every field and enumerated value of a shape. */
export function listShapeFields(
  shapeOrReference: AnyShape,
  onField: OnShapeField,
  path = "",
  seen = new Set<AnyShape>(),
): void {
  const shape = resolveReference(shapeOrReference);
  if (seen.has(shape)) return;
  seen.add(shape);
  if (shape.kind === "words") for (const word of shape.values) onField(shape, word, `${path} = ${word}`);
  if (shape.kind === "list" || shape.kind === "nullable") listShapeFields(shape.of, onField, path, seen);
  if (shape.kind === "either")
    for (const each of shape.of.filter(isExchanged)) listShapeFields(each, onField, path, seen);
  if (shape.kind === "union") {
    for (const [word, variant] of Object.entries(shape.variants))
      listShapeFields(variant, onField, `${path}<${word}>`, seen);
  }
  if (shape.kind !== "object") return;
  for (const [key, field] of fieldsOf(shape)) {
    onField(shape, key, `${path}/${key}`);
    listShapeFields(field, onField, `${path}/${key}`, seen);
  }
}

function fieldsOf(shape: ObjectShape): [string, AnyShape][] {
  return Object.entries({ ...shape.required, ...shape.optional });
}

/** Calls `found` for every field and enumerated value that a value uses. */
export function listUsedFields(shapeOrReference: AnyShape, value: unknown, onField: OnShapeField, path = ""): void {
  const shape = resolveReference(shapeOrReference);
  if (shape.kind === "words") onField(shape, String(value), path);
  if (shape.kind === "list" && Array.isArray(value))
    for (const each of value) listUsedFields(shape.of, each, onField, path);
  if (shape.kind === "nullable") listUsedFields(shape.of, value, onField, path);
  if (shape.kind === "either") {
    const chosen = shape.of.find((each) => isExchanged(each) && fits(each, value));
    if (chosen !== undefined) listUsedFields(chosen, value, onField, path);
  }
  if (typeof value !== "object" || value === null) return;
  const fields = value as Record<string, unknown>;
  if (shape.kind === "union") {
    const variant = shape.variants[String(fields[shape.on])];
    if (variant !== undefined) listUsedFields(variant, value, onField, path);
  }
  if (shape.kind !== "object") return;
  for (const [key, field] of fieldsOf(shape)) {
    if (fields[key] === undefined) continue;
    onField(shape, key, path);
    listUsedFields(field, fields[key], onField, `${path}/${key}`);
  }
}

function fits(shape: AnyShape, value: unknown): boolean {
  if (shape.kind !== "object") return typeof value !== "object";
  return typeof value === "object" && value !== null && Object.keys(shape.required).every((key) => key in value);
}

// Defines and reads the blob marker of a stored message: a field that lists the strings that were extracted into blobs,
// with their paths. An empty string replaces each extracted string, so a stored message is still a valid message.
import { isObject } from "../../model/value-kind.ts";
import type { StringEncoding } from "./text-encoding.ts";
import { STRING_ENCODINGS } from "./text-encoding.ts";

/**
 * The name of the marker's field. If the appended message had a field with this name, the marker contains its value as
 * `own`.
 */
export const MARKER_FIELD = "$blobs";

export type PathStep = string | number;

/**
 * The top-level fields of a message from which no string is extracted: the fields that the ledger itself reads from a
 * stored message, and `$blobs`, whose value is moved into the marker as `own`.
 */
export const EXCLUDED_FIELDS: ReadonlySet<PathStep> = new Set([
  "id",
  "parentMessageId",
  "role",
  "createdAt",
  MARKER_FIELD,
]);

/** A string that was extracted into a blob. */
export interface ExtractedString {
  /** The path from the message to the string: keys and indexes. */
  at: PathStep[];
  /** The reference of the blob: "sha256-" and 64 hex digits. */
  blob: string;
  as: StringEncoding;
  /** The size of the blob in bytes. */
  size: number;
}

/** The value of the marker field. */
export interface BlobMarker {
  strings: ExtractedString[];
  /** The value of a field with the marker's name that the appended message had. */
  own?: unknown;
}

const REFERENCE_PATTERN = /^sha256-[0-9a-f]{64}$/;

/** True if a value has the form of a blob reference. Does not check that the blob exists. */
export function isBlobReference(value: unknown): value is string {
  return typeof value === "string" && REFERENCE_PATTERN.test(value);
}

/**
 * True if a message with this body must be passed to `extractBlobs`: the body is long, contains a blob reference, or
 * has a field with the marker's name. May also be true for other messages, because only the text of the body is
 * searched.
 */
export function needsBlobs(body: string, threshold: number): boolean {
  // This runs for every written message. `includes` is fast if the first character of the searched text is rare, and
  // "2" is rarer than "s" in messages; so "256-", the end of the prefix "sha256-", is searched.
  return body.length > threshold || body.includes("256-") || body.includes("$blobs");
}

/** Returns the blob marker of a stored message; undefined if no string of the message was extracted. */
export function readMarker(message: object): BlobMarker | undefined {
  const marker: unknown =
    Object.hasOwn(message, MARKER_FIELD) && MARKER_FIELD in message ? message[MARKER_FIELD] : undefined;
  if (!isObject(marker) || !Array.isArray(marker["strings"])) return undefined;
  // If an entry is invalid, the ledger did not write the value: it is a field `$blobs` of the appended message.
  return marker["strings"].every(isExtractedString) ? (marker as unknown as BlobMarker) : undefined;
}

function isExtractedString(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { at, blob, as, size } = value;
  const isPath = Array.isArray(at) && at.length > 0 && at.every((step) => ["string", "number"].includes(typeof step));
  const isKnownEncoding = (STRING_ENCODINGS as readonly unknown[]).includes(as);
  return isPath && isBlobReference(blob) && isKnownEncoding && typeof size === "number";
}

/**
 * Returns a description of the first extracted string that cannot be restored, because there is no empty string at its
 * path. Returns undefined if all strings can be restored.
 */
export function findMisplacedString(message: object, { strings }: BlobMarker): string | undefined {
  const misplaced = strings.find(({ at }) => findStringPosition(message, at) === undefined);
  return misplaced && describeMisplaced(misplaced);
}

export function describeMisplaced({ at, blob }: ExtractedString): string {
  return `The blob ${blob} cannot be restored: /${at.join("/")} is not an empty string.`;
}

/** The object or list that contains a string, and the key or index of the string in it. */
export interface StringPosition {
  container: Record<PathStep, unknown>;
  step: PathStep;
}

/**
 * Finds the position of an extracted string. Returns undefined if the value at the path is not an empty string: the
 * marker then does not belong to this message, and restoring the string would overwrite another value.
 */
export function findStringPosition(message: object, at: readonly PathStep[]): StringPosition | undefined {
  if (at[0] === undefined || EXCLUDED_FIELDS.has(at[0])) return undefined;
  let container: unknown = message;
  for (const [depth, step] of at.entries()) {
    if (typeof container !== "object" || container === null || !Object.hasOwn(container, step)) return undefined;
    // The cast is safe, because `step` is an own key of the object.
    const open = container as Record<PathStep, unknown>;
    if (depth === at.length - 1) return open[step] === "" ? { container: open, step } : undefined;
    container = open[step];
  }
  return undefined;
}

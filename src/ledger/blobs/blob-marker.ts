// The blob marker of a stored message: a field that lists the strings that were extracted into blobs, with their paths.
// An empty string is in each of these places, so a stored message is still a valid message.
import { isObject } from "../../model/value-kind.ts";
import type { StringEncoding } from "./text-encoding.ts";
import { STRING_ENCODINGS } from "./text-encoding.ts";

/** The field of the marker. If a message has its own field of this name, the marker contains it as `own`. */
export const MARKER_FIELD = "$blobs";

export type PathStep = string | number;

/**
 * Fields from which nothing is extracted: the ledger's own fields, and the marker, which contains the message's own
 * field unchanged.
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
  /** "sha256-…" */
  blob: string;
  as: StringEncoding;
  /** The size of the blob in bytes. */
  size: number;
}

/** The list of extracted strings. */
export interface BlobMarker {
  strings: ExtractedString[];
  own?: unknown;
}

const REFERENCE_PATTERN = /^sha256-[0-9a-f]{64}$/;

/** True if a text is a blob reference. */
export function isBlobReference(value: unknown): value is string {
  return typeof value === "string" && REFERENCE_PATTERN.test(value);
}

/**
 * True if a message with this body must be passed to `extractBlobs`: it is long, contains a blob reference, or has a
 * field with the marker's name. May be true unnecessarily, never false wrongly.
 */
export function needsBlobs(body: string, threshold: number): boolean {
  // Runs for every written message: `includes` is fast if the first character is rare.
  return body.length > threshold || body.includes("256-") || body.includes("$blobs");
}

/** Returns the marker of a stored message; undefined if no string was extracted. */
export function readMarker(message: object): BlobMarker | undefined {
  const marker: unknown =
    Object.hasOwn(message, MARKER_FIELD) && MARKER_FIELD in message ? message[MARKER_FIELD] : undefined;
  if (!isObject(marker) || !Array.isArray(marker["strings"])) return undefined;
  // Each string is checked; any other value is the message's own field.
  return marker["strings"].every(isExtractedString) ? (marker as unknown as BlobMarker) : undefined;
}

function isExtractedString(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { at, blob, as, size } = value;
  const isPath = Array.isArray(at) && at.length > 0 && at.every((step) => ["string", "number"].includes(typeof step));
  const isKnown = (STRING_ENCODINGS as readonly unknown[]).includes(as);
  return isPath && isBlobReference(blob) && isKnown && typeof size === "number";
}

/** Returns the fault of a marker whose path does not exist; undefined if there is none. */
export function findMisplacedString(message: object, { strings }: BlobMarker): string | undefined {
  const misplaced = strings.find(({ at }) => findStringPosition(message, at) === undefined);
  return misplaced && describeMisplaced(misplaced);
}

export function describeMisplaced({ at, blob }: ExtractedString): string {
  return `The blob ${blob} cannot be restored: /${at.join("/")} is not an empty string.`;
}

/** The position of a string in its message. */
export interface StringPosition {
  container: Record<PathStep, unknown>;
  step: PathStep;
}

/**
 * Finds the position of an extracted string; undefined if the path does not exist or contains another value: a foreign
 * marker must not overwrite anything.
 */
export function findStringPosition(message: object, at: readonly PathStep[]): StringPosition | undefined {
  if (at[0] === undefined || EXCLUDED_FIELDS.has(at[0])) return undefined;
  let container: unknown = message;
  for (const [depth, step] of at.entries()) {
    if (typeof container !== "object" || container === null || !Object.hasOwn(container, step)) return undefined;
    // An object of any shape; the step is one of its own keys.
    const open = container as Record<PathStep, unknown>;
    if (depth === at.length - 1) return open[step] === "" ? { container: open, step } : undefined;
    container = open[step];
  }
  return undefined;
}

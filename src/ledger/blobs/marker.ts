// What stands in a stored message for the strings that were taken out of it: one field that lists where each stood and
// which blob holds it. The places themselves hold an empty string, so that a stored message is still a message.
import { isObject } from "../../model/kind.ts";
import type { Spelling } from "./text.ts";
import { SPELLINGS } from "./text.ts";

/** The field of the list. A message that has a field of this name itself keeps it within, as `own`. */
export const FIELD = "$blobs";

export type Step = string | number;

/** Fields that nothing is taken from: what the ledger itself says of a message, and the list, into which what stands there moves whole. */
export const STAYING: ReadonlySet<Step> = new Set(["id", "parentMessageId", "role", "createdAt", FIELD]);

/** A string that was taken out. */
export interface TakenString {
  /** Keys and indexes from the message down to it. */
  at: Step[];
  /** "sha256-…" */
  blob: string;
  as: Spelling;
  /** Of the blob, in bytes. */
  size: number;
}

export interface Marker {
  strings: TakenString[];
  own?: unknown;
}

const REFERENCE = /^sha256-[0-9a-f]{64}$/;

/** Whether a text names a blob of a ledger. */
export function isReference(value: unknown): value is string {
  return typeof value === "string" && REFERENCE.test(value);
}

/**
 * Whether a message with this body must go through `storeBlobs`: it is long, holds a reference of its own, or has a
 * field of the marker's name. May say yes too often, never no.
 */
export function needsBlobs(body: string, threshold: number): boolean {
  // Every message that is written passes here: a search is fast where its first character is rare.
  return body.length > threshold || body.includes("256-") || body.includes("$blobs");
}

/** The marker of a stored message; undefined where nothing was taken out. */
export function markerOf(message: object): Marker | undefined {
  const marker: unknown = Object.hasOwn(message, FIELD) && FIELD in message ? message[FIELD] : undefined;
  if (!isObject(marker) || !Array.isArray(marker["strings"])) return undefined;
  // Each of them is checked here; what is no marker is a field of somebody else.
  return marker["strings"].every(isTaken) ? (marker as unknown as Marker) : undefined;
}

function isTaken(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { at, blob, as, size } = value;
  const isPlace = Array.isArray(at) && at.length > 0 && at.every((step) => ["string", "number"].includes(typeof step));
  const isKnown = (SPELLINGS as readonly unknown[]).includes(as);
  return isPlace && isReference(blob) && isKnown && typeof size === "number";
}

/** What is wrong with a marker's places; undefined where all is well. */
export function misplacedIn(message: object, { strings }: Marker): string | undefined {
  const wrong = strings.find(({ at }) => placeOf(message, at) === undefined);
  return wrong && misplaced(wrong);
}

export function misplaced({ at, blob }: TakenString): string {
  return `There is no empty /${at.join("/")} to put ${blob} back to.`;
}

/** Where a string stood. */
export interface Place {
  container: Record<Step, unknown>;
  step: Step;
}

/**
 * The place of a string that was taken out; undefined where the message has no such place, or something stands there:
 * a list that was made elsewhere must not write over anything.
 */
export function placeOf(message: object, at: readonly Step[]): Place | undefined {
  if (at[0] === undefined || STAYING.has(at[0])) return undefined;
  let container: unknown = message;
  for (const [depth, step] of at.entries()) {
    if (typeof container !== "object" || container === null || !Object.hasOwn(container, step)) return undefined;
    // An object of any shape; that it has the step as its own was asked just now.
    const open = container as Record<Step, unknown>;
    if (depth === at.length - 1) return open[step] === "" ? { container: open, step } : undefined;
    container = open[step];
  }
  return undefined;
}

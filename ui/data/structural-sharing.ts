// Structural sharing: unchanged values keep their object identity from one state to the next, so that React skips them
// (B100).
import type { Message } from "koine";
import { sameJson } from "koine";

/** Returns the previous value if both are equal as JSON. */
export function reuseIfEqual<T>(previous: T | undefined, next: T): T {
  return previous !== undefined && sameJson(previous, next) ? previous : next;
}

/** Returns the previous list if all elements are identical. */
export function reuseList<T>(previous: readonly T[], next: readonly T[]): readonly T[] {
  return previous.length === next.length && next.every((each, at) => each === previous[at]) ? previous : next;
}

/** Compares parts by identity first: in a streamed message almost all parts are the same objects. */
export function reuseMessages(previous: readonly Message[], next: readonly Message[]): readonly Message[] {
  return reuseList(
    previous,
    next.map((message, at) => reuseMessage(previous[at], message)),
  );
}

function reuseMessage(previous: Message | undefined, next: Message): Message {
  if (previous === undefined || previous.role !== next.role) return next;
  const parts = next.parts.map((part, at) =>
    part === previous.parts[at] ? part : reuseIfEqual(previous.parts[at], part),
  );
  const isSame = reuseList(previous.parts, parts) === previous.parts;
  return isSame && sameJson({ ...previous, parts: [] }, { ...next, parts: [] }) ? previous : { ...next, parts };
}

// Reuses unchanged values of the previous state in the next state, so that they stay the same objects and React does
// not render them again (B100).
import type { Message } from "koine";
import { sameJson } from "koine";

/** Returns `previous` if both values are equal as JSON, and `next` otherwise. */
export function reuseIfEqual<T>(previous: T | undefined, next: T): T {
  return previous !== undefined && sameJson(previous, next) ? previous : next;
}

/** Returns `previous` if both lists have identical elements, and `next` otherwise. */
export function reuseList<T>(previous: readonly T[], next: readonly T[]): readonly T[] {
  return previous.length === next.length && next.every((each, at) => each === previous[at]) ? previous : next;
}

/**
 * Returns the messages of `next`; messages and parts that equal those of `previous` are replaced by the previous
 * objects. Parts are compared by identity first, because almost all parts of a streamed message are the same objects.
 */
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

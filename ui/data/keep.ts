// What did not change stays the same object, so that whoever shows it need not look at it again (B100).
import type { Message } from "koine";
import { sameJson } from "koine";

/** The former value where both are equal as JSON. */
export function keepEqual<T>(former: T | undefined, next: T): T {
  return former !== undefined && sameJson(former, next) ? former : next;
}

/** The former list where all of it is the same. */
export function keepList<T>(former: readonly T[], next: readonly T[]): readonly T[] {
  return former.length === next.length && next.every((each, at) => each === former[at]) ? former : next;
}

/** Messages of a stream: almost all of their parts are the same objects, and the others are mostly others. */
export function keepMessages(former: readonly Message[], next: readonly Message[]): readonly Message[] {
  return keepList(
    former,
    next.map((message, at) => keepMessage(former[at], message)),
  );
}

function keepMessage(former: Message | undefined, next: Message): Message {
  if (former === undefined || former.role !== next.role) return next;
  const parts = next.parts.map((part, at) => (part === former.parts[at] ? part : keepEqual(former.parts[at], part)));
  const isSame = keepList(former.parts, parts) === former.parts;
  return isSame && sameJson({ ...former, parts: [] }, { ...next, parts: [] }) ? former : { ...next, parts };
}

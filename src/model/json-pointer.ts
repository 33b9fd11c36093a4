// How JSON errors name a place (cut where it would be long), how such names are read, and how deep JSON may be.

import { pointerStep } from "./pointer.ts";

/** The deepest nesting of arrays and objects that Koine reads; the outermost one is level 1. */
export const MAX_DEPTH = 1000;

const LONGEST = 120;

/** The JSON pointer of a place for a person to read: after 120 characters an ellipsis. */
export function shortPointer(keys: readonly (string | number)[]): string {
  let text = "";
  for (const key of keys) {
    text += pointerStep(key);
    if (text.length > LONGEST) return `${text.slice(0, LONGEST)}…`;
  }
  return text;
}

/** The keys of a JSON pointer, or undefined if it is none. */
export function parsePointer(text: string): string[] | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

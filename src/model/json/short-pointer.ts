// Shortens JSON pointers for errors, parses them, and defines the maximum depth of JSON.

import { pointerStep } from "./pointer.ts";

/** The maximum number of nested levels of arrays and objects that Koine reads; the root is level 1. */
export const MAX_DEPTH = 1000;

const MAX_POINTER_LENGTH = 120;

/** Returns a JSON pointer for an error message, truncated after 120 characters. */
export function shortPointer(keys: readonly (string | number)[]): string {
  let text = "";
  for (const key of keys) {
    text += pointerStep(key);
    if (text.length > MAX_POINTER_LENGTH) return `${text.slice(0, MAX_POINTER_LENGTH)}…`;
  }
  return text;
}

/** Returns the keys of a JSON pointer, or undefined if the text is not a JSON pointer. */
export function parsePointer(text: string): string[] | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

// Writes JSON pointers (RFC 6901), which are the paths in errors and losses.

const NEEDS_ESCAPE = /[~/]/;

/** Returns one step of a pointer, escaped. */
export function pointerStep(key: string | number): string {
  if (typeof key === "number" || !NEEDS_ESCAPE.test(key)) return `/${key}`;
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns the pointer for a list of keys; "" is the root. */
export function pointer(steps: readonly (string | number)[]): string {
  let path = "";
  for (const step of steps) path += pointerStep(step);
  return path;
}

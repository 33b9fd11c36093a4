// JSON pointers (RFC 6901): how every error and every loss says where.

const NEEDS_ESCAPE = /[~/]/;

/** One step of a pointer, escaped. */
export function pointerStep(key: string | number): string {
  if (typeof key === "number" || !NEEDS_ESCAPE.test(key)) return `/${key}`;
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The pointer to a place; "" is the whole value. */
export function pointer(steps: readonly (string | number)[]): string {
  let path = "";
  for (const step of steps) path += pointerStep(step);
  return path;
}

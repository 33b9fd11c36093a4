// JSON pointers (RFC 6901): how every error and every loss says where.

/** One step of a pointer, escaped. */
export function pointerStep(key: string | number): string {
  return typeof key === "number" ? `/${key}` : `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The pointer to a place; "" is the whole value. */
export function pointer(steps: readonly (string | number)[]): string {
  return steps.map(pointerStep).join("");
}

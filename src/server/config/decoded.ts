// Percent escapes undone, where they are some.

/** undefined where a percent sign begins no escape. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

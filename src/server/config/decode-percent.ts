// Decodes percent-encoded text without throwing.

/** Returns the decoded text; undefined if the percent-encoding is invalid. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

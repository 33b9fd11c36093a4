// Formats times as they are stored.

let lastMs = Number.NaN;
let lastText = "";

/**
 * Returns the time in ISO 8601. The last result is cached: many records share a millisecond, and formatting costs as
 * much as checking a message.
 */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

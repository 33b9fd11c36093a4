// Formats times as ISO 8601, the format of times in a store.

let lastMs = Number.NaN;
let lastText = "";

/**
 * Returns the time in ISO 8601. The last result is cached, because many records share a millisecond and formatting
 * takes as long as checking a message.
 */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

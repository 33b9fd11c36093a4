// Times as they are stored.

let lastMs = Number.NaN;
let lastText = "";

/** ISO 8601. Many records share a millisecond, and writing a date costs as much as checking a message. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

// Shared code of the campaigns: number options of the command line, and the progress line.

/** Parses the value of an option as a whole number. */
export function wholeNumber(name: string, text: string | undefined): number {
  const value = Number(text);
  if (text !== undefined && Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError(`--${name} must be a whole number, not "${text}".`);
}

const MIN_INTERVAL_MS = 15_000;
let lastLineTime = -Infinity;

/** Shows a progress line: overwritten in place on a terminal, otherwise printed every 15 seconds. */
export function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
  else if (performance.now() - lastLineTime > MIN_INTERVAL_MS) {
    lastLineTime = performance.now();
    console.error(line);
  }
}

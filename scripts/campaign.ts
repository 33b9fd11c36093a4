// What the long campaigns share: numbers from the command line, and a line that tells how far they are.

/** A whole number that an option says. */
export function wholeNumber(name: string, text: string | undefined): number {
  const value = Number(text);
  if (text !== undefined && Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError(`--${name} must be a whole number, not "${text}".`);
}

const QUIET_MS = 15_000;
let lastLine = -Infinity;

/** One line that changes; where nobody watches, one now and then. */
export function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
  else if (performance.now() - lastLine > QUIET_MS) {
    lastLine = performance.now();
    console.error(line);
  }
}

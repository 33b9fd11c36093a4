// Escapes names for HTTP headers, because header values must be ASCII.

const UNSAFE = /[^!-~]/gu;

/** Percent-encodes all characters of a name except visible ASCII characters. */
export function escapeHeader(name: string): string {
  return name.replace(UNSAFE, (letter) => encodeURIComponent(letter.toWellFormed()));
}

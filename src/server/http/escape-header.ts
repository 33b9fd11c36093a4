// Escapes names for headers, which accept ASCII only.

const UNSAFE = /[^!-~]/gu;

/** Percent-encodes all characters that a header does not accept. */
export function escapeHeader(name: string): string {
  return name.replace(UNSAFE, (letter) => encodeURIComponent(letter.toWellFormed()));
}

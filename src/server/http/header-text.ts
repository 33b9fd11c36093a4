// Names in headers: a name may hold any letter, and a header may not.

const UNSAFE = /[^!-~]/gu;

/** The name, with what a header does not take escaped as in a URL. */
export function headerText(name: string): string {
  return name.replace(UNSAFE, (letter) => encodeURIComponent(letter.toWellFormed()));
}

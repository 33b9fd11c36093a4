// What a soak says and expects to hear: every call has a number, and its answer can be told from it.

const PIECES = 40;

export function questionOf(call: number): string {
  return `Say the litany of call ${call}.`;
}

/** The number of the call that a request is about. */
export function callIn(body: string): number {
  return Number(/litany of call (\d+)\./.exec(body)?.[1] ?? Number.NaN);
}

/** The pieces in which an answer arrives. */
export function piecesOf(call: number): string[] {
  return Array.from({ length: PIECES }, (_, at) => `${call}:${at} the sea, the sea. `);
}

export function answerOf(call: number): string {
  return piecesOf(call).join("");
}

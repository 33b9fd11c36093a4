// The questions and answers of the soak test: every call has a number, which determines its answer.

const ANSWER_DELTAS = 40;

export function createQuestion(call: number): string {
  return `Say the litany of call ${call}.`;
}

/** Returns the number of the call that the body of a request contains; NaN if there is none. */
export function readCallNumber(body: string): number {
  return Number(/litany of call (\d+)\./.exec(body)?.[1] ?? Number.NaN);
}

/** Returns the text deltas of the answer to a call. */
export function createAnswerDeltas(call: number): string[] {
  return Array.from({ length: ANSWER_DELTAS }, (_, at) => `${call}:${at} the sea, the sea. `);
}

export function createAnswer(call: number): string {
  return createAnswerDeltas(call).join("");
}

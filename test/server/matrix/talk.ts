// How a task is played with an SDK that leaves the conversation to its user: ask, answer the calls, ask again.
import type { Call, Counts, Failure, Outcome, Task, Turn } from "./types.ts";

/** A conversation in the words of one SDK. */
export interface Talk {
  /** Asks for the next answer, and takes it into the history. */
  ask(): Promise<Turn>;
  /** Adds what the tools said to the calls of the last answer, in their order. */
  addResults(results: readonly string[]): void;
  addUser(text: string, image?: string): void;
  /** What the SDK says of an error that it threw; undefined where the error is none of its own. */
  explain(error: unknown): Pick<Failure, "isAbort"> & { status?: number | undefined };
}

/** Hears the pieces of a text, so that what had come before a failure is known. */
export class Ear {
  text = "";
  readonly #heard: ((piece: string) => void) | undefined;

  constructor(heard: ((piece: string) => void) | undefined) {
    this.#heard = heard;
  }

  hear(piece: string): void {
    if (piece === "") return;
    this.text += piece;
    this.#heard?.(piece);
  }
}

export async function converse(task: Task, talk: Talk, ear: Ear): Promise<Outcome> {
  const turns: Turn[] = [];
  const later = [...(task.later ?? [])];
  try {
    talk.addUser(task.user, task.image);
    for (;;) {
      ear.text = "";
      const turn = await talk.ask();
      turns.push(turn);
      const { result } = task;
      const next = later[0];
      if (turn.calls.length > 0 && result !== undefined) {
        const results: string[] = [];
        for (const call of turn.calls) results.push(await result(call));
        talk.addResults(results);
      } else if (next !== undefined) talk.addUser(later.shift() ?? "");
      else return { turns };
    }
  } catch (error) {
    return { turns, failure: failureOf(error, talk.explain(error), ear.text) };
  }
}

export function failureOf(error: unknown, said: ReturnType<Talk["explain"]>, text: string): Failure {
  const { status, isAbort } = said;
  const message = error instanceof Error ? error.message : String(error);
  return { ...(status !== undefined && { status }), message, isAbort, text };
}

/** Counts without those that are nothing: some SDKs fill them in. */
export function counts(given: { [Name in keyof Counts]: number | null | undefined }): Counts {
  const { input, output, total, cached, reasoning } = given;
  return {
    input: input ?? 0,
    output: output ?? 0,
    ...(total && { total }),
    ...(cached && { cached }),
    ...(reasoning && { reasoning }),
  };
}

/** A call whose arguments came as a text. */
export function calledWith(name: string, text: string): Call {
  return { name, input: JSON.parse(text) as unknown };
}

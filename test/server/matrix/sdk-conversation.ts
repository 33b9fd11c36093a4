// Plays a task with an SDK that leaves the history to its user: call, add tool results, call again.
import type { Call, Counts, Failure, Outcome, Task, Turn } from "./types.ts";

/** A conversation in the format of one SDK. */
export interface SdkConversation {
  /** Requests the next answer and adds it to the history. */
  requestAnswer(): Promise<Turn>;
  /** Adds the tool results for the calls of the last answer, in order. */
  addResults(results: readonly string[]): void;
  addUser(text: string, image?: string): void;
  /** Describes an error of the SDK; undefined for other errors. */
  explain(error: unknown): Pick<Failure, "isAbort"> & { status?: number | undefined };
}

/** Collects the text so far, for the case of a failure. */
export class TextCollector {
  text = "";
  readonly #onText: ((delta: string) => void) | undefined;

  constructor(onText: ((delta: string) => void) | undefined) {
    this.#onText = onText;
  }

  add(delta: string): void {
    if (delta === "") return;
    this.text += delta;
    this.#onText?.(delta);
  }
}

export async function converse(task: Task, conversation: SdkConversation, collector: TextCollector): Promise<Outcome> {
  const turns: Turn[] = [];
  const later = [...(task.later ?? [])];
  try {
    conversation.addUser(task.user, task.image);
    for (;;) {
      collector.text = "";
      const turn = await conversation.requestAnswer();
      turns.push(turn);
      const { result } = task;
      const next = later[0];
      if (turn.calls.length > 0 && result !== undefined) {
        const results: string[] = [];
        for (const call of turn.calls) results.push(await result(call));
        conversation.addResults(results);
      } else if (next !== undefined) conversation.addUser(later.shift() ?? "");
      else return { turns };
    }
  } catch (error) {
    return { turns, failure: failureOf(error, conversation.explain(error), collector.text) };
  }
}

export function failureOf(error: unknown, explanation: ReturnType<SdkConversation["explain"]>, text: string): Failure {
  const { status, isAbort } = explanation;
  const message = error instanceof Error ? error.message : String(error);
  return { ...(status !== undefined && { status }), message, isAbort, text };
}

/** Returns counts without undefined ones, which some SDKs add. */
export function counts(rawCounts: { [Name in keyof Counts]: number | null | undefined }): Counts {
  const { input, output, total, cached, reasoning } = rawCounts;
  return {
    input: input ?? 0,
    output: output ?? 0,
    ...(total && { total }),
    ...(cached && { cached }),
    ...(reasoning && { reasoning }),
  };
}

/** A call with arguments given as text. */
export function calledWith(name: string, text: string): Call {
  return { name, input: JSON.parse(text) as unknown };
}

// Answers as the UI message stream: one message, named in its first chunk, and ended only when its record is durable.
import type { StreamEncoder, WireEvent } from "../../dialects/index.ts";
import type { Delta } from "../../model/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import type { ModelAnswer } from "../gateway/call.ts";
import { UI } from "./question.ts";

/** What clients of the AI SDK know the stream by. */
export const UI_STREAM = { "x-vercel-ai-ui-message-stream": "v1" } as const;

/** Deltas of a run to chunks of one UI message. */
export class UiMessageWriter {
  readonly #encoder: StreamEncoder = UI.streamEncoder();
  readonly #messageId: string;

  constructor(messageId: string) {
    this.#messageId = messageId;
  }

  get losses(): StreamEncoder["losses"] {
    return this.#encoder.losses;
  }

  write(deltas: readonly Delta[]): WireEvent[] {
    return deltas.flatMap((delta) => this.#encoder.push(delta.kind === "start" ? this.#named(delta) : delta));
  }

  end(): WireEvent[] {
    return this.#encoder.end();
  }

  #named(delta: Extract<Delta, { kind: "start" }>): Delta {
    const { payload } = delta;
    return { ...delta, payload: { ...payload, message: { ...payload.message, id: this.#messageId } } };
  }
}

type Chunks = AsyncGenerator<readonly JsonEvent[], void, void>;

/**
 * The chunks of an answer, a batch per read. A reader that leaves does not end a recorded run, also where it leaves before
 * it has read anything: a generator that was not begun would know nothing of it.
 */
export function uiEvents(answer: ModelAnswer, messageId: string): AsyncIterableIterator<readonly JsonEvent[], void> {
  const chunks = chunksOf(answer, messageId);
  let isBegun = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      isBegun = true;
      return chunks.next();
    },
    return() {
      if (!isBegun) answer.drain();
      return chunks.return();
    },
  };
}

async function* chunksOf(answer: ModelAnswer, messageId: string): Chunks {
  const writer = new UiMessageWriter(messageId);
  try {
    for (;;) {
      let last: readonly Delta[] | undefined;
      let closing: readonly JsonEvent[] = [];
      const batch = await answer.next((deltas) => {
        last = deltas;
        closing = [...writer.write(deltas), ...writer.end()];
        return writer.losses;
      });
      if (batch === undefined) return;
      if (last === undefined) {
        yield writer.write(batch);
        continue;
      }
      const end = batch.at(-1);
      // The answer was whole, but could not be recorded: it is told as a failure.
      if (end?.kind === "error" && last.at(-1)?.kind !== "error") {
        closing = [{ data: { type: "error", errorText: end.payload.message ?? end.payload.errorCode } }, DONE];
      }
      yield closing;
      return;
    }
  } finally {
    answer.drain();
  }
}

const DONE: JsonEvent = { data: "[DONE]" };

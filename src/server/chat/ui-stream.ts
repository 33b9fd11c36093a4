// Encodes an answer as the AI SDK's UI message stream. The first chunk contains the message id, and the last chunk is
// sent only after the answer has been recorded.
import type { StreamEncoder, WireEvent } from "../../dialects/index.ts";
import type { Delta } from "../../model/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import type { ModelAnswer } from "../gateway/call-model.ts";
import { UI_DIALECT } from "./chat-request.ts";

/** The header by which AI SDK clients recognize the stream. */
export const UI_STREAM_HEADERS = { "x-vercel-ai-ui-message-stream": "v1" } as const;

/** Encodes the deltas of a run as chunks of one UI message with the given id. */
export class UiMessageWriter {
  readonly #encoder: StreamEncoder = UI_DIALECT.streamEncoder();
  readonly #messageId: string;

  constructor(messageId: string) {
    this.#messageId = messageId;
  }

  get losses(): StreamEncoder["losses"] {
    return this.#encoder.losses;
  }

  write(deltas: readonly Delta[]): WireEvent[] {
    return deltas.flatMap((delta) => this.#encoder.push(delta.kind === "start" ? this.#withMessageId(delta) : delta));
  }

  end(): WireEvent[] {
    return this.#encoder.end();
  }

  #withMessageId(delta: Extract<Delta, { kind: "start" }>): Delta {
    const { payload } = delta;
    return { ...delta, payload: { ...payload, message: { ...payload.message, id: this.#messageId } } };
  }
}

type UiChunks = AsyncGenerator<readonly JsonEvent[], void, void>;

/**
 * Returns an iterator over the chunks of an answer, in batches. If the client disconnects, `drain` completes a recorded
 * run. The generator is wrapped, because `return` of a generator that was never started does not run its `finally`.
 */
export function toUiEvents(answer: ModelAnswer, messageId: string): AsyncIterableIterator<readonly JsonEvent[], void> {
  const chunks = generateChunks(answer, messageId);
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

async function* generateChunks(answer: ModelAnswer, messageId: string): UiChunks {
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
      // `last` is the model's last batch, and `batch` replaces it if recording fails. If only `batch` ends with an
      // error, the answer was complete but could not be recorded, so the stream ends with that error.
      if (end?.kind === "error" && last.at(-1)?.kind !== "error") {
        closing = [{ data: { type: "error", errorText: end.payload.message ?? end.payload.errorCode } }, DONE_EVENT];
      }
      yield closing;
      return;
    }
  } finally {
    answer.drain();
  }
}

const DONE_EVENT: JsonEvent = { data: "[DONE]" };

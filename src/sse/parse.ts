// Bytes → server-sent events. Owns decoding and the end of the stream; eventsource-parser owns the line grammar.
// What the data means (JSON, "[DONE]", a truncated answer) belongs to the dialects.

import { createParser } from "eventsource-parser";
import { SseError, type SseEvent } from "./event.ts";

/**
 * Reads one event stream from chunks cut anywhere. Comments and unknown fields are skipped, malformed UTF-8 becomes
 * U+FFFD, and no input throws. A parser is for one stream: `push` after `end` throws `SseError` "ended".
 */
export class SseParser {
  // The standard strips one byte order mark. The line parser does it, so the decoder must not strip another.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #events: SseEvent[] = [];
  // The line parser reports `retry` on its own, before the event it stands in. A block without data has no event,
  // so its `retry` waits for the next one.
  #retry: number | undefined;
  #ended = false;

  readonly #lines = createParser({
    onEvent: ({ data, event, id }) => {
      const parsed: SseEvent = { data };
      if (event !== undefined) parsed.event = event;
      if (id !== undefined) parsed.id = id;
      if (this.#retry !== undefined) {
        parsed.retry = this.#retry;
        this.#retry = undefined;
      }
      this.#events.push(parsed);
    },
    onRetry: (milliseconds) => {
      // Any number of digits is legal on the wire; one that is no exact number is ignored like other bad values.
      if (Number.isSafeInteger(milliseconds)) this.#retry = milliseconds;
    },
  });

  /** Takes the next bytes or text of the stream and returns the events that are complete now. */
  push(chunk: Uint8Array | string): SseEvent[] {
    if (this.#ended) {
      throw new SseError(
        "ended",
        "SseParser.push after end: a parser reads one stream. Create a new one for the next.",
      );
    }
    if (typeof chunk === "string") {
      // Text cannot complete a character that bytes began.
      this.#lines.feed(this.#decoder.decode());
      this.#lines.feed(chunk);
    } else {
      this.#lines.feed(this.#decoder.decode(chunk, { stream: true }));
    }
    return this.#take();
  }

  /** Ends the stream and returns the last event if the stream stopped before its blank line (B68). */
  end(): SseEvent[] {
    if (this.#ended) return [];
    this.#ended = true;
    this.#lines.feed(this.#decoder.decode());
    // One break ends the open line (or pairs with a CR already seen), the other one is the missing blank line.
    this.#lines.feed("\n\n");
    return this.#take();
  }

  #take(): SseEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

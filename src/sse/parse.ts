// Parses bytes into server-sent events. eventsource-parser implements the line grammar; this file adds the decoding of
// bytes and the end of the stream. The dialects interpret the data.

import { ArgumentError } from "../model/argument-error.ts";
import { createParser } from "eventsource-parser";
import { SseError, type SseEvent } from "./event.ts";

/**
 * Parses one event stream from chunks that can be cut anywhere. Comments and unknown fields are skipped, malformed
 * UTF-8 becomes U+FFFD, and no input throws. A parser is for one stream: `push` after `end` throws an `SseError`
 * "ended".
 *
 * @example
 * ```ts
 * import { SseParser } from "koine";
 *
 * const parser = new SseParser();
 * console.log(parser.push("data: hel")); // []
 * console.log(parser.push("lo\n\n")); // [{"data":"hello"}]
 * ```
 */
export class SseParser {
  // The parser `#lines` strips the byte order mark, as the standard requires, so the decoder must not strip one, too.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #events: SseEvent[] = [];
  // The value of the last `retry:` line that no returned event has yet. `#lines` calls onRetry for that line, and then
  // onEvent for the event with the line, unless that event has no data: the value then goes to the next event with
  // data.
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
      // The standard allows any number of digits. A value that is not a safe integer is ignored, like a value that is
      // not a number.
      if (Number.isSafeInteger(milliseconds)) this.#retry = milliseconds;
    },
  });

  /** Adds the next chunk and returns the events that are complete. */
  push(chunk: Uint8Array | string): SseEvent[] {
    if (this.#ended) {
      throw new SseError(
        "ended",
        "SseParser.push was called after end. A parser reads one stream; create a new parser for the next stream.",
      );
    }
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) {
      throw new ArgumentError("SseParser.push", "chunk", "bytes or a string", chunk);
    }
    if (typeof chunk === "string") {
      // The decoder is flushed, because a text chunk cannot complete a character that a byte chunk began.
      this.#lines.feed(this.#decoder.decode());
      this.#lines.feed(chunk);
    } else {
      this.#lines.feed(this.#decoder.decode(chunk, { stream: true }));
    }
    return this.#take();
  }

  /** Ends the stream; returns the last event if only its final blank line is missing (B68). */
  end(): SseEvent[] {
    if (this.#ended) return [];
    this.#ended = true;
    this.#lines.feed(this.#decoder.decode());
    // The first line break ends the last line, or is the LF of a CR LF whose CR was the last character; the second is
    // the missing blank line.
    this.#lines.feed("\n\n");
    return this.#take();
  }

  #take(): SseEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

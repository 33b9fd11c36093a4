// Splits the bytes of a streamed reply into events: server-sent events, or JSON (B74: one body, a list as Gemini sends
// it without `alt=sse`, or one value per line).
import type { Delta } from "../model/delta.ts";
import { JsonError } from "../model/errors.ts";
import { truncateText } from "../model/validation/issue.ts";
import { parseJson } from "../model/json/index.ts";
import { SseParser } from "../sse/parse.ts";
import type { EventDecoder, Frame, FrameReader } from "./dialect.ts";
import { DialectError } from "./errors.ts";
import { JsonObjectSplitter } from "./json-values.ts";

const FIRST_VISIBLE_CHARACTER = /[^\s\uFEFF]/;

/** Reads a streamed reply and detects its format, server-sent events or JSON, from the first character. */
export class TextFrameReader implements FrameReader {
  #reader: FrameReader | undefined;
  /** The chunks that arrived before the first visible character. They are passed to the reader when it is created. */
  readonly #before: (Uint8Array | string)[] = [];
  readonly #decoder = new TextDecoder();

  push(chunk: Uint8Array | string): Frame[] {
    return this.#reader === undefined ? this.#begin(chunk) : this.#reader.push(chunk);
  }

  /**
   * Creates the reader once there is a character that is neither white space nor a byte order mark, because that
   * character determines the format. Returns the events of all chunks so far.
   */
  #begin(chunk: Uint8Array | string): Frame[] {
    this.#before.push(chunk);
    const sign = FIRST_VISIBLE_CHARACTER.exec(decodeChunk(chunk, this.#decoder))?.[0];
    if (sign === undefined) return [];
    const reader = sign === "{" || sign === "[" ? new JsonFrameReader() : new SseParser();
    this.#reader = reader;
    return this.#before.flatMap((each): Frame[] => reader.push(each));
  }

  end(): Frame[] {
    return this.#reader?.end() ?? [];
  }
}

/**
 * Reads a reply that consists of JSON objects: returns each complete object as an event, and skips the separators
 * between the objects.
 */
class JsonFrameReader implements FrameReader {
  readonly #values = new JsonObjectSplitter();
  readonly #decoder = new TextDecoder();

  push(chunk: Uint8Array | string): Frame[] {
    return this.#values.push(decodeChunk(chunk, this.#decoder)).map(toFrame);
  }

  end(): Frame[] {
    return [];
  }
}

/**
 * Decodes the complete characters of a chunk. A text chunk cannot complete a character that a byte chunk began, so
 * such a character is flushed before the text.
 */
function decodeChunk(chunk: Uint8Array | string, decoder: TextDecoder): string {
  return typeof chunk === "string" ? decoder.decode() + chunk : decoder.decode(chunk, { stream: true });
}

function toFrame(data: string): Frame {
  return { data };
}

/** Parses the data of an event if it is JSON text. Returns "[DONE]" and data that is already parsed unchanged. */
export function parseEventData(data: unknown): unknown {
  return typeof data === "string" && data !== "[DONE]" ? parseJson(data) : data;
}

/**
 * Decodes a stream from bytes or text. At an event that cannot be read, the answer ends with an error delta, after the
 * deltas of the events before it.
 */
export class ByteStreamDecoder {
  readonly #decoder: EventDecoder;
  readonly #frames: FrameReader;
  #isBroken = false;

  constructor(decoder: EventDecoder, frames: FrameReader = new TextFrameReader()) {
    this.#decoder = decoder;
    this.#frames = frames;
  }

  push(chunk: Uint8Array | string): Delta[] {
    return this.#read(this.#frames.push(chunk), (data) => this.#decoder.end(createUnreadableEventError(data)));
  }

  /**
   * Ends the stream. If the rest of the input is an event that cannot be read, the stream was cut off within that
   * event, so the event is ignored.
   */
  end(): Delta[] {
    return this.#read(this.#frames.end(), () => []);
  }

  #read(frames: readonly Frame[], fail: (data: unknown) => Delta[]): Delta[] {
    const deltas: Delta[] = [];
    for (const { data, event } of frames) {
      if (this.#isBroken) break;
      let decoded: readonly Delta[];
      try {
        decoded = this.#decoder.push(parseEventData(data), event);
      } catch (error) {
        // The error becomes a delta, because an exception would discard the deltas of earlier events in this chunk.
        if (!(error instanceof JsonError || error instanceof DialectError)) throw error;
        this.#isBroken = true;
        decoded = fail(data);
      }
      for (const delta of decoded) deltas.push(delta);
    }
    return deltas;
  }
}

function createUnreadableEventError(data: unknown): Delta {
  return {
    kind: "error",
    payload: {
      errorCode: "server",
      message: `The stream contains an event that cannot be read: ${truncateText(String(data))}`,
      retryable: true,
      raw: data,
    },
  };
}

// Bytes → the events of a stream. Server-sent events are the rule; a reply that is JSON instead (B74: one body, a list
// as Gemini sends without `alt=sse`, or a value per line) is cut into its values as they arrive.
import type { Delta } from "../model/delta.ts";
import { JsonError } from "../model/errors.ts";
import { clip } from "../model/issue.ts";
import { parseJson } from "../model/json.ts";
import { SseParser } from "../sse/parse.ts";
import type { EventDecoder, Frame, FrameReader } from "./dialect.ts";
import { DialectError } from "./errors.ts";
import { JsonValues } from "./json-values.ts";

const FIRST_SIGN = /[^\s\uFEFF]/;

/** Reads what a provider answers to a request for a stream, whatever it turns out to be. */
export class TextFrames implements FrameReader {
  #reader: FrameReader | undefined;
  /** What came before the first sign that tells which it is, and the decoder that looks for it. */
  readonly #before: (Uint8Array | string)[] = [];
  readonly #decoder = new TextDecoder();

  push(chunk: Uint8Array | string): Frame[] {
    return this.#reader === undefined ? this.#begin(chunk) : this.#reader.push(chunk);
  }

  /** The first sign that is no space tells which it is; spaces and a byte order mark before it say nothing. */
  #begin(chunk: Uint8Array | string): Frame[] {
    this.#before.push(chunk);
    const sign = FIRST_SIGN.exec(textOf(chunk, this.#decoder))?.[0];
    if (sign === undefined) return [];
    const reader = sign === "{" || sign === "[" ? new JsonFrames() : new SseParser();
    this.#reader = reader;
    return this.#before.flatMap((each): Frame[] => reader.push(each));
  }

  end(): Frame[] {
    return this.#reader?.end() ?? [];
  }
}

/** Whole values, whatever stands between them. */
class JsonFrames implements FrameReader {
  readonly #values = new JsonValues();
  readonly #decoder = new TextDecoder();

  push(chunk: Uint8Array | string): Frame[] {
    return this.#values.push(textOf(chunk, this.#decoder)).map(frameOf);
  }

  end(): Frame[] {
    return [];
  }
}

/** The characters that are complete now; text cannot complete one that bytes began. */
function textOf(chunk: Uint8Array | string, decoder: TextDecoder): string {
  return typeof chunk === "string" ? decoder.decode() + chunk : decoder.decode(chunk, { stream: true });
}

function frameOf(data: string): Frame {
  return { data };
}

/** What the data of an event says; "[DONE]" is no JSON. */
export function readData(data: unknown): unknown {
  return typeof data === "string" && data !== "[DONE]" ? parseJson(data) : data;
}

/** Feeds a decoder with bytes. An event that cannot be read ends the answer; what came before it has been said. */
export class ByteFeed {
  readonly #decoder: EventDecoder;
  readonly #frames: FrameReader;
  #isBroken = false;

  constructor(decoder: EventDecoder, frames: FrameReader = new TextFrames()) {
    this.#decoder = decoder;
    this.#frames = frames;
  }

  push(chunk: Uint8Array | string): Delta[] {
    return this.#read(this.#frames.push(chunk), (data) => this.#decoder.end(broken(data)));
  }

  /** The last event may have been cut off with its stream: what cannot be read then was never said. */
  end(): Delta[] {
    return this.#read(this.#frames.end(), () => []);
  }

  #read(frames: readonly Frame[], fail: (data: unknown) => Delta[]): Delta[] {
    const deltas: Delta[] = [];
    for (const { data, event } of frames) {
      if (this.#isBroken) break;
      let said: readonly Delta[];
      try {
        said = this.#decoder.push(readData(data), event);
      } catch (error) {
        // No JSON, or nothing that the dialect could read: thrown from here, it would take along what came with it.
        if (!(error instanceof JsonError || error instanceof DialectError)) throw error;
        this.#isBroken = true;
        said = fail(data);
      }
      for (const delta of said) deltas.push(delta);
    }
    return deltas;
  }
}

function broken(data: unknown): Delta {
  return {
    kind: "error",
    payload: {
      errorCode: "server",
      message: `The stream holds an event that cannot be read: ${clip(String(data))}`,
      retryable: true,
      raw: data,
    },
  };
}

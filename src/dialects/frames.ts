// Bytes → the events of a stream. Server-sent events are the rule; a reply that is JSON instead (B74: one body, a list
// as Gemini sends without `alt=sse`, or a value per line) is cut into its values as they arrive.
import type { Delta } from "../model/delta.ts";
import { JsonError } from "../model/errors.ts";
import { clip } from "../model/issue.ts";
import { parseJson } from "../model/json.ts";
import { SseParser } from "../sse/parse.ts";
import type { EventDecoder, Frame, FrameReader } from "./dialect.ts";
import { JsonValues } from "./json-values.ts";

const FIRST_SIGN = /[^\s\uFEFF]/;

/** Reads what a provider answers to a request for a stream, whatever it turns out to be. */
class TextFrames implements FrameReader {
  private events: SseParser | undefined;
  private values: JsonValues | undefined;
  private readonly decoder = new TextDecoder();

  push(chunk: Uint8Array | string): Frame[] {
    if (this.events === undefined && this.values === undefined) this.begin(chunk);
    if (this.events !== undefined) return this.events.push(chunk);
    // Text cannot complete a character that bytes began.
    const text =
      typeof chunk === "string" ? this.decoder.decode() + chunk : this.decoder.decode(chunk, { stream: true });
    return this.values?.push(text).map(frameOf) ?? [];
  }

  /** The first sign that is no space tells which it is; spaces and a byte order mark before it say nothing. */
  private begin(chunk: Uint8Array | string): void {
    const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk.subarray(0, 64));
    const sign = FIRST_SIGN.exec(text)?.[0];
    if (sign === "{" || sign === "[") this.values = new JsonValues();
    else if (sign !== undefined) this.events = new SseParser();
  }

  end(): Frame[] {
    return this.events?.end() ?? [];
  }
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
  private readonly decoder: EventDecoder;
  private readonly frames: FrameReader;
  private isBroken = false;

  constructor(decoder: EventDecoder, frames: FrameReader = new TextFrames()) {
    this.decoder = decoder;
    this.frames = frames;
  }

  push(chunk: Uint8Array | string): Delta[] {
    return this.read(this.frames.push(chunk), (data) => this.decoder.end(broken(data)));
  }

  /** The last event may have been cut off with its stream: what cannot be read then was never said. */
  end(): Delta[] {
    return this.read(this.frames.end(), () => []);
  }

  private read(frames: readonly Frame[], fail: (data: unknown) => Delta[]): Delta[] {
    const deltas: Delta[] = [];
    for (const { data, event } of frames) {
      if (this.isBroken) break;
      let said: unknown;
      try {
        said = readData(data);
      } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        this.isBroken = true;
        for (const delta of fail(data)) deltas.push(delta);
        break;
      }
      for (const delta of this.decoder.push(said, event)) deltas.push(delta);
    }
    return deltas;
  }
}

function broken(data: unknown): Delta {
  return {
    kind: "error",
    payload: {
      errorCode: "server",
      message: `The stream holds an event that is no JSON: ${clip(String(data))}`,
      retryable: true,
      raw: data,
    },
  };
}

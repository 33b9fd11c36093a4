// Transcodes a stream from one dialect to another. Each input chunk is converted synchronously into one output chunk;
// the caller reads the input, writes the output and applies backpressure.
import type { Delta } from "../model/delta.ts";
import type { Loss } from "../model/loss.ts";
import type { Dialect, DecodeReplyOptions, EncodeStreamOptions, WireEvent } from "./dialect.ts";
import type { DialectLike } from "./translate.ts";
import { resolveDialect } from "./translate.ts";

/** Options of `transcode`. */
export type TranscodeOptions = DecodeReplyOptions & EncodeStreamOptions;

/** A chunk of output: bytes if the target dialect has binary frames, else text. */
export type WireChunk = string | Uint8Array;

/** Converts one stream between two dialects. */
export interface Transcoder {
  /** Adds the next chunk of input, cut anywhere, and returns the output for it; "" if no event is complete yet. */
  push(chunk: Uint8Array | string): WireChunk;
  /** Ends the input and returns the rest of the output, which contains an error event if the input was truncated. */
  end(): WireChunk;
  /** The losses so far. Their paths are JSON pointers into the assembled response. */
  readonly losses: Loss[];
}

/**
 * Creates a transcoder for one stream.
 *
 * @example
 * ```ts
 * import { transcode } from "koine";
 *
 * const upstream = ['data: {"candidates":[{"content":{"parts":[{"text":"Hel', 'lo"}]},"finishReason":"STOP"}]}\n\n'];
 * const transcoder = transcode("gemini", "openai-chat");
 * let written = "";
 * for (const chunk of upstream) written += transcoder.push(chunk);
 * written += transcoder.end();
 * console.log(written.includes('"content":"Hello"')); // true
 * console.log(written.endsWith("data: [DONE]\n\n")); // true
 * ```
 */
export function transcode(from: DialectLike, to: DialectLike, options: TranscodeOptions = {}): Transcoder {
  const target = resolveDialect(to);
  const decoder = resolveDialect(from).streamDecoder(options);
  const encoder = target.streamEncoder({ includeUsage: true, ...options });
  const output = new TranscodeOutput(target);
  const write = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) output.write(encoder.push(delta));
  };
  return {
    push(chunk) {
      write(decoder.push(chunk));
      return output.take();
    },
    end() {
      write(decoder.end());
      output.write(encoder.end());
      return output.take();
    },
    losses: encoder.losses,
  };
}

/**
 * Creates a `TransformStream` that transcodes the bytes of one stream, for `fetch` bodies and other web streams. Web
 * streams cost about twice the CPU of `transcode`; use `transcode` where throughput matters.
 *
 * @example
 * ```ts
 * import { transcodeStream } from "koine";
 *
 * const event = '{"candidates":[{"content":{"parts":[{"text":"Hello"}]},"finishReason":"STOP"}]}';
 * const upstream = new Response(`data: ${event}\n\n`);
 * const body = upstream.body?.pipeThrough(transcodeStream("gemini", "openai-chat"));
 * const reply = new Response(body ?? null, { headers: { "content-type": "text/event-stream" } });
 * console.log((await reply.text()).includes('"content":"Hello"')); // true
 * ```
 */
export function transcodeStream(
  from: DialectLike,
  to: DialectLike,
  options: TranscodeOptions = {},
): TransformStream<Uint8Array | string, Uint8Array<ArrayBuffer>> & Pick<Transcoder, "losses"> {
  const transcoder = transcode(from, to, options);
  const encoder = new TextEncoder();
  const enqueue = (chunk: WireChunk, controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>): void => {
    if (chunk.length > 0) controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : new Uint8Array(chunk));
  };
  const stream = new TransformStream<Uint8Array | string, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => enqueue(transcoder.push(chunk), controller),
    flush: (controller) => enqueue(transcoder.end(), controller),
  });
  return Object.assign(stream, { losses: transcoder.losses });
}

/** Formats the events of a transcoder and collects them until `take` returns them. */
class TranscodeOutput {
  readonly #target: Dialect;
  #text = "";
  #pieces: Uint8Array[] = [];

  constructor(target: Dialect) {
    this.#target = target;
  }

  write(events: readonly WireEvent[]): void {
    for (const event of events) {
      const chunk = this.#target.formatEvent(event);
      if (typeof chunk === "string") this.#text += chunk;
      else this.#pieces.push(chunk);
    }
  }

  take(): WireChunk {
    const text = this.#text;
    const chunks = this.#pieces;
    this.#text = "";
    if (chunks.length === 0) return text;
    this.#pieces = [];
    return concat(chunks);
  }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

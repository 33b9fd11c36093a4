// A stream of one dialect to the stream of another, bytes in and text out: one pass, one piece of output for each piece
// of input, nothing awaited. Whoever reads and writes the sockets keeps the pace.
import type { Delta } from "../model/delta.ts";
import type { Loss } from "../model/loss.ts";
import type { Dialect, DecodeReplyOptions, EncodeStreamOptions, WireEvent } from "./dialect.ts";
import type { DialectLike } from "./translate.ts";
import { resolveDialect } from "./translate.ts";

export type TranscodeOptions = DecodeReplyOptions & EncodeStreamOptions;

/** What goes over the wire: text, or bytes where a dialect's frames are binary. */
export type WireChunk = string | Uint8Array;

export interface Transcoder {
  /** The next bytes of the stream, cut anywhere, to all that can be said now; "" where that is nothing. */
  push(chunk: Uint8Array | string): WireChunk;
  /** The input has ended: what is left to say. A stream that broke off ends in the target's failure event. */
  end(): WireChunk;
  /** The losses so far; paths point into the assembled response. */
  readonly losses: Loss[];
}

/** Makes a transcoder for one stream. */
export function transcode(from: DialectLike, to: DialectLike, options: TranscodeOptions = {}): Transcoder {
  const target = resolveDialect(to);
  const decoder = resolveDialect(from).streamDecoder(options);
  const encoder = target.streamEncoder({ includeUsage: true, ...options });
  const output = new Output(target);
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

/** What has been written since it was last taken. */
class Output {
  readonly #target: Dialect;
  #text = "";
  #pieces: Uint8Array[] = [];

  constructor(target: Dialect) {
    this.#target = target;
  }

  write(events: readonly WireEvent[]): void {
    for (const event of events) {
      const piece = this.#target.formatEvent(event);
      if (typeof piece === "string") this.#text += piece;
      else this.#pieces.push(piece);
    }
  }

  take(): WireChunk {
    const text = this.#text;
    const pieces = this.#pieces;
    this.#text = "";
    if (pieces.length === 0) return text;
    this.#pieces = [];
    return concat(pieces);
  }
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

// Streams that are silent are kept alive, all of them by one timer: it only looks which of them said nothing since it
// last went off.
import type { Sink } from "../types.ts";

interface Pulse {
  /** Something was written. */
  touch(): void;
  end(): void;
}

interface Beating {
  sink: Sink;
  beat: string;
  isSilent: boolean;
}

export class Heartbeats {
  readonly #everyMs: number;
  readonly #streams = new Set<Beating>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** No stream is silent for longer. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  begin(sink: Sink, beat: string): Pulse {
    const stream: Beating = { sink, beat, isSilent: false };
    this.#streams.add(stream);
    this.#timer ??= setInterval(this.#look, Math.max(1, this.#everyMs / 2)).unref();
    return {
      touch: () => {
        stream.isSilent = false;
      },
      end: () => {
        this.#streams.delete(stream);
      },
    };
  }

  readonly #look = (): void => {
    // Streams come and go faster than it goes off.
    if (this.#streams.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const stream of this.#streams) {
      // Nobody waits for it: a reader that takes nothing is cut off by its sink.
      if (stream.isSilent && !stream.sink.closed && stream.sink.blocked !== true) void stream.sink.write(stream.beat);
      stream.isSilent = true;
    }
  };
}

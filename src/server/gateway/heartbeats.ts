// Writes heartbeats to silent streams, with one timer for all of them: each tick writes to the streams that were silent
// since the last one.
import type { Sink } from "../types.ts";

interface HeartbeatHandle {
  /** Notes that the stream has written something. */
  touch(): void;
  end(): void;
}

interface HeartbeatStream {
  sink: Sink;
  text: string;
  isSilent: boolean;
}

export class Heartbeats {
  readonly #everyMs: number;
  readonly #streams = new Set<HeartbeatStream>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `everyMs`: the longest silence of a stream. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  start(sink: Sink, text: string): HeartbeatHandle {
    const stream: HeartbeatStream = { sink, text, isSilent: false };
    this.#streams.add(stream);
    this.#timer ??= setInterval(this.#tick, Math.max(1, this.#everyMs / 2)).unref();
    return {
      touch: () => {
        stream.isSilent = false;
      },
      end: () => {
        this.#streams.delete(stream);
      },
    };
  }

  readonly #tick = (): void => {
    // The timer stops at the next tick, not with the last stream, because streams come and go faster than ticks.
    if (this.#streams.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const stream of this.#streams) {
      // Not awaited: the sink cuts off a reader that stops reading.
      if (stream.isSilent && !stream.sink.closed && stream.sink.blocked !== true) void stream.sink.write(stream.text);
      stream.isSilent = true;
    }
  };
}

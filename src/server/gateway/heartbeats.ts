// Writes heartbeats to streams. All streams share one timer; each tick writes to the streams that have written nothing
// since the previous tick.
import type { Sink } from "../types.ts";

interface HeartbeatHandle {
  /** Records that the stream has written a chunk, so that the next tick writes no heartbeat. */
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

  /** Creates the heartbeats. `everyMs` is the maximum time in milliseconds between two writes of a stream. */
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
    // The timer is stopped here and not when the last stream ends, because a new stream often starts before the next
    // tick.
    if (this.#streams.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const stream of this.#streams) {
      // The write is not awaited, because the sink itself closes the connection if the client stops reading.
      if (stream.isSilent && !stream.sink.closed && stream.sink.blocked !== true) void stream.sink.write(stream.text);
      stream.isSilent = true;
    }
  };
}

// Replies that are streams of server-sent events: written as they come, kept alive while they are silent, and ended when
// the reader leaves or the server shuts down.
import { formatSse, formatSseComment } from "../../sse/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import type { Reply, ServerRequest, Services, Sink } from "../types.ts";

/** What a source gives: one event, or several that go out in one write. */
export type SseBatch = JsonEvent | readonly JsonEvent[];

export interface SseOptions {
  headers?: Record<string, string>;
  /** What is sent between events while nothing happens; default: a comment. */
  heartbeat?: () => string;
  /** Written at the beginning, before the first event. */
  opening?: string;
  /** Says in the stream why it ends, where its source fails. Without it the connection is cut, and readers try again. */
  failure?: (error: unknown) => JsonEvent | undefined;
}

const HEARTBEAT = formatSseComment("keep-alive");

/**
 * `source` is called when the reply begins; its signal is aborted when nobody reads any more, and when the server begins
 * to shut down: an event stream is resumed elsewhere. A source that ends closes the stream.
 */
export function sse(
  services: Pick<Services, "config" | "draining">,
  request: Pick<ServerRequest, "signal">,
  source: (signal: AbortSignal) => AsyncIterable<SseBatch>,
  options: SseOptions = {},
): Reply {
  const { heartbeat = () => HEARTBEAT, opening, failure } = options;
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      // Proxies that collect replies would hold events back.
      "x-accel-buffering": "no",
      ...options.headers,
    },
    async body(sink) {
      const end = AbortSignal.any([request.signal, services.draining]);
      if (opening !== undefined) await sink.write(opening);
      const timer = new Heartbeat(sink, heartbeat, services.config.heartbeatMs);
      try {
        await copy(source(end), sink, end, timer);
      } catch (error) {
        if (end.aborted) return;
        const last = failure?.(error);
        if (last === undefined) throw error;
        await sink.write(formatSse(last));
      } finally {
        timer.stop();
      }
    },
  };
}

async function copy(
  source: AsyncIterable<SseBatch>,
  sink: Sink,
  end: AbortSignal,
  heartbeat: Heartbeat,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  // A source that is slow to hear of the end is not waited for.
  let stop: (() => void) | undefined;
  const ended = (): void => stop?.();
  end.addEventListener("abort", ended, { once: true });
  try {
    while (!end.aborted && !sink.closed) {
      const result = await new Promise<IteratorResult<SseBatch> | undefined>((resolve, reject) => {
        stop = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (result === undefined || result.done === true) return;
      const text = formatBatch(result.value);
      heartbeat.wrote();
      if (text !== "") await sink.write(text);
    }
  } finally {
    end.removeEventListener("abort", ended);
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

function formatBatch(batch: SseBatch): string {
  return "data" in batch ? formatSse(batch) : batch.map(formatSse).join("");
}

/** Writes a sign of life whenever nothing else was written for a while. */
class Heartbeat {
  readonly #timer: NodeJS.Timeout;
  #silent = true;

  constructor(sink: Sink, text: () => string, everyMs: number) {
    this.#timer = setInterval(() => {
      // Nothing is awaited: where the reader is slow, the next write waits.
      if (this.#silent && sink.blocked !== true) void sink.write(text());
      this.#silent = true;
    }, everyMs);
  }

  wrote(): void {
    this.#silent = false;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

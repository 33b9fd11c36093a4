// Creates replies that stream server-sent events, with heartbeats. A stream ends when its source ends, the client
// disconnects, or the server shuts down.
import { formatSse, formatSseComment } from "../../sse/index.ts";
import type { JsonEvent } from "../../sse/index.ts";
import type { ServerReply, ServerRequest, Services, Sink } from "../types.ts";

/** One event, or several events that are sent in one write. */
export type SseBatch = JsonEvent | readonly JsonEvent[];

export interface SseOptions {
  headers?: Record<string, string>;
  /** Returns the text that is sent after an interval without events. Default: an SSE comment. */
  heartbeat?: () => string;
  /** The text that is sent before the first event. */
  opening?: string;
  /**
   * Creates the last event if the source fails. Without this function, or if it returns undefined, the connection is
   * closed, so that the client reconnects.
   */
  failure?: (error: unknown) => JsonEvent | undefined;
}

const HEARTBEAT = formatSseComment("keep-alive");

/**
 * Creates a reply that streams the events of `source`, which is called when the reply starts. The signal that `source`
 * receives is aborted when the client disconnects or shutdown begins. After a shutdown, the client can resume on
 * another instance.
 */
export function createSseReply(
  services: Pick<Services, "config" | "draining">,
  request: Pick<ServerRequest, "signal">,
  source: (signal: AbortSignal) => AsyncIterable<SseBatch>,
  options: SseOptions = {},
): ServerReply {
  const { heartbeat = () => HEARTBEAT, opening, failure } = options;
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      // Stops proxies such as nginx from buffering events.
      "x-accel-buffering": "no",
      ...options.headers,
    },
    async body(sink) {
      const end = AbortSignal.any([request.signal, services.draining]);
      if (opening !== undefined) await sink.write(opening);
      const timer = new SseHeartbeat(sink, heartbeat, services.config.heartbeatMs);
      try {
        await writeEvents(source(end), sink, end, timer);
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

async function writeEvents(
  source: AsyncIterable<SseBatch>,
  sink: Sink,
  end: AbortSignal,
  heartbeat: SseHeartbeat,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  // Ends the wait for the source's next event, so that the loop ends when `end` is aborted.
  let stop: (() => void) | undefined;
  const onAbort = (): void => stop?.();
  end.addEventListener("abort", onAbort, { once: true });
  try {
    while (!end.aborted && !sink.closed) {
      const result = await new Promise<IteratorResult<SseBatch> | undefined>((resolve, reject) => {
        stop = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (result === undefined || result.done === true) return;
      const text = formatBatch(result.value);
      heartbeat.noteWrite();
      if (text !== "") await sink.write(text);
    }
  } finally {
    end.removeEventListener("abort", onAbort);
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

function formatBatch(batch: SseBatch): string {
  return "data" in batch ? formatSse(batch) : batch.map(formatSse).join("");
}

/** Writes a heartbeat at the end of every interval in which nothing was written. */
class SseHeartbeat {
  readonly #timer: NodeJS.Timeout;
  #isSilent = true;

  constructor(sink: Sink, text: () => string, everyMs: number) {
    this.#timer = setInterval(() => {
      // The write is not awaited, because the write of the next event waits if the client reads slowly.
      if (this.#isSilent && sink.blocked !== true) void sink.write(text());
      this.#isSilent = true;
    }, everyMs);
  }

  noteWrite(): void {
    this.#isSilent = false;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

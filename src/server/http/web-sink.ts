// The sink of a streamed reply of the fetch API: writers wait for a slow reader, and a stalled reader is cut off.
import { ServerError } from "../errors.ts";
import type { Sink } from "../types.ts";

const ENCODER = new TextEncoder();

/** The reader of the reply; `leave` marks it as gone. */
interface WebStreamReader {
  readonly signal: AbortSignal;
  leave(): void;
}

export class WebSink implements Sink {
  readonly #request: WebStreamReader;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #stallMs: number;
  #drain: PromiseWithResolvers<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: WebStreamReader, controller: ReadableStreamDefaultController<Uint8Array>, stallMs: number) {
    this.#request = request;
    this.#controller = controller;
    this.#stallMs = stallMs;
    request.signal.addEventListener("abort", () => this.resume(), { once: true });
  }

  get closed(): boolean {
    return this.#request.signal.aborted;
  }

  get blocked(): boolean {
    return this.#drain !== undefined;
  }

  write(chunk: string | Uint8Array): Promise<void> | undefined {
    if (this.closed || chunk.length === 0) return undefined;
    this.#controller.enqueue(typeof chunk === "string" ? ENCODER.encode(chunk) : chunk);
    return (this.#controller.desiredSize ?? 1) > 0 ? undefined : this.#waitForDrain();
  }

  /** Concurrent writers wait for the same promise. */
  #waitForDrain(): Promise<void> {
    if (this.#drain !== undefined) return this.#drain.promise;
    this.#drain = Promise.withResolvers();
    this.#timer = setTimeout(() => this.#cut(), this.#stallMs);
    return this.#drain.promise;
  }

  /** Continues when there is room or the reader is gone. */
  resume(): void {
    clearTimeout(this.#timer);
    this.#drain?.resolve();
    this.#drain = undefined;
  }

  #cut(): void {
    this.#controller.error(new ServerError("aborted", `Nothing was read for ${this.#stallMs / 1000} s.`));
    this.#request.leave();
  }
}

// Implements the sink of a streamed reply of the fetch API. A writer waits while the client reads slowly, and the
// stream is closed if the client stops reading.
import { ServerError } from "../errors.ts";
import type { Sink } from "../types.ts";

const ENCODER = new TextEncoder();

/** The client that reads the reply; `leave` marks the client as disconnected. */
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

  /** Returns the promise that all waiting writers share; it resolves when the client has read enough. */
  #waitForDrain(): Promise<void> {
    if (this.#drain !== undefined) return this.#drain.promise;
    this.#drain = Promise.withResolvers();
    this.#timer = setTimeout(() => this.#cut(), this.#stallMs);
    return this.#drain.promise;
  }

  /** Resumes the waiting writers, because the stream has room again or the client has disconnected. */
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

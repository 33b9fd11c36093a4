// Where a streamed reply goes through the fetch API: a writer waits for a reader that is slow, and one that has stopped
// reading is cut.
import { ServerError } from "../errors.ts";
import type { Sink } from "../types.ts";

const ENCODER = new TextEncoder();

/** Whoever asked; `leave` says that it is gone. */
interface Reader {
  readonly signal: AbortSignal;
  leave(): void;
}

export class WebSink implements Sink {
  readonly #request: Reader;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #stallMs: number;
  #waiting: PromiseWithResolvers<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: Reader, controller: ReadableStreamDefaultController<Uint8Array>, stallMs: number) {
    this.#request = request;
    this.#controller = controller;
    this.#stallMs = stallMs;
    request.signal.addEventListener("abort", () => this.goOn(), { once: true });
  }

  get closed(): boolean {
    return this.#request.signal.aborted;
  }

  get blocked(): boolean {
    return this.#waiting !== undefined;
  }

  write(chunk: string | Uint8Array): Promise<void> | undefined {
    if (this.closed || chunk.length === 0) return undefined;
    this.#controller.enqueue(typeof chunk === "string" ? ENCODER.encode(chunk) : chunk);
    return (this.#controller.desiredSize ?? 1) > 0 ? undefined : this.#drained();
  }

  /** Several may write at a time: all of them wait for the same. */
  #drained(): Promise<void> {
    if (this.#waiting !== undefined) return this.#waiting.promise;
    this.#waiting = Promise.withResolvers();
    this.#timer = setTimeout(() => this.#cut(), this.#stallMs);
    return this.#waiting.promise;
  }

  /** There is room, or nobody is there any more. */
  goOn(): void {
    clearTimeout(this.#timer);
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  #cut(): void {
    this.#controller.error(new ServerError("aborted", `Nothing was read for ${this.#stallMs / 1000} s.`));
    this.#request.leave();
  }
}

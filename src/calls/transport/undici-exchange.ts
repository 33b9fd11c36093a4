// Performs one request over undici and reads its reply: buffers the body until it is read, and pauses the connection
// while the buffer is too large. Chunks that arrive in the same socket read are returned together.
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { MAX_TIMER_MS } from "../effects.ts";
import type { HttpReply, SendOptions } from "../types.ts";
import { decompress } from "./decompress.ts";
import type { TransportStage } from "./transport-error.ts";
import { connectTimeoutError, toTransportError } from "./explain-failure.ts";

/** The number of unread bytes above which the connection is paused. */
const HIGH_WATER = 262_144;

type BodyChunk = IteratorResult<Uint8Array, undefined>;
const DONE: BodyChunk = { done: true, value: undefined };

export class UndiciExchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array, undefined> {
  readonly reply: Promise<HttpReply>;
  /** The connection that is being opened for this request; undefined if a connection was reused. */
  socket: Socket | undefined;
  readonly #host: string;
  readonly #options: SendOptions;
  /** Called when `isOver` or `isDraining` becomes true. */
  readonly #onChange: (exchange: UndiciExchange) => void;
  readonly #head = Promise.withResolvers<HttpReply>();
  #controller: Dispatcher.DispatchController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The stage that the exchange has reached, for errors. */
  #stage: TransportStage = "connect";
  #chunks: Uint8Array[] = [];
  #bufferedBytes = 0;
  #reader: PromiseWithResolvers<BodyChunk> | undefined;
  /** True once the last byte of the body has arrived; chunks may still be unread. */
  #hasArrived = false;
  /** True once the reply was read to its end, was discarded, or failed. */
  isOver = false;
  /** True if the rest of the reply is read only so that the connection can be reused. */
  isDraining = false;
  #failure: unknown;

  /** `host` is named in errors; `onChange` is called when `isOver` or `isDraining` becomes true. */
  constructor(host: string, options: SendOptions, onChange: (exchange: UndiciExchange) => void) {
    this.#host = host;
    this.#options = options;
    this.#onChange = onChange;
    this.reply = this.#head.promise;
    options.signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** Starts the time limit for connecting, unless the dispatcher already has a connection for the request. */
  dispatched(): void {
    const { connectMs } = this.#options;
    if (this.#stage !== "connect" || this.isOver || connectMs > MAX_TIMER_MS) return;
    this.#timer = setTimeout(() => this.#fail(connectTimeoutError(connectMs, this.#host)), connectMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#timer);
    this.#controller = controller;
    this.#stage = "headers";
    if (this.isOver) controller.abort(toError(this.#failure));
    else this.#options.onSent?.();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HeaderFields): void {
    if (status < 200 || this.isOver) return;
    this.#stage = "body";
    const fields = joinHeaderFields(headers);
    const body = decompress(this, fields["content-encoding"], this.#explain);
    this.#head.resolve({ status, headers: fields, body, discard: () => this.discard(), unref: () => this.#drain() });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.isOver) return;
    // One socket read can contain many chunks, so the pending read is resolved in a microtask, after all of them.
    if (this.#chunks.push(chunk) === 1 && this.#reader !== undefined) queueMicrotask(this.#deliver);
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes > HIGH_WATER) controller.pause();
  }

  onResponseEnd(): void {
    this.#hasArrived = true;
    this.#deliver();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    // Chunks that arrived before the failure can still be read.
    this.#fail(this.#explain(error), this.#chunks);
  }

  next(): Promise<BodyChunk> {
    if (this.#chunks.length > 0) return Promise.resolve(this.#take());
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#hasArrived) this.#finish();
    if (this.isOver) return Promise.resolve(DONE);
    this.#reader ??= Promise.withResolvers<BodyChunk>();
    return this.#reader.promise;
  }

  return(): Promise<BodyChunk> {
    this.discard();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  discard(): void {
    if (this.isOver) return;
    this.#finish();
    this.#reader?.resolve(DONE);
    if (!this.#hasArrived) this.#release(new Error("The reply was discarded."));
  }

  #drain(): void {
    this.isDraining = true;
    this.#onChange(this);
  }

  readonly #explain = (error: unknown): unknown => this.#failure ?? toTransportError(error, this.#stage, this.#host);

  readonly #abort = (): void => {
    this.#fail(this.#options.signal.reason);
  };

  #fail(failure: unknown, unread: Uint8Array[] = []): void {
    if (this.isOver) return;
    this.#finish();
    this.#failure = failure ?? new Error("Aborted");
    this.#head.reject(this.#failure);
    this.#chunks = unread;
    if (unread.length > 0) this.#reader?.resolve(this.#take());
    else this.#reader?.reject(this.#failure);
    if (!this.#hasArrived) this.#release(toError(this.#failure));
  }

  /** Marks the exchange as over and frees its buffer, its timer and the listener on the signal. */
  #finish(): void {
    this.isOver = true;
    this.#chunks = [];
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener("abort", this.#abort);
    this.#onChange(this);
  }

  /** Closes the connection, even if it is still being opened. */
  #release(reason: Error): void {
    if (this.#controller !== undefined) this.#controller.abort(reason);
    else this.socket?.destroy(reason);
  }

  /** Resolves the pending read with the buffered chunks, or with the end of the body. */
  readonly #deliver = (): void => {
    const reader = this.#reader;
    if (reader === undefined || this.isOver) return;
    if (this.#chunks.length > 0) reader.resolve(this.#take());
    else if (this.#hasArrived) {
      this.#finish();
      reader.resolve(DONE);
    } else return;
    this.#reader = undefined;
  };

  /** Removes and returns the buffered bytes as one chunk. Resumes the connection if it was paused. */
  #take(): BodyChunk {
    const chunks = this.#chunks;
    const [first] = chunks;
    const value = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, this.#bufferedBytes);
    const wasFull = this.#bufferedBytes > HIGH_WATER;
    this.#chunks = [];
    this.#bufferedBytes = 0;
    // `resume` may deliver chunks synchronously, so the buffer is reset before the call of `resume`.
    if (wasFull) this.#controller?.resume();
    return { done: false, value };
  }
}

type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

function joinHeaderFields(fields: HeaderFields): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}

/** Returns the abort reason as an `Error`, because sockets accept no other type. */
function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("Aborted", { cause: reason });
}

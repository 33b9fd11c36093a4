// One request and its reply over a connection of undici's: what its dispatcher reports is kept until somebody reads it,
// and the connection is told to wait where too much is kept. Everything that came with one read is given at once.
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { LONGEST_TIMER_MS } from "../effects.ts";
import type { HttpReply, SendOptions } from "../types.ts";
import { decompress } from "./decompress.ts";
import type { TransportStage } from "./errors.ts";
import { connectTimeout, explainFailure } from "./explain.ts";

/** The reader is that far behind: the connection waits. */
const HIGH_WATER = 262_144;

type Piece = IteratorResult<Uint8Array, undefined>;
const DONE: Piece = { done: true, value: undefined };

export class Exchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array, undefined> {
  readonly reply: Promise<HttpReply>;
  /** The connection that is being made for this request, if there was none to use. */
  socket: Socket | undefined;
  readonly #host: string;
  readonly #limits: SendOptions;
  readonly #changed: (exchange: Exchange) => void;
  readonly #head = Promise.withResolvers<HttpReply>();
  #controller: Dispatcher.DispatchController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stage: TransportStage = "connect";
  #pieces: Uint8Array[] = [];
  #kept = 0;
  #reader: PromiseWithResolvers<Piece> | undefined;
  /** Everything has arrived. */
  #isWhole = false;
  /** Nobody wants more of it, or there is no more: `failure` says why where it says something. */
  isOver = false;
  /** Its end is waited for only so that the connection can be used again. */
  isResting = false;
  #failure: unknown;

  /** `changed` hears when it is over, and when it is resting. */
  constructor(host: string, limits: SendOptions, changed: (exchange: Exchange) => void) {
    this.#host = host;
    this.#limits = limits;
    this.#changed = changed;
    this.reply = this.#head.promise;
    limits.signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** The dispatcher has taken it; where it has not begun to send, it waits for a connection. */
  dispatched(): void {
    const { connectMs } = this.#limits;
    if (this.#stage !== "connect" || this.isOver || connectMs > LONGEST_TIMER_MS) return;
    this.#timer = setTimeout(() => this.#fail(connectTimeout(connectMs, this.#host)), connectMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#timer);
    this.#controller = controller;
    this.#stage = "headers";
    if (this.isOver) controller.abort(asError(this.#failure));
    else this.#limits.onSent?.();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HeaderFields): void {
    if (status < 200 || this.isOver) return;
    this.#stage = "body";
    const fields = flatten(headers);
    const body = decompress(this, fields["content-encoding"], this.#explain);
    this.#head.resolve({ status, headers: fields, body, discard: () => this.discard(), unref: () => this.#rest() });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.isOver) return;
    // One read may hold many chunks: the reader is told when all of them are here.
    if (this.#pieces.push(chunk) === 1 && this.#reader !== undefined) queueMicrotask(this.#deliver);
    this.#kept += chunk.length;
    if (this.#kept > HIGH_WATER) controller.pause();
  }

  onResponseEnd(): void {
    this.#isWhole = true;
    this.#deliver();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    // What came before the connection broke is still to be read.
    this.#fail(this.#explain(error), this.#pieces);
  }

  next(): Promise<Piece> {
    if (this.#pieces.length > 0) return Promise.resolve(this.#take());
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isWhole) this.#finish();
    if (this.isOver) return Promise.resolve(DONE);
    this.#reader ??= Promise.withResolvers<Piece>();
    return this.#reader.promise;
  }

  return(): Promise<Piece> {
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
    if (!this.#isWhole) this.#release(new Error("The reply was discarded."));
  }

  #rest(): void {
    this.isResting = true;
    this.#changed(this);
  }

  readonly #explain = (error: unknown): unknown => this.#failure ?? explainFailure(error, this.#stage, this.#host);

  readonly #abort = (): void => {
    this.#fail(this.#limits.signal.reason);
  };

  #fail(failure: unknown, unread: Uint8Array[] = []): void {
    if (this.isOver) return;
    this.#finish();
    this.#failure = failure ?? new Error("Aborted");
    this.#head.reject(this.#failure);
    this.#pieces = unread;
    if (unread.length > 0) this.#reader?.resolve(this.#take());
    else this.#reader?.reject(this.#failure);
    if (!this.#isWhole) this.#release(asError(this.#failure));
  }

  /** Nothing more is kept, waited for or listened to. */
  #finish(): void {
    this.isOver = true;
    this.#pieces = [];
    clearTimeout(this.#timer);
    this.#limits.signal.removeEventListener("abort", this.#abort);
    this.#changed(this);
  }

  /** Ends the connection, also one that is still being made. */
  #release(reason: Error): void {
    if (this.#controller !== undefined) this.#controller.abort(reason);
    else this.socket?.destroy(reason);
  }

  readonly #deliver = (): void => {
    const reader = this.#reader;
    if (reader === undefined || this.isOver) return;
    if (this.#pieces.length > 0) reader.resolve(this.#take());
    else if (this.#isWhole) {
      this.#finish();
      reader.resolve(DONE);
    } else return;
    this.#reader = undefined;
  };

  #take(): Piece {
    const pieces = this.#pieces;
    const [first] = pieces;
    const value = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces, this.#kept);
    const wasFull = this.#kept > HIGH_WATER;
    this.#pieces = [];
    this.#kept = 0;
    // More may come before this returns.
    if (wasFull) this.#controller?.resume();
    return { done: false, value };
  }
}

type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

function flatten(fields: HeaderFields): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}

/** Whatever somebody gave as a reason; sockets take only errors. */
function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("Aborted", { cause: reason });
}

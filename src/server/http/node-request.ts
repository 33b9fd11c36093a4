// Adapts a request of node:http to `IncomingRequest`. Query and signal are created on demand, because few routes need
// them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { ServerRequest } from "../types.ts";
import type { BodyDeadlines } from "./body-deadlines.ts";
import { collect, decodeChunks } from "./content-encoding.ts";
import type { IncomingRequest } from "./exchange.ts";
import { createClientGoneError, createTooLargeError, createTooSlowError } from "./body-errors.ts";

const NO_PARAMS: ServerRequest["params"] = {};

/** State that all requests of a server share. */
export interface NodeRequestContext {
  limits: ServerLimits;
  deadlines: BodyDeadlines;
  /** The function that is called when a reply has ended or its connection has closed. */
  onReplyEnd: () => void;
}

export class NodeRequest implements IncomingRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
  params = NO_PARAMS;
  /** True if the connection closed before the reply was complete. */
  isGone = false;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #context: NodeRequestContext;
  readonly #search: string;
  #query: URLSearchParams | undefined;
  #abort: AbortController | undefined;
  #onGone: (() => void) | undefined;
  /** Makes the current read of the body fail with an error; undefined if no body is being read. */
  #stop: ((error: ServerError) => void) | undefined;
  /** True if the client waits for "100 Continue" before it sends the body. */
  #awaitsContinue: boolean;

  constructor(
    message: IncomingMessage,
    response: ServerResponse,
    context: NodeRequestContext,
    { id, continues }: { id: string; continues: boolean },
  ) {
    this.#message = message;
    this.#response = response;
    this.#context = context;
    this.#awaitsContinue = continues;
    this.id = id;
    this.method = message.method ?? "GET";
    // The cast is safe: only `set-cookie` can be a list, and requests do not have this header.
    this.headers = message.headers as Record<string, string>;
    let target = message.url ?? "/";
    if (!target.startsWith("/")) {
      const whole = URL.parse(target);
      // If the request target is an absolute URL, its host replaces the `Host` header.
      if (whole !== null) this.headers = { ...this.headers, host: whole.host };
      target = whole === null ? target : `${whole.pathname}${whole.search}`;
    }
    const mark = target.indexOf("?");
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.#search = mark < 0 ? "" : target.slice(mark + 1);
    response.on("close", () => {
      this.#close();
      context.onReplyEnd();
    });
  }

  get headerCount(): number {
    return this.#message.rawHeaders.length / 2;
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.#search));
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.isGone) this.#abort.abort(createClientGoneError());
    return this.#abort.signal;
  }

  /** Calls the listener once if the connection closes before the reply is complete. */
  whenGone(listener: () => void): void {
    this.#onGone = listener;
  }

  #close(): void {
    if (this.#response.writableFinished) return;
    this.isGone = true;
    this.#stop?.(createClientGoneError());
    this.#onGone?.();
    this.#abort?.abort(createClientGoneError());
  }

  body(): Promise<Uint8Array> {
    return this.headers["content-encoding"] === undefined ? this.#collect() : collect(this.chunks());
  }

  chunks(maxBytes = this.#context.limits.bodyBytes): AsyncIterable<Uint8Array> {
    const encoding = this.headers["content-encoding"];
    const chunks = this.#chunks(maxBytes);
    return encoding === undefined ? chunks : decodeChunks(chunks, encoding, maxBytes);
  }

  #collect(): Promise<Uint8Array> {
    const message = this.#message;
    const { bodyBytes } = this.#context.limits;
    return new Promise((resolve, reject) => {
      this.#checkBeforeReading(bodyBytes);
      const chunks: Buffer[] = [];
      let size = 0;
      const onData = (chunk: Buffer): void => {
        size += chunk.length;
        if (size > bodyBytes) this.#stop?.(createTooLargeError(bodyBytes));
        else chunks.push(chunk);
      };
      this.#startReading((error) => {
        message.off("data", onData);
        reject(error);
      });
      message.on("data", onData);
      message.on("end", () => {
        this.#endReading();
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
      });
    });
  }

  async *#chunks(maxBytes: number): AsyncIterable<Uint8Array> {
    this.#checkBeforeReading(maxBytes);
    // The message is not destroyed when reading stops, so that an error reply can still be sent on the connection.
    const iterator: AsyncIterator<Buffer> = this.#message.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    const stopped = Promise.withResolvers<never>();
    // Without this handler, a rejection of `stopped` at a time when no chunk is awaited would be an unhandled
    // rejection.
    stopped.promise.catch(() => {});
    this.#startReading(stopped.reject);
    let size = 0;
    try {
      for (;;) {
        const result = await Promise.race([iterator.next(), stopped.promise]);
        if (result.done === true) return;
        size += result.value.length;
        if (size > maxBytes) throw createTooLargeError(maxBytes);
        yield result.value;
      }
    } catch (error) {
      throw error instanceof ServerError ? error : createClientGoneError(error);
    } finally {
      this.#endReading();
      void iterator.return?.();
    }
  }

  /**
   * Starts the deadline of the body. `stop` makes the read fail; it is called at most once, and never after
   * `#endReading`.
   */
  #startReading(stop: (error: ServerError) => void): void {
    this.#stop = (error) => {
      this.#endReading();
      stop(error);
    };
    this.#context.deadlines.add(this.#onLate);
  }

  #endReading(): void {
    this.#stop = undefined;
    this.#context.deadlines.remove(this.#onLate);
  }

  readonly #onLate = (): void => this.#stop?.(createTooSlowError(this.#context.limits.requestMs));

  /**
   * Throws if the declared length of the body exceeds the limit or the client has disconnected. Otherwise sends
   * "100 Continue" if the client waits for it.
   */
  #checkBeforeReading(maxBytes: number): void {
    const declared = this.headers["content-length"];
    if (declared !== undefined && Number(declared) > maxBytes) throw createTooLargeError(maxBytes);
    if (this.isGone || (this.#message.destroyed && !this.#message.readableEnded)) throw createClientGoneError();
    if (this.#awaitsContinue) this.#response.writeContinue();
    this.#awaitsContinue = false;
  }
}

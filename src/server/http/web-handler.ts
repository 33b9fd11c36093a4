// Implements the fetch API adapter of the server: replies to a web `Request` with a `Response`, for runtimes without
// node:http.
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { ServerRequest, StreamBody } from "../types.ts";
import { collect, decodeChunks } from "./content-encoding.ts";
import type { ServerExchange, IncomingRequest } from "./exchange.ts";
import { createClientGoneError, createTooLargeError, createTooSlowError } from "./body-errors.ts";
import { WebSink } from "./web-sink.ts";

const NO_PARAMS: ServerRequest["params"] = {};

export class WebRequest implements IncomingRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly headerCount: number;
  readonly id: string;
  params = NO_PARAMS;
  readonly #request: Request;
  readonly #limits: ServerLimits;
  readonly #abort = new AbortController();

  constructor(request: Request, id: string, limits: ServerLimits) {
    const url = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    this.method = request.method;
    this.path = url.pathname;
    this.query = url.searchParams;
    this.headerCount = Object.keys(headers).length;
    // The host of the URL is the default value of the Host header, because some runtimes hide this header.
    this.headers = { host: url.host, ...headers };
    this.id = id;
    this.#request = request;
    this.#limits = limits;
    if (request.signal.aborted) this.leave();
    else request.signal.addEventListener("abort", () => this.leave(), { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  leave(): void {
    this.#abort.abort(createClientGoneError());
  }

  body(): Promise<Uint8Array> {
    return collect(this.chunks());
  }

  chunks(maxBytes = this.#limits.bodyBytes): AsyncIterable<Uint8Array> {
    const encoding = this.headers["content-encoding"];
    const chunks = this.#chunks(maxBytes);
    return encoding === undefined ? chunks : decodeChunks(chunks, encoding, maxBytes);
  }

  /** Yields the body. Throws if the client disconnects, the deadline passes or the body is larger than `maxBytes`. */
  async *#chunks(maxBytes: number): AsyncIterable<Uint8Array> {
    const { requestMs } = this.#limits;
    if (Number(this.headers["content-length"] ?? 0) > maxBytes) throw createTooLargeError(maxBytes);
    if (this.signal.aborted) throw createClientGoneError();
    const { body } = this.#request;
    if (body === null) return;
    const reader = body.getReader();
    const stopped = Promise.withResolvers<never>();
    // Without this handler, a rejection of `stopped` at a time when no chunk is awaited would be an unhandled
    // rejection.
    stopped.promise.catch(() => {});
    const onLeave = (): void => stopped.reject(createClientGoneError());
    this.signal.addEventListener("abort", onLeave, { once: true });
    const timer = setTimeout(() => stopped.reject(createTooSlowError(requestMs)), requestMs);
    let size = 0;
    try {
      for (;;) {
        const result = await Promise.race([reader.read(), stopped.promise]);
        if (result.done) return;
        size += result.value.byteLength;
        if (size > maxBytes) throw createTooLargeError(maxBytes);
        yield result.value;
      }
    } catch (error) {
      throw error instanceof ServerError ? error : createClientGoneError(error);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", onLeave);
      // `cancel` discards the rest of the body.
      void reader.cancel().catch(() => {});
    }
  }
}

/**
 * Runs an exchange and returns its reply as a `Response`. A stream is written only as fast as the client reads it.
 * `onReplyEnd` is called when the reply has ended.
 */
export async function handleWebRequest(
  exchange: ServerExchange,
  request: WebRequest,
  { stallMs }: Pick<ServerLimits, "stallMs">,
  onReplyEnd: () => void,
): Promise<Response> {
  await exchange.answer();
  const head = createResponseHead(exchange);
  const { body, status } = exchange.reply;
  if (typeof body === "function")
    return new Response(createBodyStream(body, exchange, request, stallMs, onReplyEnd), head);
  exchange.end(request.signal.aborted);
  onReplyEnd();
  // The cast is safe, because the bytes of a body are never in a `SharedArrayBuffer`.
  return new Response(body === undefined || status === 204 ? null : (body as BodyInit), head);
}

/**
 * Returns status and headers. If the runtime rejects the headers, an error reply replaces the reply of the exchange.
 */
function createResponseHead(exchange: ServerExchange): ResponseInit {
  const { status, headers } = exchange.reply;
  try {
    return { status, headers: new Headers(headers) };
  } catch (error) {
    exchange.replace(error);
    return { status: exchange.reply.status, headers: exchange.reply.headers };
  }
}

function createBodyStream(
  body: StreamBody,
  exchange: ServerExchange,
  request: WebRequest,
  stallMs: number,
  onReplyEnd: () => void,
): ReadableStream<Uint8Array> {
  let sink: WebSink | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      sink = new WebSink(request, controller, stallMs);
      void body(sink)
        .then(
          () => {
            if (!request.signal.aborted) controller.close();
            exchange.end(request.signal.aborted);
          },
          (error: unknown) => {
            const { aborted } = request.signal;
            if (!aborted) controller.error(error);
            exchange.end(true, aborted ? undefined : error);
          },
        )
        .finally(onReplyEnd);
    },
    pull: () => sink?.resume(),
    cancel() {
      request.leave();
    },
  });
}

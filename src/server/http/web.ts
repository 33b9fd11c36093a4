// The fetch API as a door to the server: a web Request in, a Response out, for runtimes that have no node:http.
import type { Limits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { Reply, ServerRequest, Sink, Stream } from "../types.ts";
import { collect, decodeChunks } from "./encodings.ts";
import type { Exchange, Incoming } from "./front.ts";

const NONE: ServerRequest["params"] = {};

export class WebRequest implements Incoming {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly headerCount: number;
  readonly id: string;
  params = NONE;
  readonly #request: Request;
  readonly #limits: Limits;
  readonly #left = new AbortController();

  constructor(request: Request, id: string, limits: Limits) {
    const url = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    this.method = request.method;
    this.path = url.pathname;
    this.query = url.searchParams;
    this.headerCount = Object.keys(headers).length;
    // Where a runtime does not show the header, the address says the same.
    this.headers = { host: url.host, ...headers };
    this.id = id;
    this.#request = request;
    this.#limits = limits;
    if (request.signal.aborted) this.leave();
    else request.signal.addEventListener("abort", () => this.leave(), { once: true });
  }

  get signal(): AbortSignal {
    return this.#left.signal;
  }

  leave(): void {
    this.#left.abort(new ServerError("aborted", "The client left before the exchange was over."));
  }

  body(): Promise<Uint8Array> {
    return collect(this.chunks());
  }

  chunks(): AsyncIterable<Uint8Array> {
    const encoding = this.headers["content-encoding"];
    const chunks = this.#chunks();
    return encoding === undefined ? chunks : decodeChunks(chunks, encoding, this.#limits.bodyBytes);
  }

  async *#chunks(): AsyncIterable<Uint8Array> {
    const { bodyBytes } = this.#limits;
    const tooLarge = (): ServerError =>
      new ServerError("too-large", `The body is larger than ${bodyBytes} bytes, which is the most that is taken.`);
    if (Number(this.headers["content-length"] ?? 0) > bodyBytes) throw tooLarge();
    let size = 0;
    for await (const chunk of this.#request.body ?? []) {
      size += chunk.byteLength;
      if (size > bodyBytes) throw tooLarge();
      yield chunk;
    }
  }
}

/** The reply as a Response; a stream is written as fast as it is read. `closed` is called when it is over. */
export async function answerWeb(exchange: Exchange, request: WebRequest, closed: () => void): Promise<Response> {
  await exchange.answer();
  const { status, headers, body }: Reply = exchange.reply;
  if (typeof body === "function") return new Response(streamed(body, exchange, request, closed), { status, headers });
  exchange.end(request.signal.aborted);
  closed();
  // A body of bytes is the route's own: nothing else changes it.
  return new Response(body === undefined || status === 204 ? null : (body as BodyInit), { status, headers });
}

function streamed(
  body: Stream,
  exchange: Exchange,
  request: WebRequest,
  closed: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let goOn: (() => void) | undefined;
  const wake = (): void => {
    goOn?.();
    goOn = undefined;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      request.signal.addEventListener("abort", wake, { once: true });
      const sink: Sink = {
        get gone() {
          return request.signal.aborted;
        },
        write(chunk) {
          if (request.signal.aborted) return undefined;
          controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
          if ((controller.desiredSize ?? 1) > 0) return undefined;
          return new Promise((resolve) => {
            goOn = resolve;
          });
        },
      };
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
        .finally(closed);
    },
    pull: wake,
    cancel() {
      request.leave();
    },
  });
}

// The fetch API as a door to the server: a web Request in, a Response out, for runtimes that have no node:http.
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { ServerRequest, StreamBody } from "../types.ts";
import { collect, decodeChunks } from "./encodings.ts";
import type { Exchange, Incoming } from "./front.ts";
import { leftError, tooLarge, tooSlow } from "./refusals.ts";
import { WebSink } from "./web-sink.ts";

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
  readonly #limits: ServerLimits;
  readonly #left = new AbortController();

  constructor(request: Request, id: string, limits: ServerLimits) {
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
    this.#left.abort(leftError());
  }

  body(): Promise<Uint8Array> {
    return collect(this.chunks());
  }

  chunks(most = this.#limits.bodyBytes): AsyncIterable<Uint8Array> {
    const encoding = this.headers["content-encoding"];
    const chunks = this.#chunks(most);
    return encoding === undefined ? chunks : decodeChunks(chunks, encoding, most);
  }

  /** Neither a client that leaves nor one that sends nothing is waited for. */
  async *#chunks(most: number): AsyncIterable<Uint8Array> {
    const { requestMs } = this.#limits;
    if (Number(this.headers["content-length"] ?? 0) > most) throw tooLarge(most);
    if (this.signal.aborted) throw leftError();
    const { body } = this.#request;
    if (body === null) return;
    const reader = body.getReader();
    const stopped = Promise.withResolvers<never>();
    // Nobody may be waiting when it happens.
    stopped.promise.catch(() => {});
    const left = (): void => stopped.reject(leftError());
    this.signal.addEventListener("abort", left, { once: true });
    const timer = setTimeout(() => stopped.reject(tooSlow(requestMs)), requestMs);
    let size = 0;
    try {
      for (;;) {
        const result = await Promise.race([reader.read(), stopped.promise]);
        if (result.done) return;
        size += result.value.byteLength;
        if (size > most) throw tooLarge(most);
        yield result.value;
      }
    } catch (error) {
      throw error instanceof ServerError ? error : leftError(error);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", left);
      // Whatever is still to come is not wanted; where it has ended, or broken, this does nothing.
      void reader.cancel().catch(() => {});
    }
  }
}

/** The reply as a Response; a stream is written as fast as it is read. `closed` is called when it is over. */
export async function answerWeb(
  exchange: Exchange,
  request: WebRequest,
  { stallMs }: Pick<ServerLimits, "stallMs">,
  closed: () => void,
): Promise<Response> {
  await exchange.answer();
  const head = headOf(exchange);
  const { body, status } = exchange.reply;
  if (typeof body === "function") return new Response(streamed(body, exchange, request, stallMs, closed), head);
  exchange.end(request.signal.aborted);
  closed();
  // A body of bytes is the route's own: nothing else changes it.
  return new Response(body === undefined || status === 204 ? null : (body as BodyInit), head);
}

/** A head that cannot be sent is a fault, told as every other one is. */
function headOf(exchange: Exchange): ResponseInit {
  const { status, headers } = exchange.reply;
  try {
    return { status, headers: new Headers(headers) };
  } catch (error) {
    exchange.replace(error);
    return { status: exchange.reply.status, headers: exchange.reply.headers };
  }
}

function streamed(
  body: StreamBody,
  exchange: Exchange,
  request: WebRequest,
  stallMs: number,
  closed: () => void,
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
        .finally(closed);
    },
    pull: () => sink?.goOn(),
    cancel() {
      request.leave();
    },
  });
}

// A request of node:http as the server sees it: what few routes need is made when it is asked for.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Limits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { ServerRequest } from "../types.ts";
import { collect, decodeChunks } from "./encodings.ts";
import type { Incoming } from "./front.ts";

const NONE: ServerRequest["params"] = {};

export class NodeRequest implements Incoming {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
  params = NONE;
  /** Whether the connection is gone. */
  gone = false;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #limits: Limits;
  readonly #search: string;
  #query: URLSearchParams | undefined;
  #left: AbortController | undefined;
  #onGone: (() => void) | undefined;
  /** Ends the reading of the body. */
  #stop: ((error: ServerError) => void) | undefined;
  /** The client waits to be told that it may send. */
  #continues: boolean;

  constructor(
    message: IncomingMessage,
    response: ServerResponse,
    { id, limits, continues, closed }: { id: string; limits: Limits; continues: boolean; closed: () => void },
  ) {
    this.#message = message;
    this.#response = response;
    this.#limits = limits;
    this.#continues = continues;
    this.id = id;
    this.method = message.method ?? "GET";
    // Only `set-cookie` is a list there, and no request has it.
    this.headers = message.headers as Record<string, string>;
    let target = message.url ?? "/";
    if (!target.startsWith("/")) {
      const whole = URL.parse(target);
      // The absolute form names the host that counts.
      if (whole !== null) this.headers = { ...this.headers, host: whole.host };
      target = whole === null ? target : `${whole.pathname}${whole.search}`;
    }
    const mark = target.indexOf("?");
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.#search = mark < 0 ? "" : target.slice(mark + 1);
    response.on("close", () => {
      this.#close();
      closed();
    });
  }

  get headerCount(): number {
    return this.#message.rawHeaders.length / 2;
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.#search));
  }

  get signal(): AbortSignal {
    this.#left ??= new AbortController();
    if (this.gone) this.#left.abort(leftError());
    return this.#left.signal;
  }

  /** Calls back once when the connection is gone before the reply was whole. */
  whenGone(listener: () => void): void {
    this.#onGone = listener;
  }

  #close(): void {
    if (this.#response.writableFinished) return;
    this.gone = true;
    this.#stop?.(leftError());
    this.#onGone?.();
    this.#left?.abort(leftError());
  }

  body(): Promise<Uint8Array> {
    return this.headers["content-encoding"] === undefined ? this.#collect() : collect(this.chunks());
  }

  chunks(): AsyncIterable<Uint8Array> {
    const encoding = this.headers["content-encoding"];
    const chunks = this.#chunks();
    return encoding === undefined ? chunks : decodeChunks(chunks, encoding, this.#limits.bodyBytes);
  }

  #collect(): Promise<Uint8Array> {
    const message = this.#message;
    const { bodyBytes, requestMs } = this.#limits;
    return new Promise((resolve, reject) => {
      this.#open();
      const chunks: Buffer[] = [];
      let size = 0;
      let timer: NodeJS.Timeout | undefined;
      const over = (): void => {
        if (timer !== undefined) clearTimeout(timer);
        this.#stop = undefined;
      };
      const stop = (error: ServerError): void => {
        over();
        message.off("data", take);
        reject(error);
      };
      const take = (chunk: Buffer): void => {
        size += chunk.length;
        if (size > bodyBytes) stop(tooLarge(bodyBytes));
        else chunks.push(chunk);
      };
      this.#stop = stop;
      message.on("data", take);
      message.on("end", () => {
        over();
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
      });
      // Most bodies come with their headers, and need no clock: by the next tick they are whole.
      process.nextTick(() => {
        if (!message.complete && this.#stop === stop) timer = setTimeout(() => stop(tooSlow(requestMs)), requestMs);
      });
    });
  }

  async *#chunks(): AsyncIterable<Uint8Array> {
    const { bodyBytes, requestMs } = this.#limits;
    this.#open();
    // Whoever stops reading leaves the connection as it is: a refusal can still be sent on it.
    const iterator: AsyncIterator<Buffer> = this.#message.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    let stop: ((error: ServerError) => void) | undefined;
    const timer = setTimeout(() => stop?.(tooSlow(requestMs)), requestMs);
    let size = 0;
    try {
      for (;;) {
        const result = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
          stop = reject;
          iterator.next().then(resolve, (error: unknown) => reject(leftError(error)));
        });
        if (result.done === true) return;
        size += result.value.length;
        if (size > bodyBytes) throw tooLarge(bodyBytes);
        yield result.value;
      }
    } finally {
      clearTimeout(timer);
      void iterator.return?.();
    }
  }

  /** Before the first byte is read: what says that it is too large need not be sent. */
  #open(): void {
    const { bodyBytes } = this.#limits;
    const declared = this.headers["content-length"];
    if (declared !== undefined && Number(declared) > bodyBytes) throw tooLarge(bodyBytes);
    if (this.gone || (this.#message.destroyed && !this.#message.readableEnded)) throw leftError();
    if (this.#continues) this.#response.writeContinue();
    this.#continues = false;
  }
}

function tooLarge(most: number): ServerError {
  return new ServerError("too-large", `The body is larger than ${most} bytes, which is the most that is taken.`);
}

function tooSlow(ms: number): ServerError {
  return new ServerError("timeout", `The body did not arrive within ${ms / 1000} s. Send it again, in one go.`);
}

function leftError(cause?: unknown): ServerError {
  return new ServerError("aborted", "The client left before the exchange was over.", { cause });
}

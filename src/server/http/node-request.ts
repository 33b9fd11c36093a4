// A request of node:http as the server sees it: what few routes need is made when it is asked for.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { ServerRequest } from "../types.ts";
import type { Deadlines } from "./deadlines.ts";
import { collect, decodeChunks } from "./encodings.ts";
import type { Incoming } from "./front.ts";
import { leftError, tooLarge, tooSlow } from "./refusals.ts";

const NONE: ServerRequest["params"] = {};

/** What all requests of a server share. */
export interface RequestDoor {
  limits: ServerLimits;
  deadlines: Deadlines;
  /** A reply is over: all of it was handed on, or its connection is gone. */
  closed: () => void;
}

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
  readonly #door: RequestDoor;
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
    door: RequestDoor,
    { id, continues }: { id: string; continues: boolean },
  ) {
    this.#message = message;
    this.#response = response;
    this.#door = door;
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
      door.closed();
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

  chunks(most = this.#door.limits.bodyBytes): AsyncIterable<Uint8Array> {
    const encoding = this.headers["content-encoding"];
    const chunks = this.#chunks(most);
    return encoding === undefined ? chunks : decodeChunks(chunks, encoding, most);
  }

  #collect(): Promise<Uint8Array> {
    const message = this.#message;
    const { bodyBytes } = this.#door.limits;
    return new Promise((resolve, reject) => {
      this.#open(bodyBytes);
      const chunks: Buffer[] = [];
      let size = 0;
      const take = (chunk: Buffer): void => {
        size += chunk.length;
        if (size > bodyBytes) this.#stop?.(tooLarge(bodyBytes));
        else chunks.push(chunk);
      };
      this.#begin((error) => {
        message.off("data", take);
        reject(error);
      });
      message.on("data", take);
      message.on("end", () => {
        this.#over();
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
      });
    });
  }

  async *#chunks(most: number): AsyncIterable<Uint8Array> {
    this.#open(most);
    // Whoever stops reading leaves the connection as it is: a refusal can still be sent on it.
    const iterator: AsyncIterator<Buffer> = this.#message.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    const stopped = Promise.withResolvers<never>();
    // Nobody may be waiting when it happens.
    stopped.promise.catch(() => {});
    this.#begin(stopped.reject);
    let size = 0;
    try {
      for (;;) {
        const result = await Promise.race([iterator.next(), stopped.promise]);
        if (result.done === true) return;
        size += result.value.length;
        if (size > most) throw tooLarge(most);
        yield result.value;
      }
    } catch (error) {
      throw error instanceof ServerError ? error : leftError(error);
    } finally {
      this.#over();
      void iterator.return?.();
    }
  }

  /** The body must be there in time. `stop` is called once at most, and never when it is over. */
  #begin(stop: (error: ServerError) => void): void {
    this.#stop = (error) => {
      this.#over();
      stop(error);
    };
    this.#door.deadlines.add(this.#late);
  }

  #over(): void {
    this.#stop = undefined;
    this.#door.deadlines.remove(this.#late);
  }

  readonly #late = (): void => this.#stop?.(tooSlow(this.#door.limits.requestMs));

  /** Before the first byte is read: what says that it is too large need not be sent. */
  #open(most: number): void {
    const declared = this.headers["content-length"];
    if (declared !== undefined && Number(declared) > most) throw tooLarge(most);
    if (this.gone || (this.#message.destroyed && !this.#message.readableEnded)) throw leftError();
    if (this.#continues) this.#response.writeContinue();
    this.#continues = false;
  }
}

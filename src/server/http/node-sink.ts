// Where a streamed reply goes on Node: a writer waits for a reader that is slow, and one that has stopped reading is cut.
import type { ServerResponse } from "node:http";
import type { Sink } from "../types.ts";
import type { NodeRequest } from "./node-request.ts";

export class NodeSink implements Sink {
  readonly #request: NodeRequest;
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  readonly #isChunked: boolean;
  #waiting: PromiseWithResolvers<void> | undefined;
  #listens = false;

  /** The response's head must have been made, where somebody is there to read it. */
  constructor(request: NodeRequest, response: ServerResponse, stallMs: number) {
    this.#request = request;
    this.#response = response;
    this.#stallMs = stallMs;
    // Node writes each chunk as four pieces; put together here, it is one, and a stream costs a fifth less.
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
    request.whenGone(() => this.#goOn());
  }

  get closed(): boolean {
    return this.#request.gone;
  }

  get blocked(): boolean {
    return this.#waiting !== undefined;
  }

  write(chunk: string | Uint8Array): Promise<void> | undefined {
    // A chunk without anything in it would be the last one.
    if (this.#request.gone || chunk.length === 0) return undefined;
    if (this.#response.write(this.#isChunked ? framed(chunk) : chunk)) return undefined;
    return this.#drained();
  }

  end(): void {
    if (this.#request.gone) return;
    if (this.#isChunked) this.#response.end("0\r\n\r\n");
    else this.#response.end();
    if (this.#response.writableLength > 0) this.#response.socket?.setTimeout(this.#stallMs);
  }

  #drained(): Promise<void> {
    if (this.#waiting !== undefined) return this.#waiting.promise;
    if (!this.#listens) this.#response.on("drain", () => this.#goOn());
    this.#listens = true;
    // Node cuts the connection then; bytes that trickle away count as reading.
    this.#response.socket?.setTimeout(this.#stallMs);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  #goOn(): void {
    if (this.#waiting === undefined) return;
    this.#response.socket?.setTimeout(0);
    this.#waiting.resolve();
    this.#waiting = undefined;
  }
}

/** A chunk of HTTP/1.1: its length, and itself. */
function framed(chunk: string | Uint8Array): string | Uint8Array {
  if (typeof chunk === "string") return `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`;
  const head = `${chunk.byteLength.toString(16)}\r\n`;
  const bytes = Buffer.allocUnsafe(head.length + chunk.byteLength + 2);
  bytes.write(head, "latin1");
  bytes.set(chunk, head.length);
  bytes.write("\r\n", bytes.length - 2, "latin1");
  return bytes;
}

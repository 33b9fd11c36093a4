// Implements the sink of a streamed reply on node:http. A writer waits while the client reads slowly, and the
// connection is closed if the client stops reading.
import type { ServerResponse } from "node:http";
import type { Sink } from "../types.ts";
import type { NodeRequest } from "./node-request.ts";

export class NodeSink implements Sink {
  readonly #request: NodeRequest;
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  readonly #isChunked: boolean;
  #drain: PromiseWithResolvers<void> | undefined;
  #isListening = false;

  /** Creates a sink. The headers of `response` must already be written, unless the client has disconnected. */
  constructor(request: NodeRequest, response: ServerResponse, stallMs: number) {
    this.#request = request;
    this.#response = response;
    this.#stallMs = stallMs;
    // Node writes a chunk in four pieces. The sink encodes the chunk itself and writes it in one piece, which reduces
    // the cost of a stream by a fifth.
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
    request.whenGone(() => this.#resume());
  }

  get closed(): boolean {
    return this.#request.isGone;
  }

  get blocked(): boolean {
    return this.#drain !== undefined;
  }

  write(chunk: string | Uint8Array): Promise<void> | undefined {
    // An empty chunk is not written, because it would end the body in the chunked transfer encoding.
    if (this.#request.isGone || chunk.length === 0) return undefined;
    if (this.#response.write(this.#isChunked ? frameChunk(chunk) : chunk)) return undefined;
    return this.#waitForDrain();
  }

  end(): void {
    if (this.#request.isGone) return;
    if (this.#isChunked) this.#response.end("0\r\n\r\n");
    else this.#response.end();
    if (this.#response.writableLength > 0) this.#response.socket?.setTimeout(this.#stallMs);
  }

  #waitForDrain(): Promise<void> {
    if (this.#drain !== undefined) return this.#drain.promise;
    if (!this.#isListening) this.#response.on("drain", () => this.#resume());
    this.#isListening = true;
    // The socket timeout closes the connection if the client reads nothing for `stallMs`.
    this.#response.socket?.setTimeout(this.#stallMs);
    this.#drain = Promise.withResolvers();
    return this.#drain.promise;
  }

  #resume(): void {
    if (this.#drain === undefined) return;
    this.#response.socket?.setTimeout(0);
    this.#drain.resolve();
    this.#drain = undefined;
  }
}

/** Encodes a chunk in the chunked transfer encoding of HTTP/1.1. */
function frameChunk(chunk: string | Uint8Array): string | Uint8Array {
  if (typeof chunk === "string") return `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`;
  const head = `${chunk.byteLength.toString(16)}\r\n`;
  const bytes = Buffer.allocUnsafe(head.length + chunk.byteLength + 2);
  bytes.write(head, "latin1");
  bytes.set(chunk, head.length);
  bytes.write("\r\n", bytes.length - 2, "latin1");
  return bytes;
}

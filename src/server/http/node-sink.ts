// Where a streamed reply goes on Node: a writer waits for a reader that is slow, and one that has stopped reading is cut.
import type { ServerResponse } from "node:http";
import type { Sink } from "../types.ts";
import type { NodeRequest } from "./node-request.ts";

export class NodeSink implements Sink {
  readonly #request: NodeRequest;
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  #waiting: PromiseWithResolvers<void> | undefined;
  #listens = false;

  constructor(request: NodeRequest, response: ServerResponse, stallMs: number) {
    this.#request = request;
    this.#response = response;
    this.#stallMs = stallMs;
    request.whenGone(() => this.#goOn());
  }

  get gone(): boolean {
    return this.#request.gone;
  }

  write(chunk: string | Uint8Array): Promise<void> | undefined {
    if (this.#request.gone || this.#response.write(chunk)) return undefined;
    return this.#drained();
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

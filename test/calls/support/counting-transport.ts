// A transport that counts the bytes that its caller has received, so that a test can act at a known stage of a reply.
import type { ReplyCut } from "../../../src/testkit/replay-server.ts";
import type { HttpReply, HttpRequest, SendOptions, Transport } from "../../../src/calls/types.ts";

export class CountingTransport implements Transport {
  /** The replies whose head has arrived. */
  heads = 0;
  /** The replies that were read to their end. */
  ends = 0;
  #bytes = 0;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async send(request: HttpRequest, options: SendOptions): Promise<HttpReply> {
    const reply = await this.#transport.send(request, options);
    this.heads += 1;
    return { ...reply, body: this.#count(reply.body) };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** True if the only reply has arrived up to the position at which its server stalls. */
  hasReached(stall: ReplyCut | undefined): boolean {
    if (stall === "headers") return this.heads === 0;
    return this.heads === 1 && this.#bytes === stall;
  }

  async *#count(body: HttpReply["body"]): AsyncGenerator<Uint8Array, undefined> {
    for await (const bytes of body) {
      this.#bytes += bytes.length;
      yield bytes;
    }
    this.ends += 1;
  }
}

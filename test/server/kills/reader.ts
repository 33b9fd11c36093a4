// A reader of server-sent events that goes on where it was cut off, on another instance if there is one.
import { setTimeout as pause } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import type { Heard } from "./evidence.ts";
import { type Network, Refused } from "./network.ts";

/** Heartbeats come more often: an instance that is silent for so long stands still. */
const SILENCE_MS = 2500;

export class Reader {
  readonly heard: Heard[] = [];
  /** How often it went on after it had been cut off, and how often on another instance. */
  resumed = 0;
  moved = 0;
  readonly #network: Network;
  readonly #path: string;
  readonly #isLast: (event: Heard) => boolean;
  #isOver = false;
  #cut: AbortController | undefined;
  /** Who answered last. */
  #served: string | undefined;

  /** Reads until the last event. `isLast` is asked about each, in order. */
  constructor(network: Network, path: string, isLast: (event: Heard) => boolean) {
    this.#network = network;
    this.#path = path;
    this.#isLast = isLast;
  }

  async read(): Promise<void> {
    let before: string | undefined;
    while (!this.#isOver) {
      const url = this.#network.any(before);
      await this.#listen(url).catch((error: unknown) => {
        // What breaks off is gone on with.
        if (!(error instanceof Refused)) return;
        this.#network.faults.push({ where: this.#path, what: error.message });
        this.stop();
      });
      before = url;
      // Not at once: nobody may be there to answer.
      if (!this.#isOver) await pause(30);
    }
  }

  /** Nobody is interested any more. */
  stop(): void {
    this.#isOver = true;
    this.#cut?.abort();
  }

  async #listen(url: string): Promise<void> {
    const cut = new AbortController();
    this.#cut = cut;
    const silence = setTimeout(() => cut.abort(), SILENCE_MS);
    const last = this.heard.at(-1)?.id;
    const headers: Record<string, string> = last === undefined ? {} : { "last-event-id": last };
    const parser = createParser({
      onEvent: ({ id, data }) => {
        // Pictures and control frames have no id, and are no events.
        if (this.#isOver || id === undefined) return;
        // Written by the server under test.
        const event = { id, data: JSON.parse(data) as Heard["data"] };
        this.heard.push(event);
        if (this.#isLast(event)) this.stop();
      },
    });
    try {
      const reply = await this.#network.fetch(url + this.#path, { headers, signal: cut.signal });
      if (this.#served !== undefined) {
        this.resumed++;
        if (this.#served !== url) this.moved++;
      }
      this.#served = url;
      const decoder = new TextDecoder();
      for await (const chunk of reply.body ?? []) {
        silence.refresh();
        parser.feed(decoder.decode(chunk, { stream: true }));
      }
    } finally {
      clearTimeout(silence);
    }
  }
}

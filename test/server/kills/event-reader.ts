// A reader of server-sent events that resumes after a disconnect, on another instance if possible.
import { setTimeout as pause } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import type { ReceivedEvent } from "./evidence.ts";
import { type Network, PermanentFailure } from "./network.ts";

/** Longer than the heartbeat interval: a silent instance is frozen. */
const SILENCE_MS = 2500;

export class Reader {
  readonly received: ReceivedEvent[] = [];
  /** The number of resumptions, and of those on another instance. */
  resumed = 0;
  moved = 0;
  readonly #network: Network;
  readonly #path: string;
  readonly #isLast: (event: ReceivedEvent) => boolean;
  #isOver = false;
  #cut: AbortController | undefined;
  /** The instance that served last. */
  #served: string | undefined;

  /** Reads until the last event. `isLast` is called for each event in order. */
  constructor(network: Network, path: string, isLast: (event: ReceivedEvent) => boolean) {
    this.#network = network;
    this.#path = path;
    this.#isLast = isLast;
  }

  async read(): Promise<void> {
    let before: string | undefined;
    while (!this.#isOver) {
      const url = this.#network.any(before);
      await this.#listen(url).catch((error: unknown) => {
        // A disconnect is resumed.
        if (!(error instanceof PermanentFailure)) return;
        this.#network.faults.push({ where: this.#path, what: error.message });
        this.stop();
      });
      before = url;
      // A pause, because all instances may be down.
      if (!this.#isOver) await pause(30);
    }
  }

  /** Stops reading. */
  stop(): void {
    this.#isOver = true;
    this.#cut?.abort();
  }

  async #listen(url: string): Promise<void> {
    const cut = new AbortController();
    this.#cut = cut;
    const silence = setTimeout(() => cut.abort(), SILENCE_MS);
    const last = this.received.at(-1)?.id;
    const headers: Record<string, string> = last === undefined ? {} : { "last-event-id": last };
    const parser = createParser({
      onEvent: ({ id, data }) => {
        // Snapshots and control frames have no id and are not events.
        if (this.#isOver || id === undefined) return;
        // Written by the server under test.
        const event = { id, data: JSON.parse(data) as ReceivedEvent["data"] };
        this.received.push(event);
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

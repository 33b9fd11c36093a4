// A network that fails as networks do: requests do not arrive, replies are lost on their way, streams break off after any
// byte. It keeps account of what passed through it.

/** Some events are larger than a thousand bytes, and must come through some day. */
const BYTES = 13;

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export class FaultyNetwork {
  /** Where every request went. */
  readonly asked: string[] = [];
  /** Statuses that refused. */
  readonly refused: number[] = [];
  /** Event streams that stand. */
  readonly streams = new Set<string>();
  readonly #faults: Iterator<number>;
  readonly #waiting = new Set<() => void>();
  /** How often a request of this kind failed, one after the other. */
  readonly #failed = new Map<string, number>();

  /** Of every number, below 400, what happens: small ones are faults, the others say how soon a stream breaks. */
  constructor(faults: Iterable<number> = []) {
    this.#faults = faults[Symbol.iterator]();
  }

  readonly fetch: Fetch = async (url, init = {}) => {
    this.asked.push(url);
    const next = this.#faults.next();
    const fault = next.done === true ? undefined : next.value;
    const what = `${init.method ?? "GET"} ${new URL(url).pathname}`;
    const mayFail = fault !== undefined && (this.#failed.get(what) ?? 0) < 2;
    if (mayFail && fault < 40) return this.#fail(what);
    const reply = await fetch(url, init);
    if (mayFail && fault < 80) {
      await reply.body?.cancel();
      return this.#fail(what);
    }
    this.#failed.delete(what);
    if (!reply.ok) this.refused.push(reply.status);
    const isStream = reply.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!isStream || reply.body === null || init.method === "POST") return reply;
    return new Response(this.#passed(reply.body, url, init.signal ?? undefined, fault && fault * BYTES), reply);
  };

  /** Resolves when what it is at fulfils the wish. */
  async until(wish: (network: this) => boolean): Promise<void> {
    while (!wish(this)) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #tell(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #fail(what: string): never {
    this.#failed.set(what, (this.#failed.get(what) ?? 0) + 1);
    throw new TypeError("The network failed.");
  }

  /** A stream, cut off after so many bytes. */
  #passed(body: ReadableStream<Uint8Array>, url: string, signal: AbortSignal | undefined, most = Infinity) {
    const reader = body.getReader();
    let left = most;
    const end = (): void => {
      this.streams.delete(url);
      this.#tell();
    };
    this.streams.add(url);
    this.#tell();
    signal?.addEventListener("abort", end, { once: true });
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (done) {
          end();
          return controller.close();
        }
        controller.enqueue(value.subarray(0, left));
        left -= value.length;
        if (left > 0) return undefined;
        end();
        // As if that were all, as some proxies end it; or not.
        if (most % 2 === 0) controller.close();
        else controller.error(new TypeError("The connection broke."));
        return reader.cancel();
      },
      cancel: (reason) => {
        end();
        return reader.cancel(reason);
      },
    });
  }
}

// A `fetch` that loses requests and replies and breaks streams after any byte, and records the bytes that passed.

/** Large enough that events of more than a thousand bytes eventually pass. */
const BYTES_PER_FAULT_UNIT = 13;

type FetchFunction = (url: string, init?: RequestInit) => Promise<Response>;

export class FaultyNetwork {
  /** URLs of all requests. */
  readonly requestedUrls: string[] = [];
  /** Error statuses of replies. */
  readonly errorStatuses: number[] = [];
  /** URLs of open event streams. */
  readonly openStreams = new Set<string>();
  readonly #faults: Iterator<number>;
  readonly #waiters = new Set<() => void>();
  /** Consecutive failures per kind of request. */
  readonly #failureCounts = new Map<string, number>();

  /** One number below 400 per request: small ones are faults, the others determine when a stream breaks. */
  constructor(faults: Iterable<number> = []) {
    this.#faults = faults[Symbol.iterator]();
  }

  readonly fetch: FetchFunction = async (url, init = {}) => {
    this.requestedUrls.push(url);
    const next = this.#faults.next();
    const fault = next.done === true ? undefined : next.value;
    const requestName = `${init.method ?? "GET"} ${new URL(url).pathname}`;
    const mayFail = fault !== undefined && (this.#failureCounts.get(requestName) ?? 0) < 2;
    if (mayFail && fault < 40) return this.#fail(requestName);
    const reply = await fetch(url, init);
    if (mayFail && fault < 80) {
      await reply.body?.cancel();
      return this.#fail(requestName);
    }
    this.#failureCounts.delete(requestName);
    if (!reply.ok) this.errorStatuses.push(reply.status);
    const isStream = reply.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!isStream || reply.body === null || init.method === "POST") return reply;
    return new Response(
      this.#truncate(reply.body, url, init.signal ?? undefined, fault && fault * BYTES_PER_FAULT_UNIT),
      reply,
    );
  };

  /** Resolves when the condition holds. */
  async until(condition: (network: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.#waiters.add(resolve));
  }

  #wakeWaiters(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  #fail(requestName: string): never {
    this.#failureCounts.set(requestName, (this.#failureCounts.get(requestName) ?? 0) + 1);
    throw new TypeError("The network failed.");
  }

  /** Returns the stream, truncated after a number of bytes. */
  #truncate(body: ReadableStream<Uint8Array>, url: string, signal: AbortSignal | undefined, maxBytes = Infinity) {
    const reader = body.getReader();
    let remaining = maxBytes;
    const end = (): void => {
      this.openStreams.delete(url);
      this.#wakeWaiters();
    };
    this.openStreams.add(url);
    this.#wakeWaiters();
    signal?.addEventListener("abort", end, { once: true });
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (done) {
          end();
          return controller.close();
        }
        controller.enqueue(value.subarray(0, remaining));
        remaining -= value.length;
        if (remaining > 0) return undefined;
        end();
        // Closes normally, as some proxies do, or with an error.
        if (maxBytes % 2 === 0) controller.close();
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

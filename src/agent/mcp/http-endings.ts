// Replies over HTTP that end before they have answered. The SDK waits for such an answer until the call's time is up;
// here the stream itself is made to say that there will be none.
import type { McpUrlOptions } from "./types.ts";

/** In `data` of the error that stands for an answer that will not come. */
export const CUT_OFF = "koine:cut-off";

/** The caller's `headers` failed, and so nothing was sent. */
export class HeadersError extends Error {}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** `fetch` with the caller's headers, whose event streams end with an error for a request that they have not answered. */
export function fetchFor({ headers }: McpUrlOptions): Fetch {
  return async (url, init) => {
    const sent = new Headers(init?.headers);
    const own = typeof headers === "function" ? await ask(headers) : headers;
    for (const [name, value] of Object.entries(own ?? {})) sent.set(name, value);
    const response = await fetch(url, { ...init, headers: sent });
    const id = requestIdOf(init?.body);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (id === undefined || !isStream || response.body === null) return response;
    return new Response(withEnding(response.body, id), { status: response.status, headers: response.headers });
  };
}

async function ask<T>(headers: () => T | Promise<T>): Promise<T> {
  try {
    return await headers();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HeadersError(`\`headers\` failed: ${why}`, { cause });
  }
}

function requestIdOf(body: unknown): string | number | undefined {
  if (typeof body !== "string") return undefined;
  // Written by the SDK: a request has an id, a notification none.
  const { id, method } = JSON.parse(body) as { id?: string | number; method?: string };
  return method === undefined ? undefined : id;
}

/**
 * The same bytes and, where nobody could ask for the rest of them, an error for the request. Where it was answered before,
 * the SDK knows no such request any more and passes over it.
 */
function withEnding(body: ReadableStream<Uint8Array>, id: string | number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const ids = new EventIds();
  const error = { code: -32_000, message: "The server ended its reply without an answer.", data: CUT_OFF };
  const ending = new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, error })}\n\n`);
  return new ReadableStream({
    async pull(controller) {
      const read = await reader.read().catch((cause: unknown) => ({ done: true as const, cause }));
      if (!read.done) {
        ids.look(read.value);
        controller.enqueue(read.value);
      } else if (!ids.seen) {
        controller.enqueue(ending);
        controller.close();
      } else if ("cause" in read) controller.error(read.cause);
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Finds out whether events have ids: then the SDK asks for those that are missing by itself. */
class EventIds {
  seen = false;
  // As if at the beginning of a line; then the end of the last piece.
  #rest = "\n";
  readonly #decoder = new TextDecoder();

  look(bytes: Uint8Array): void {
    if (this.seen) return;
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    this.seen = /[\r\n]id:/.test(text);
    this.#rest = text.slice(-3);
  }
}

// Handles HTTP replies of an MCP server that end without a result. The SDK would wait for the result until the time
// limit of the call, so an error message is added at the end of the stream.
import type { McpUrlOptions } from "./types.ts";

/** The `data` field of the error that replaces the missing result. */
export const CUT_OFF = "koine:cut-off";

/** The error of a request whose `headers` function threw, so that nothing was sent. */
export class HeadersError extends Error {}

type FetchFunction = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Creates a `fetch` function that adds the caller's headers. If a reply is an event stream that may end without the
 * result of its request, an error for the request is added at the end of the stream.
 */
export function createFetch({ headers }: McpUrlOptions): FetchFunction {
  return async (url, init) => {
    const allHeaders = new Headers(init?.headers);
    const own = typeof headers === "function" ? await callHeaders(headers) : headers;
    for (const [name, value] of Object.entries(own ?? {})) allHeaders.set(name, value);
    const response = await fetch(url, { ...init, headers: allHeaders });
    const id = readRequestId(init?.body);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (id === undefined || !isStream || response.body === null) return response;
    return new Response(withMissingAnswerError(response.body, id), {
      status: response.status,
      headers: response.headers,
    });
  };
}

async function callHeaders<T>(headers: () => T | Promise<T>): Promise<T> {
  try {
    return await headers();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HeadersError(`\`headers\` failed: ${why}`, { cause });
  }
}

function readRequestId(body: unknown): string | number | undefined {
  if (typeof body !== "string") return undefined;
  // The cast is safe, because the SDK writes the body. A request has both fields, a notification has no id, and a reply
  // to the server has no method; only a request waits for a result.
  const { id, method } = JSON.parse(body) as { id?: string | number; method?: string };
  return method === undefined ? undefined : id;
}

/**
 * Returns a stream with the same bytes. If the stream cannot be resumed, an error for the request is added at its end;
 * the SDK ignores that error if the request already has a result.
 */
function withMissingAnswerError(body: ReadableStream<Uint8Array>, id: string | number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const detector = new EventIdDetector();
  const error = { code: -32_000, message: "The server ended its reply without an answer.", data: CUT_OFF };
  const ending = new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, error })}\n\n`);
  return new ReadableStream({
    async pull(controller) {
      const read = await reader.read().catch((cause: unknown) => ({ done: true as const, cause }));
      if (!read.done) {
        detector.inspect(read.value);
        controller.enqueue(read.value);
      } else if (!detector.hasIds) {
        controller.enqueue(ending);
        controller.close();
      } else if ("cause" in read) controller.error(read.cause);
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Detects event ids in a stream; if there are ids, the SDK resumes the stream itself. */
class EventIdDetector {
  hasIds = false;
  // The last characters of the previous chunk, because "id:" may be split between two chunks. Initially a line break,
  // so that "id:" is also found in the first line.
  #rest = "\n";
  readonly #decoder = new TextDecoder();

  inspect(bytes: Uint8Array): void {
    if (this.hasIds) return;
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    this.hasIds = /[\r\n]id:/.test(text);
    this.#rest = text.slice(-3);
  }
}

// Implements the transport for browsers, workers, Bun and Deno with `fetch`. `fetch` does not report when a connection
// opens, so `connectMs` has no effect; the other time limits apply.
import type { HttpReply, HttpRequest, SendOptions, Transport } from "../types.ts";
import type { TransportStage } from "./transport-error.ts";
import { TransportError } from "./transport-error.ts";
import { toTransportError, unsendableError } from "./explain-failure.ts";

/** Creates a transport over `fetch`. */
export function defaultTransport(): Transport {
  return { send, close: () => Promise.resolve() };
}

async function send(request: HttpRequest, { signal, onSent }: SendOptions): Promise<HttpReply> {
  const { url, method, headers, body } = request;
  const { host } = new URL(url);
  const fields = readHeaders(headers, host);
  checkLength(fields, body, host);
  let response: Response;
  try {
    // `fetch` does not report when the request is sent, so it is reported before the call. A failure with the stage
    // "connect" counts as not sent, although it was reported.
    if (!signal.aborted) onSent?.();
    // Redirects are not followed, because the key would be sent to the other address.
    const withBody = method === "GET" ? {} : { body };
    response = await fetch(url, { method, headers: fields, ...withBody, signal, redirect: "manual" });
  } catch (error) {
    throw toFetchFailure(error, "connect", host, signal);
  }
  if (response.type === "opaqueredirect") {
    const message = `${host} redirects to another address; set the base URL to that address.`;
    throw new TransportError("network", message, { stage: "headers", retryable: false });
  }
  const reader = response.body?.getReader();
  const discard = (): void => {
    // A rejection is ignored, because a body that failed or was read to its end needs no cancellation.
    reader?.cancel().catch(() => undefined);
  };
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: readChunks(reader, discard, host, signal),
    discard,
  };
}

/**
 * Converts headers to `Headers`. The error of `Headers` is replaced, because it contains the value, which may be a key.
 */
function readHeaders(headers: HttpRequest["headers"], host: string): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw unsendableError(host, "a header contains a character that cannot be sent.");
  }
}

/**
 * Throws for a wrong content-length, because `fetch` would send it, and the server would wait for more bytes or misread
 * the rest.
 */
function checkLength(fields: Headers, body: string, host: string): void {
  const length = fields.get("content-length");
  if (length === null || Number(length) === new TextEncoder().encode(body).length) return;
  throw unsendableError(host, "content-length is not the length of the body; leave it out.");
}

async function* readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  discard: () => void,
  host: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    if (reader === undefined) return;
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw signal.reason;
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw toFetchFailure(error, "body", host, signal);
  } finally {
    discard();
  }
}

function toFetchFailure(error: unknown, stage: TransportStage, host: string, signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : toTransportError(error, stage, host);
}

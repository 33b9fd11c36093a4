// The transport where there is no Node: `fetch`. It cannot tell when a connection stands, so that `connectMs` has no
// meaning here; the limits on the reply, on silence and on the whole hold all the same.
import type { HttpReply, HttpRequest, SendOptions, Transport } from "../types.ts";
import type { TransportStage } from "./errors.ts";
import { TransportError } from "./errors.ts";
import { explainFailure, unsendable } from "./explain.ts";

export function defaultTransport(): Transport {
  return { send, close: () => Promise.resolve() };
}

async function send(request: HttpRequest, { signal, onSent: sent }: SendOptions): Promise<HttpReply> {
  const { url, method, headers, body } = request;
  const { host } = new URL(url);
  const fields = readHeaders(headers, host);
  checkLength(fields, body, host);
  let response: Response;
  try {
    // It may have gone out from here on; what fails before that says so.
    if (!signal.aborted) sent?.();
    // A redirect is not followed: the key would go with the request to whatever address it names.
    const said = method === "GET" ? {} : { body };
    response = await fetch(url, { method, headers: fields, ...said, signal, redirect: "manual" });
  } catch (error) {
    throw failure(error, "connect", host, signal);
  }
  if (response.type === "opaqueredirect") {
    const message = `${host} answers from another address; set the base URL to that one.`;
    throw new TransportError("network", message, { stage: "headers", retryable: false });
  }
  const reader = response.body?.getReader();
  const discard = (): void => {
    // It may have failed or been read already; nobody is left to care.
    reader?.cancel().catch(() => undefined);
  };
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: pieces(reader, discard, host, signal),
    discard,
  };
}

/** What `fetch` says about a header that it does not take holds its value, and that may be a key. */
function readHeaders(headers: HttpRequest["headers"], host: string): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw unsendable(host, "a header holds a character that cannot be sent.");
  }
}

/** A length that is not the body's would be sent as it is, and the server would wait for the rest, or take it for more. */
function checkLength(fields: Headers, body: string, host: string): void {
  const length = fields.get("content-length");
  if (length === null || Number(length) === new TextEncoder().encode(body).length) return;
  throw unsendable(host, "content-length is not the length of the body; leave it out.");
}

async function* pieces(
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
    throw failure(error, "body", host, signal);
  } finally {
    discard();
  }
}

function failure(error: unknown, stage: TransportStage, host: string, signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : explainFailure(error, stage, host);
}

// Performs one HTTP exchange with a provider: sends the request and reads the reply as a complete response, as deltas,
// or as a failure.
import { DialectError } from "../dialects/errors.ts";
import type { StreamDecoder } from "../dialects/index.ts";
import type { Delta, ModelResponse } from "../model/index.ts";
import { JsonError, parseJson } from "../model/index.ts";
import type { DeltaSource } from "./answer-reader.ts";
import type { OpenAttempt } from "./attempt-log.ts";
import type { CallScope } from "./call-scope.ts";
import { ClientError } from "./errors.ts";
import { orAborted } from "./or-aborted.ts";
import { decodeErrorReply, isHtml, readRequestId, toUnreadableReplyError } from "./reply-error.ts";
import { Secrets } from "./secrets.ts";
import type { TransportStage } from "./transport/transport-error.ts";
import { TransportError } from "./transport/transport-error.ts";
import type { HttpAdapter, HttpReply, HttpRequest, PreparedRequest, Timeouts, Transport } from "./types.ts";

/** The length, in characters, after which the reading of an error body stops. */
const MAX_ERROR_LENGTH = 1_048_576;

export interface HttpExchange {
  adapter: HttpAdapter;
  prepared: PreparedRequest;
  transport: Transport;
  scope: CallScope;
  attempt: OpenAttempt;
  timeouts: Pick<Timeouts, "connectMs" | "replyMs">;
  /** The secrets of the request, which are redacted in errors; set once the request is authorized. */
  secrets: Secrets;
  /** Called with the bytes of a stream before they are decoded. */
  onChunk?: (chunk: Uint8Array) => void;
}

/**
 * Sends the request and returns the reply when its headers have arrived. Throws an `AttemptFailure` for a status other
 * than 2xx.
 */
export async function sendRequest(exchange: HttpExchange): Promise<HttpReply> {
  const { adapter, prepared, scope, attempt } = exchange;
  const authorized = adapter.authorize(prepared.request);
  // `authorize` may wait for the caller's `apiKey` or `sign` function. That function may ignore the signal, so an abort
  // ends the wait here.
  const request = authorized instanceof Promise ? await orAborted(authorized, scope.signal) : authorized;
  exchange.secrets = new Secrets(request, prepared.request);
  const reply = await transmit(request, exchange);
  attempt.markReplied(reply.status, exchange.secrets.redact(readRequestId(reply.headers)));
  if (reply.status >= 200 && reply.status < 300) return reply;
  const text = await readErrorBody(reply, scope);
  throw exchange.secrets.createFailure(decodeErrorReply(reply, text, prepared.dialect, scope.now()));
}

/** Stages of a transport error at which the request has not been sent. */
const UNSENT_STAGES: ReadonlySet<TransportStage> = new Set(["request", "connect"]);

async function transmit(request: HttpRequest, exchange: HttpExchange): Promise<HttpReply> {
  const { transport, scope, timeouts, secrets, attempt } = exchange;
  const { connectMs } = timeouts;
  scope.awaitReply(timeouts.replyMs);
  try {
    return await transport.send(request, { signal: scope.signal, connectMs, onSent: () => attempt.markSent(true) });
  } catch (thrown) {
    if (thrown instanceof TransportError) attempt.markSent(!UNSENT_STAGES.has(thrown.stage));
    if (thrown instanceof ClientError) throw thrown;
    // The stage "request" means that the headers cannot be sent. No retry can help, so the caller receives a
    // "configuration" error; every other failure is an `AttemptFailure`.
    if (!(thrown instanceof TransportError) || thrown.stage !== "request") throw secrets.toFailure(thrown);
    throw new ClientError("configuration", secrets.redact(thrown.message), { path: "/headers" });
  } finally {
    scope.resetSilence();
  }
}

/**
 * Reads the body of an error reply. Returns an empty string if the reading fails, because the status alone is enough.
 */
async function readErrorBody(reply: HttpReply, scope: CallScope): Promise<string> {
  try {
    return await readText(reply, scope, MAX_ERROR_LENGTH);
  } catch {
    return "";
  }
}

/** A decoder for all bodies that arrive in one chunk, because creating a decoder costs more than decoding. */
const SHARED_DECODER = new TextDecoder();

/** Reads a body as text and stops once the text is longer than `limit` characters. */
async function readText(reply: HttpReply, scope: CallScope, limit = Infinity): Promise<string> {
  let onlyChunk: Uint8Array | undefined;
  let decoder: TextDecoder | undefined;
  let text = "";
  scope.startSilence();
  for await (const chunk of reply.body) {
    scope.startSilence();
    if (decoder === undefined && onlyChunk === undefined && chunk.length <= limit) {
      onlyChunk = chunk;
      continue;
    }
    if (decoder === undefined) {
      decoder = new TextDecoder();
      if (onlyChunk !== undefined) text = decoder.decode(onlyChunk, { stream: true });
    }
    text += decoder.decode(chunk, { stream: true });
    if (text.length > limit) break;
  }
  scope.endSilence();
  return decoder === undefined ? SHARED_DECODER.decode(onlyChunk) : text + decoder.decode();
}

export function isEventStream({ headers }: HttpReply): boolean {
  return headers["content-type"]?.includes("text/event-stream") === true;
}

/** Reads the text of a successful reply. Throws an `AttemptFailure` if the connection breaks. */
export async function readReplyText(reply: HttpReply, { scope, secrets }: HttpExchange): Promise<string> {
  try {
    return await readText(reply, scope);
  } catch (thrown) {
    throw secrets.toFailure(thrown);
  }
}

/** Decodes the text of a successful reply. Throws an `AttemptFailure` if the text is not a response of the dialect. */
export function decodeReply(text: string, reply: HttpReply, { prepared, secrets }: HttpExchange): ModelResponse {
  const { dialect, renames } = prepared;
  let response: ModelResponse;
  try {
    const wire = parseJson(text);
    response = dialect.decodeResponse(wire, { names: renames });
    if (isEmptyResponse(response) && dialect.detectKind(wire) === undefined) {
      throw new DialectError(dialect.id, "", "wrong-type", "The body is not a response.");
    }
  } catch (cause) {
    if (!(cause instanceof JsonError || cause instanceof DialectError)) throw cause;
    const redacted = secrets.redact(text);
    if (redacted === text)
      throw secrets.createFailure(toUnreadableReplyError(text, reply.headers, dialect, cause), { cause });
    // The cause is omitted, because the reply contains the key and the message of the cause may quote a part of it.
    throw secrets.createFailure(toUnreadableReplyError(redacted, reply.headers, dialect));
  }
  return response.error === undefined ? response : { ...response, error: secrets.redact(response.error) };
}

/** True if the decoder, which accepts any object, found no field of a response in the body. */
function isEmptyResponse({ id, message, usage, error }: ModelResponse): boolean {
  return id === "" && message.parts.length === 0 && usage === undefined && error === undefined;
}

/** Returns the deltas of a successful reply. Throws an `AttemptFailure` for an HTML page, for example of a proxy. */
export async function openReplyStream(reply: HttpReply, exchange: HttpExchange): Promise<DeltaSource> {
  const { prepared, scope, secrets } = exchange;
  if (!isHtml("", reply.headers)) return new HttpDeltaSource(reply, exchange);
  const text = await readText(reply, scope, MAX_ERROR_LENGTH);
  throw secrets.createFailure(toUnreadableReplyError(text, reply.headers, prepared.dialect));
}

/**
 * Time, in milliseconds, to read the rest of a reply after its answer is complete; then the connection is discarded.
 */
const DRAIN_MS = 1000;

class HttpDeltaSource implements DeltaSource {
  readonly #reply: HttpReply;
  readonly #body: AsyncIterator<Uint8Array>;
  readonly #decoder: StreamDecoder;
  readonly #scope: CallScope;
  readonly #signal: AbortSignal;
  readonly #secrets: Secrets;
  readonly #onChunk: HttpExchange["onChunk"];
  #isOver = false;

  constructor(reply: HttpReply, { prepared, scope, secrets, onChunk }: HttpExchange) {
    this.#reply = reply;
    this.#body = reply.body[Symbol.asyncIterator]();
    this.#decoder = prepared.dialect.streamDecoder({ names: prepared.renames });
    this.#scope = scope;
    this.#signal = scope.signal;
    this.#secrets = secrets;
    this.#onChunk = onChunk;
  }

  async read(): Promise<readonly Delta[] | undefined> {
    const body = this.#body;
    const decoder = this.#decoder;
    const scope = this.#scope;
    const signal = this.#signal;
    const secrets = this.#secrets;
    while (!this.#isOver) {
      if (signal.aborted) throw signal.reason;
      let chunk: IteratorResult<Uint8Array, undefined>;
      scope.startSilence();
      try {
        chunk = await body.next();
      } catch (thrown) {
        throw secrets.toFailure(thrown);
      }
      scope.endSilence();
      this.#isOver = chunk.done === true;
      if (chunk.done !== true) this.#onChunk?.(chunk.value);
      const deltas = chunk.done === true ? decoder.end() : decoder.push(chunk.value);
      if (deltas.length > 0) return secrets.redactDeltas(deltas);
    }
    return undefined;
  }

  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#drain();
  }

  /** Reads the reply to its end, so that the next request can reuse the connection. */
  async #drain(): Promise<void> {
    const timer = setTimeout(() => this.#reply.discard(), DRAIN_MS);
    // Neither the timer nor the connection may prevent the process from exiting. In a browser, the timer is a number.
    if (typeof timer === "object") timer.unref();
    this.#reply.unref?.();
    try {
      let isEnded = false;
      while (!isEnded) isEnded = (await this.#body.next()).done === true;
    } catch {
      // The answer is already complete; a connection that breaks now does not matter.
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): readonly Delta[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    this.#reply.discard();
    return this.#secrets.redactDeltas(this.#decoder.end());
  }
}

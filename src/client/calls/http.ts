// One exchange with a provider over HTTP: the request goes out, and what comes back is an answer, whole or as deltas,
// or a failure in the common words.
import { DialectError } from "../../dialects/errors.ts";
import type { StreamDecoder } from "../../dialects/index.ts";
import type { Delta, Response } from "../../model/index.ts";
import { JsonError, parseJson } from "../../model/index.ts";
import { ClientError } from "../errors.ts";
import type { TransportStage } from "../transport/errors.ts";
import { TransportError } from "../transport/errors.ts";
import type { HttpAdapter, HttpReply, HttpRequest, PreparedRequest, Timeouts, Transport } from "../types.ts";
import type { OpenAttempt } from "./attempts.ts";
import { orAborted } from "./or-aborted.ts";
import type { DeltaSource } from "./reading.ts";
import { isHtml, refusalOf, requestIdOf, unreadable } from "./reply-error.ts";
import type { CallScope } from "./scope.ts";
import { Secrets } from "./secrets.ts";

/** An error that is longer is no error but a mistake. */
const LONGEST_ERROR = 1_048_576;

export interface HttpExchange {
  link: HttpAdapter;
  prepared: PreparedRequest;
  transport: Transport;
  scope: CallScope;
  attempt: OpenAttempt;
  timeouts: Pick<Timeouts, "connectMs" | "replyMs">;
  /** What must not be told; known once the request has gone out. */
  secrets: Secrets;
  /** Sees the bytes of a stream before they are read. */
  tap?: (chunk: Uint8Array) => void;
}

/** Sends the request. Resolves with the headers of a reply that says it succeeded. */
export async function send(exchange: HttpExchange): Promise<HttpReply> {
  const { link, prepared, scope, attempt } = exchange;
  const authorised = link.authorise(prepared.request);
  // What fetches a key is the caller's code: it may not heed the signal.
  const request = authorised instanceof Promise ? await orAborted(authorised, scope.signal) : authorised;
  exchange.secrets = new Secrets(request, prepared.request);
  const reply = await transmit(request, exchange);
  attempt.replied(reply.status, exchange.secrets.redact(requestIdOf(reply.headers)));
  if (reply.status >= 200 && reply.status < 300) return reply;
  const text = await readRefusal(reply, scope);
  throw exchange.secrets.failure(refusalOf(reply, text, prepared.dialect, scope.now()));
}

/** Where an exchange fails before the request has gone out. */
const UNSENT: ReadonlySet<TransportStage> = new Set(["request", "connect"]);

async function transmit(request: HttpRequest, exchange: HttpExchange): Promise<HttpReply> {
  const { transport, scope, timeouts, secrets, attempt } = exchange;
  const { connectMs } = timeouts;
  scope.awaitReply(timeouts.replyMs);
  try {
    return await transport.send(request, { signal: scope.signal, connectMs, onSent: () => attempt.sent(true) });
  } catch (thrown) {
    if (thrown instanceof TransportError) attempt.sent(!UNSENT.has(thrown.stage));
    if (thrown instanceof ClientError) throw thrown;
    // What cannot be sent is the caller's to change.
    if (!(thrown instanceof TransportError) || thrown.stage !== "request") throw secrets.failureOf(thrown);
    throw new ClientError("configuration", secrets.redact(thrown.message), { path: "/headers" });
  } finally {
    scope.resetSilence();
  }
}

/** What a refusal says; the status counts even where its text breaks off or does not come. */
async function readRefusal(reply: HttpReply, scope: CallScope): Promise<string> {
  try {
    return await readText(reply, scope, LONGEST_ERROR);
  } catch {
    return "";
  }
}

/** For texts that come in one piece: a decoder of one's own costs more than to decode with it. */
const DECODER = new TextDecoder();

async function readText(reply: HttpReply, scope: CallScope, limit = Infinity): Promise<string> {
  let only: Uint8Array | undefined;
  let decoder: TextDecoder | undefined;
  let text = "";
  scope.reading();
  for await (const chunk of reply.body) {
    scope.reading();
    if (only === undefined && chunk.length <= limit) {
      only = chunk;
      continue;
    }
    if (decoder === undefined) {
      decoder = new TextDecoder();
      if (only !== undefined) text = decoder.decode(only, { stream: true });
    }
    text += decoder.decode(chunk, { stream: true });
    if (text.length > limit) break;
  }
  scope.read();
  return decoder === undefined ? DECODER.decode(only) : text + decoder.decode();
}

export function isEventStream({ headers }: HttpReply): boolean {
  return headers["content-type"]?.includes("text/event-stream") === true;
}

/** The text of a reply that says it succeeded. */
export async function readAnswer(reply: HttpReply, { scope, secrets }: HttpExchange): Promise<string> {
  try {
    return await readText(reply, scope);
  } catch (thrown) {
    throw secrets.failureOf(thrown);
  }
}

/** What the text of a reply says. */
export function decodeWhole(text: string, reply: HttpReply, { prepared, secrets }: HttpExchange): Response {
  const { dialect, names } = prepared;
  let response: Response;
  try {
    const wire = parseJson(text);
    response = dialect.decodeResponse(wire, { names });
    if (isNothing(response) && dialect.detectKind(wire) === undefined) {
      throw new DialectError(dialect.id, "", "wrong-type", "There is no answer in it.");
    }
  } catch (cause) {
    if (!(cause instanceof JsonError || cause instanceof DialectError)) throw cause;
    const clean = secrets.redact(text);
    if (clean === text) throw secrets.failure(unreadable(text, reply.headers, dialect, cause), { cause });
    // What says where it is broken may hold a piece of a key.
    throw secrets.failure(unreadable(clean, reply.headers, dialect));
  }
  return response.error === undefined ? response : { ...response, error: secrets.redact(response.error) };
}

/** What a lenient decoder makes of a body that is something else altogether. */
function isNothing({ id, message, usage, error }: Response): boolean {
  return id === "" && message.parts.length === 0 && usage === undefined && error === undefined;
}

/** The answer of a reply as it comes. */
export async function streamReply(reply: HttpReply, exchange: HttpExchange): Promise<DeltaSource> {
  const { prepared, scope, secrets } = exchange;
  if (!isHtml("", reply.headers)) return new HttpSource(reply, exchange);
  const text = await readText(reply, scope, LONGEST_ERROR);
  throw secrets.failure(unreadable(text, reply.headers, prepared.dialect));
}

/** How long the end of a reply is waited for once its answer is whole; then the connection is given up. */
const REST_MS = 1000;

class HttpSource implements DeltaSource {
  readonly #reply: HttpReply;
  readonly #body: AsyncIterator<Uint8Array>;
  readonly #decoder: StreamDecoder;
  readonly #scope: CallScope;
  readonly #signal: AbortSignal;
  readonly #secrets: Secrets;
  readonly #tap: HttpExchange["tap"];
  #isOver = false;

  constructor(reply: HttpReply, { prepared, scope, secrets, tap }: HttpExchange) {
    this.#reply = reply;
    this.#body = reply.body[Symbol.asyncIterator]();
    this.#decoder = prepared.dialect.streamDecoder({ names: prepared.names });
    this.#scope = scope;
    this.#signal = scope.signal;
    this.#secrets = secrets;
    this.#tap = tap;
  }

  async read(): Promise<readonly Delta[] | undefined> {
    const body = this.#body;
    const decoder = this.#decoder;
    const scope = this.#scope;
    const signal = this.#signal;
    const secrets = this.#secrets;
    while (!this.#isOver) {
      // The signal's reason says who ended it.
      if (signal.aborted) throw signal.reason;
      let piece: IteratorResult<Uint8Array, undefined>;
      scope.reading();
      try {
        piece = await body.next();
      } catch (thrown) {
        throw secrets.failureOf(thrown);
      }
      scope.read();
      this.#isOver = piece.done === true;
      if (piece.done !== true) this.#tap?.(piece.value);
      const deltas = piece.done === true ? decoder.end() : decoder.push(piece.value);
      if (deltas.length > 0) return secrets.deltas(deltas);
    }
    return undefined;
  }

  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#readRest();
  }

  /** A reply that is read to its end leaves its connection to the next one. */
  async #readRest(): Promise<void> {
    const timer = setTimeout(() => this.#reply.discard(), REST_MS);
    // Neither this nor the connection is a reason for a process to live; a browser's timer is a number.
    if (typeof timer === "object") timer.unref();
    this.#reply.unref?.();
    try {
      let isEnded = false;
      while (!isEnded) isEnded = (await this.#body.next()).done === true;
    } catch {
      // The answer is whole: how the connection ends is of no interest.
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): readonly Delta[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    this.#reply.discard();
    return this.#secrets.deltas(this.#decoder.end());
  }
}

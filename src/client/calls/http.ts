// One exchange with a provider over HTTP: the request goes out, and what comes back is an answer, whole or as deltas,
// or a failure in the common words.
import { DialectError } from "../../dialects/index.ts";
import type { StreamDecoder } from "../../dialects/index.ts";
import type { Delta, Response } from "../../model/index.ts";
import { JsonError, parseJson } from "../../model/index.ts";
import type { HttpLink, HttpReply, HttpRequest, Prepared, Transport } from "../types.ts";
import type { OpenAttempt } from "./attempts.ts";
import { AttemptFailure } from "./failure.ts";
import { orAborted } from "./or-aborted.ts";
import type { DeltaSource } from "./reading.ts";
import { isHtml, refusalOf, requestIdOf, unreadable } from "./reply-error.ts";
import type { CallScope } from "./scope.ts";

/** An error that is longer is no error but a mistake. */
const LONGEST_ERROR = 1_048_576;

export interface HttpExchange {
  link: HttpLink;
  prepared: Prepared;
  transport: Transport;
  scope: CallScope;
  attempt: OpenAttempt;
  connectMs: number;
}

/** Sends the request. Resolves with the headers of a reply that says it succeeded. */
export async function send(exchange: HttpExchange): Promise<HttpReply> {
  const { link, prepared, transport, scope, attempt, connectMs } = exchange;
  // What fetches a key is the caller's code: it may not heed the signal.
  const request = await orAborted(link.authorise(prepared.request), scope.signal);
  const reply = await transport.send(request, { signal: scope.signal, connectMs });
  attempt.replied(reply.status, requestIdOf(reply.headers));
  if (reply.status >= 200 && reply.status < 300) return reply;
  const text = withoutKeys(await readRefusal(reply, scope), request, prepared.request);
  throw new AttemptFailure(refusalOf(reply, text, prepared.dialect, scope.now()));
}

/** What a refusal says; the status counts even where its text breaks off or does not come. */
async function readRefusal(reply: HttpReply, scope: CallScope): Promise<string> {
  try {
    return await readText(reply, scope, LONGEST_ERROR);
  } catch {
    return "";
  }
}

/** Shorter ones would be found in any text. */
const SHORTEST_KEY = 8;

/** Some servers repeat the key in their complaint about it. */
function withoutKeys(text: string, sent: HttpRequest, prepared: HttpRequest): string {
  let clean = text;
  for (const [name, value] of Object.entries(sent.headers)) {
    if (prepared.headers[name] === value) continue;
    const key = value.replace(/^Bearer /, "");
    if (key.length >= SHORTEST_KEY) clean = clean.replaceAll(key, "[key]");
  }
  return clean;
}

async function readText(reply: HttpReply, scope: CallScope, limit = Infinity): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  scope.reading();
  for await (const chunk of reply.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > limit) break;
    scope.reading();
  }
  scope.read();
  return text + decoder.decode();
}

export function isEventStream({ headers }: HttpReply): boolean {
  return headers["content-type"]?.includes("text/event-stream") === true;
}

/** The whole answer of a reply; one that failed says so. */
export async function readWhole(reply: HttpReply, { prepared, scope }: HttpExchange): Promise<Response> {
  const { dialect, names } = prepared;
  const text = await readText(reply, scope);
  let response: Response;
  try {
    const wire = parseJson(text);
    response = dialect.decodeResponse(wire, { names });
    if (isNothing(response) && dialect.recognise(wire) === undefined) {
      throw new DialectError(dialect.id, "", "wrong-type", "There is no answer in it.");
    }
  } catch (cause) {
    if (!(cause instanceof JsonError || cause instanceof DialectError)) throw cause;
    throw new AttemptFailure(unreadable(text, reply.headers, dialect, cause), { cause });
  }
  return response;
}

/** What a lenient decoder makes of a body that is something else altogether. */
function isNothing({ id, message, usage, error }: Response): boolean {
  return id === "" && message.parts.length === 0 && usage === undefined && error === undefined;
}

/** The answer of a reply as it comes. */
export async function streamReply(reply: HttpReply, exchange: HttpExchange): Promise<DeltaSource> {
  const { prepared, scope } = exchange;
  if (!isHtml("", reply.headers)) return new HttpSource(reply, exchange);
  const text = await readText(reply, scope, LONGEST_ERROR);
  throw new AttemptFailure(unreadable(text, reply.headers, prepared.dialect));
}

/** How long the end of a reply is waited for once its answer is whole; then the connection is given up. */
const REST_MS = 1000;

class HttpSource implements DeltaSource {
  private readonly reply: HttpReply;
  private readonly body: AsyncIterator<Uint8Array>;
  private readonly decoder: StreamDecoder;
  private readonly scope: CallScope;
  private readonly signal: AbortSignal;
  private isOver = false;

  constructor(reply: HttpReply, { prepared, scope }: HttpExchange) {
    this.reply = reply;
    this.body = reply.body[Symbol.asyncIterator]();
    this.decoder = prepared.dialect.streamDecoder({ names: prepared.names });
    this.scope = scope;
    this.signal = scope.signal;
  }

  async read(): Promise<readonly Delta[] | undefined> {
    const { body, decoder, scope, signal } = this;
    while (!this.isOver) {
      // The signal's reason says who ended it.
      if (signal.aborted) throw signal.reason;
      scope.reading();
      const { done, value } = await body.next();
      scope.read();
      this.isOver = done === true;
      const deltas = done === true ? decoder.end() : decoder.push(value);
      if (deltas.length > 0) return deltas;
    }
    return undefined;
  }

  finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    void this.readRest();
  }

  /** A reply that is read to its end leaves its connection to the next one. */
  private async readRest(): Promise<void> {
    const timer = setTimeout(() => this.reply.discard(), REST_MS);
    try {
      let isEnded = false;
      while (!isEnded) isEnded = (await this.body.next()).done === true;
    } catch {
      // The answer is whole: how the connection ends is of no interest.
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): readonly Delta[] {
    if (this.isOver) return [];
    this.isOver = true;
    this.reply.discard();
    return this.decoder.end();
  }
}

// An answer as it arrives: read batch by batch, recorded on the way, and ended before its last word is given out, so
// that whoever has seen the end can count on the record.
import type { OpenAttempt } from "../../client/calls/attempts.ts";
import type { PreparedCall, Target } from "../../client/calls/call.ts";
import { errorDelta, failureOf } from "../../client/calls/failure.ts";
import type { HttpExchange } from "../../client/calls/http.ts";
import { isEventStream, send, streamReply } from "../../client/calls/http.ts";
import { askedOf, exchangeOf, openReading } from "../../client/calls/open.ts";
import { Reading } from "../../client/calls/reading.ts";
import type { Secrets } from "../../client/calls/secrets.ts";
import type { HttpReply } from "../../client/types.ts";
import type { Delta, Loss, ProviderError, Response } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import { failureOfCall } from "./failure.ts";
import type { OpenCall } from "./open-call.ts";
import { EventBytes } from "./event-bytes.ts";
import type { GatewayCall } from "./upstream.ts";

/** What an attempt gave: deltas, and the bytes that they come from where those can go on as they are. */
export interface Opened {
  reading: Reading;
  bytes?: EventBytes;
  reply?: HttpReply;
  /** What must not be among the bytes. */
  secrets?: Secrets;
}

/** One try at a stream: something of the answer has been read. */
export async function openStream(
  call: GatewayCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<Opened> {
  const opened = await openReply(call, target, ready, attempt);
  await opened.reading.open();
  call.scope.keepTurn();
  return opened;
}

async function openReply(
  call: GatewayCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<Opened> {
  const exchange = call.isForwarded ? exchangeOf(call, target, ready, attempt) : undefined;
  if (exchange === undefined) return { reading: await openReading(call, target, ready, attempt) };
  const reply = await send(exchange);
  return readReply(call, target, ready, exchange, reply);
}

/** The answer in a reply to what the client itself said. */
export async function readReply(
  call: GatewayCall,
  target: Target,
  ready: PreparedCall,
  exchange: HttpExchange,
  reply: HttpReply,
): Promise<Opened> {
  // A whole answer to a request for a stream is no events yet (B74).
  const bytes = isEventStream(reply) ? new EventBytes() : undefined;
  if (bytes !== undefined) exchange.tap = (chunk) => bytes.push(chunk);
  const reading = new Reading(await streamReply(reply, exchange), askedOf(target, ready), call.scope);
  return bytes === undefined ? { reading } : { reading, bytes, reply, secrets: exchange.secrets };
}

export class LiveAnswer {
  readonly open: OpenCall;
  /** The upstream's own bytes, where they are in the client's dialect. */
  readonly bytes: EventBytes | undefined;
  readonly reply: HttpReply | undefined;
  readonly #reading: Reading;
  readonly #secrets: Secrets | undefined;
  /** Why it was ended from outside. */
  #ended: ProviderError | undefined;

  constructor(open: OpenCall, { reading, bytes, reply, secrets }: Opened) {
    this.open = open;
    this.#reading = reading;
    this.bytes = bytes;
    this.reply = reply;
    this.#secrets = secrets;
  }

  /** The upstream's last bytes, with what it says of its failure, but no key that it repeats there. */
  lastBytes(): Uint8Array | undefined {
    const last = this.bytes?.drain();
    return last === undefined ? undefined : (this.#secrets?.bytes(last) ?? last);
  }

  /** Asks until something is said. Throws as `OpenCall.ask` does. */
  static async begin(open: OpenCall): Promise<LiveAnswer> {
    return new LiveAnswer(open, await open.ask((...tried) => openStream(open.call, ...tried)));
  }

  /** Nothing more comes: what was read last is the end of it. */
  get isOver(): boolean {
    return this.#reading.isOver || this.#ended !== undefined;
  }

  /** What went wrong, where something did. */
  get error(): ProviderError | undefined {
    return this.#ended ?? this.#reading.failure?.error;
  }

  /** The next deltas. Those of an answer that failed end with an `error`. Only while `isOver` is false. */
  async read(): Promise<readonly Delta[]> {
    try {
      const batch = (await this.#reading.next()) ?? [];
      this.open.recording?.push(batch);
      return batch;
    } catch (thrown) {
      this.#ended = endingOf(this.open, thrown);
      return [errorDelta(this.#ended)];
    }
  }

  /**
   * Ends the call, once all has been read. Resolves when it is recorded, to what must be said in place of the last words
   * where it could not be. `losses` are those of the answer at the client.
   */
  async conclude(losses: readonly Loss[], responseId?: string): Promise<ProviderError | undefined> {
    const { open } = this;
    const reading = this.#reading;
    const ended = this.#ended;
    const { failure } = reading;
    if (ended !== undefined) await open.fail(ended, failure?.partial, true);
    else if (failure !== undefined) await open.fail(failure.error, failure.partial);
    else {
      const response = reading.response();
      const answer = { streamed: response, responseId: responseId ?? response.id };
      const refused = await open.finish(response, losses, answer);
      return refused && failureOfCall(refused).error;
    }
    return undefined;
  }

  /** The whole answer, once all has been read and it has not failed. */
  response(): Response {
    return this.#reading.response();
  }
}

/** What a reader is told of a call that somebody ended. */
function endingOf({ call, recording }: OpenCall, thrown: unknown): ProviderError {
  const { ended } = call.scope;
  if (ended?.by !== "caller") return failureOf(thrown).error;
  if (ended.reason instanceof ServerError) return failureOfCall(ended.reason).error;
  const message = recording === undefined ? "The client left." : "The run was cancelled.";
  return { kind: "unknown", message };
}

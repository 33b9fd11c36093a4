// Reads a streamed answer in batches of deltas and records the answer. The recording is finished before the last batch
// is sent, so that a client that has received the end of the stream can read the stored answer.
import type { HttpExchange, HttpReply, OpenAttempt, PreparedCall, Secrets, Target } from "../../calls/index.ts";
import {
  AnswerReader,
  createExchange,
  isEventStream,
  openAnswerReader,
  openReplyStream,
  sendRequest,
  targetInfoFor,
  toAttemptFailure,
  toErrorDelta,
} from "../../calls/index.ts";
import type { Delta, Loss, ProviderError, ModelResponse } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import { toCallFailure } from "./call-failure.ts";
import type { OpenCall } from "./open-call.ts";
import { EventByteSplitter } from "./event-byte-splitter.ts";
import type { GatewayCall } from "./gateway-call.ts";

/** The result of a streamed attempt: the reader of the deltas, and the upstream's bytes if they can be forwarded. */
export interface OpenedStream {
  reader: AnswerReader;
  bytes?: EventByteSplitter;
  reply?: HttpReply;
  /** The provider's keys, which must not appear in forwarded bytes. */
  secrets?: Secrets;
}

/** Runs one streamed attempt; resolves when the first content has been read. */
export async function openStream(
  call: GatewayCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<OpenedStream> {
  const opened = await openUpstream(call, target, ready, attempt);
  await opened.reader.readFirstContent();
  call.scope.dropTimeShare();
  return opened;
}

async function openUpstream(
  call: GatewayCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<OpenedStream> {
  const exchange = call.isForwarded ? createExchange(call, target, ready, attempt) : undefined;
  if (exchange === undefined) return { reader: await openAnswerReader(call, target, ready, attempt) };
  const reply = await sendRequest(exchange);
  return readForwardedReply(call, target, ready, exchange, reply);
}

/**
 * Opens the stream of a reply to a forwarded request: its deltas and, if it is an event stream, its bytes for the
 * client.
 */
export async function readForwardedReply(
  call: GatewayCall,
  target: Target,
  ready: PreparedCall,
  exchange: HttpExchange,
  reply: HttpReply,
): Promise<OpenedStream> {
  // If the provider replies to a stream request with a whole answer, there are no events to forward (B74).
  const bytes = isEventStream(reply) ? new EventByteSplitter() : undefined;
  if (bytes !== undefined) exchange.onChunk = (chunk) => bytes.push(chunk);
  const reader = new AnswerReader(await openReplyStream(reply, exchange), targetInfoFor(target, ready), call.scope);
  return bytes === undefined ? { reader } : { reader, bytes, reply, secrets: exchange.secrets };
}

export class LiveAnswer {
  readonly open: OpenCall;
  /**
   * The upstream's bytes; undefined if they cannot be forwarded, because they are not events in the client's dialect.
   */
  readonly bytes: EventByteSplitter | undefined;
  readonly reply: HttpReply | undefined;
  readonly #reader: AnswerReader;
  readonly #secrets: Secrets | undefined;
  /** The error of a failed read, for example because the run was cancelled; undefined if no read has failed. */
  #endError: ProviderError | undefined;

  constructor(open: OpenCall, { reader, bytes, reply, secrets }: OpenedStream) {
    this.open = open;
    this.#reader = reader;
    this.bytes = bytes;
    this.reply = reply;
    this.#secrets = secrets;
  }

  /** Returns the upstream's remaining bytes, including its error event, with the provider's keys removed. */
  lastBytes(): Uint8Array | undefined {
    const last = this.bytes?.drain();
    return last === undefined ? undefined : (this.#secrets?.redactBytes(last) ?? last);
  }

  /**
   * Runs attempts until the first content of an answer has been read. If all attempts fail, ends the call and throws.
   */
  static async start(open: OpenCall): Promise<LiveAnswer> {
    return new LiveAnswer(open, await open.runAttempts((...attempt) => openStream(open.call, ...attempt)));
  }

  /** True after the last batch has been read. */
  get isOver(): boolean {
    return this.#reader.hasEnded || this.#endError !== undefined;
  }

  /** The error of the answer; undefined if the answer has not failed. */
  get error(): ProviderError | undefined {
    return this.#endError ?? this.#reader.failure?.error;
  }

  /**
   * Returns the next deltas; a failed answer ends with an `error` delta. May be called only while `isOver` is false.
   */
  async read(): Promise<readonly Delta[]> {
    try {
      const batch = (await this.#reader.next()) ?? [];
      this.open.recording?.push(batch);
      return batch;
    } catch (thrown) {
      this.#endError = toEndError(this.open, thrown);
      return [toErrorDelta(this.#endError)];
    }
  }

  /**
   * Ends the call after the last batch, and resolves when the answer has been recorded. Returns the error to send
   * instead of the last batch if recording failed, and otherwise undefined. `losses` are the losses of the answer in
   * the client's dialect.
   */
  async conclude(losses: readonly Loss[], responseId?: string): Promise<ProviderError | undefined> {
    const { open } = this;
    const reader = this.#reader;
    const ended = this.#endError;
    const { failure } = reader;
    if (ended !== undefined) await open.fail(ended, failure?.partial, true);
    else if (failure !== undefined) await open.fail(failure.error, failure.partial);
    else {
      const response = reader.response();
      const answer = { streamed: response, responseId: responseId ?? response.id };
      const recordError = await open.finish(response, losses, answer);
      return recordError && toCallFailure(recordError).error;
    }
    return undefined;
  }

  /** Returns the complete answer. May be called only after the last batch of an answer that has not failed. */
  response(): ModelResponse {
    return this.#reader.response();
  }
}

/** Converts the error of reading an answer to the error that the client receives. */
function toEndError({ call, recording }: OpenCall, thrown: unknown): ProviderError {
  const { ended } = call.scope;
  if (ended?.by !== "caller") return toAttemptFailure(thrown).error;
  if (ended.reason instanceof ServerError) return toCallFailure(ended.reason).error;
  const message = recording === undefined ? "The client disconnected." : "The run was cancelled.";
  return { kind: "unknown", message };
}

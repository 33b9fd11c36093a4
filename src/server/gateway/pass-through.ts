// Streams the upstream's bytes to a client of the same dialect without recording the answer. The bytes are searched
// only for the first content, event boundaries, errors and the end of the answer.
import { toProviderError } from "../../assembly/answer-fields.ts";
import type { HttpExchange, HttpReply, OpenAttempt, PreparedCall, Secrets, Target } from "../../calls/index.ts";
import {
  AttemptFailure,
  createExchange,
  isContentDelta,
  isEventStream,
  sendRequest,
  toAttemptFailure,
} from "../../calls/index.ts";
import type { ProviderError } from "../../model/index.ts";
import type { ClientProtocol } from "./protocols.ts";
import { EventByteSplitter } from "./event-byte-splitter.ts";
import type { OpenedStream } from "./live-answer.ts";
import { openStream, readForwardedReply } from "./live-answer.ts";
import type { OpenCall } from "./open-call.ts";
import type { ClientStream, OutputChunk } from "./client-stream.ts";
import { joinChunks } from "./client-stream.ts";
import { findStreamEnd } from "./detect-stream-end.ts";

/** An upstream reply whose first content has arrived. */
export interface PassThroughReply {
  reply: HttpReply;
  body: AsyncIterator<Uint8Array>;
  bytes: EventByteSplitter;
  secrets: Secrets;
}

/**
 * Runs one attempt. Returns the undecoded reply if its bytes can be forwarded, and otherwise a decoded stream, because
 * the reply is a whole answer or the target has another dialect.
 */
export async function openPassThrough(
  { call }: OpenCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<PassThroughReply | OpenedStream> {
  const exchange = call.isForwarded ? createExchange(call, target, ready, attempt) : undefined;
  if (exchange === undefined) return openStream(call, target, ready, attempt);
  const reply = await sendRequest(exchange);
  if (!isEventStream(reply)) {
    const opened = await readForwardedReply(call, target, ready, exchange, reply);
    await opened.reader.readFirstContent();
    return opened;
  }
  const { secrets } = exchange;
  const upstream: PassThroughReply = {
    reply,
    body: reply.body[Symbol.asyncIterator](),
    bytes: new EventByteSplitter(),
    secrets,
  };
  try {
    await readUntilContent(upstream, exchange);
  } catch (thrown) {
    reply.discard();
    throw secrets.toFailure(thrown);
  }
  call.scope.dropTimeShare();
  return upstream;
}

/**
 * The number of bytes at the start of a stream that are searched for the first content. They are forwarded even if no
 * content was found.
 */
const MAX_LEADING_BYTES = 65_536;

/**
 * Reads up to the first content. Throws if the stream fails or ends before any content, so that the call is retried.
 */
async function readUntilContent({ body, bytes }: PassThroughReply, { prepared, scope }: HttpExchange): Promise<void> {
  const decoder = prepared.dialect.streamDecoder({ names: prepared.renames });
  for (let size = 0; size < MAX_LEADING_BYTES;) {
    scope.startSilence();
    const read = await body.next();
    scope.endSilence();
    const deltas = read.done === true ? decoder.end() : decoder.push(read.value);
    if (read.done !== true) {
      bytes.push(read.value);
      size += read.value.length;
    }
    if (deltas.some(isContentDelta)) return;
    const failed = deltas.find(({ kind }) => kind === "error");
    if (failed?.kind === "error") throw new AttemptFailure(toProviderError(failed.payload));
    if (read.done === true) throw new AttemptFailure(STREAM_CUT_OFF);
  }
}

/** The number of last chunks that are searched for the end event. Usage and other events may follow the end event. */
const TAIL_CHUNKS = 4;

export class PassThroughStream implements ClientStream {
  readonly #open: OpenCall;
  readonly #upstream: PassThroughReply;
  readonly #protocol: ClientProtocol;
  /** A ring buffer of the last `TAIL_CHUNKS` chunks. */
  readonly #tail: Uint8Array[] = [];
  #count = 0;
  #isFirst = true;
  #isOver = false;

  constructor(open: OpenCall, upstream: PassThroughReply, protocol: ClientProtocol) {
    this.#open = open;
    this.#upstream = upstream;
    this.#protocol = protocol;
  }

  async next(): Promise<OutputChunk | undefined> {
    if (this.#isOver) return undefined;
    if (this.#isFirst) {
      this.#isFirst = false;
      return this.#takeEvents();
    }
    const { bytes, body } = this.#upstream;
    const { scope } = this.#open.call;
    scope.startSilence();
    let read: IteratorResult<Uint8Array>;
    try {
      read = await body.next();
    } catch (thrown) {
      return this.#end(toAttemptFailure(thrown).error);
    }
    scope.endSilence();
    if (read.done === true) return this.#end(undefined);
    bytes.push(read.value);
    return this.#takeEvents();
  }

  #takeEvents(): OutputChunk {
    const { bytes, secrets } = this.#upstream;
    const chunk = bytes.take();
    if (chunk === undefined) return "";
    this.#tail[this.#count++ % TAIL_CHUNKS] = chunk;
    return hideProviderKeys(chunk, secrets);
  }

  /** Ends the call and returns the last chunk. `error` is undefined if the upstream has ended without a read error. */
  async #end(error: ProviderError | undefined): Promise<OutputChunk> {
    this.#isOver = true;
    const open = this.#open;
    const protocol = this.#protocol;
    const { bytes, secrets } = this.#upstream;
    const isAborted = open.call.scope.ended?.by === "caller";
    const rest = error === undefined ? bytes.drain() : undefined;
    const end = error === undefined ? findStreamEnd(this.#tailChunks(rest), protocol.detectEnd) : undefined;
    const failure = error ?? (end === undefined ? STREAM_CUT_OFF : undefined);
    if (end === "whole") await open.finish(undefined);
    else await open.fail(failure ?? STREAM_FAILED, undefined, isAborted ? true : undefined);
    const lastChunk = rest === undefined ? "" : hideProviderKeys(rest, secrets);
    return joinChunks([lastChunk, failure === undefined ? "" : protocol.failureEvent(failure)]);
  }

  /** Returns the last chunks in order of arrival, followed by `rest`, the bytes of an incomplete last event. */
  #tailChunks(rest: Uint8Array | undefined): Uint8Array[] {
    const oldest = this.#count > TAIL_CHUNKS ? this.#count % TAIL_CHUNKS : 0;
    const chunks = [...this.#tail.slice(oldest), ...this.#tail.slice(0, oldest)];
    // A blank line is added, because the parser ignores an event without one and the last event may lack it.
    if (rest !== undefined) chunks.push(rest, BLANK_LINE);
    return chunks;
  }
}

/** Removes the provider's keys from a chunk with an error event, because error messages may contain keys. */
function hideProviderKeys(chunk: Uint8Array, secrets: Secrets): Uint8Array {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  return text.includes('"error"') ? secrets.redactBytes(chunk) : chunk;
}

const BLANK_LINE = Buffer.from("\n\n");
const STREAM_FAILED: ProviderError = { kind: "server", message: "The provider's stream ended with an error." };

const STREAM_CUT_OFF: ProviderError = {
  kind: "truncated",
  message: "The provider's stream ended before its answer did.",
};

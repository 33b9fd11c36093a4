// A stream in the client's own dialect that nobody records: the upstream's bytes go on as they come, and nothing is read
// of them but the first words, where events end, and whether the last one was there.
import { errorOf } from "../../assembly/answer-fields.ts";
import type { OpenAttempt } from "../../client/calls/attempts.ts";
import type { PreparedCall, Target } from "../../client/calls/call.ts";
import { AttemptFailure, failureOf } from "../../client/calls/failure.ts";
import type { HttpExchange } from "../../client/calls/http.ts";
import { isEventStream, send } from "../../client/calls/http.ts";
import { exchangeOf } from "../../client/calls/open.ts";
import { saysSomething } from "../../client/calls/reading.ts";
import type { Secrets } from "../../client/calls/secrets.ts";
import type { HttpReply } from "../../client/types.ts";
import type { ProviderError } from "../../model/index.ts";
import type { ClientProtocol } from "./doors.ts";
import { EventBytes } from "./event-bytes.ts";
import type { Opened } from "./live.ts";
import { openStream, readReply } from "./live.ts";
import type { OpenCall } from "./open-call.ts";
import type { ClientStream, OutputChunk } from "./outgoing.ts";
import { joined } from "./outgoing.ts";
import { endIn } from "./stream-ends.ts";

/** A reply whose first words have come. */
export interface RawReply {
  reply: HttpReply;
  body: AsyncIterator<Uint8Array>;
  bytes: EventBytes;
  secrets: Secrets;
}

/** One try at a stream that is handed on unread; an answer in another form, or dialect, is read. */
export async function openRaw(
  { call }: OpenCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<RawReply | Opened> {
  const exchange = call.isForwarded ? exchangeOf(call, target, ready, attempt) : undefined;
  if (exchange === undefined) return openStream(call, target, ready, attempt);
  const reply = await send(exchange);
  if (!isEventStream(reply)) {
    const opened = await readReply(call, target, ready, exchange, reply);
    await opened.reading.open();
    return opened;
  }
  const { secrets } = exchange;
  const raw: RawReply = { reply, body: reply.body[Symbol.asyncIterator](), bytes: new EventBytes(), secrets };
  try {
    await readFirst(raw, exchange);
  } catch (thrown) {
    reply.discard();
    throw secrets.failureOf(thrown);
  }
  call.scope.keepTurn();
  return raw;
}

/** So much is read in search of the first word; what has more before it is handed on all the same. */
const LONGEST_BEGINNING = 65_536;

/** Reads until something is said. What fails, or breaks off, before that can be asked for again, here or elsewhere. */
async function readFirst({ body, bytes }: RawReply, { prepared, scope }: HttpExchange): Promise<void> {
  const decoder = prepared.dialect.streamDecoder({ names: prepared.names });
  for (let size = 0; size < LONGEST_BEGINNING;) {
    scope.reading();
    const read = await body.next();
    scope.read();
    const deltas = read.done === true ? decoder.end() : decoder.push(read.value);
    if (read.done !== true) {
      bytes.push(read.value);
      size += read.value.length;
    }
    if (deltas.some(saysSomething)) return;
    const failed = deltas.find(({ kind }) => kind === "error");
    if (failed?.kind === "error") throw new AttemptFailure(errorOf(failed.payload));
    if (read.done === true) throw new AttemptFailure(CUT_OFF);
  }
}

/** So many of the last pieces are looked at for the end: usage and the like may follow it. */
const LAST_PIECES = 4;

export class PassThroughStream implements ClientStream {
  readonly #open: OpenCall;
  readonly #raw: RawReply;
  readonly #door: ClientProtocol;
  /** The last pieces, in a ring. */
  readonly #last: Uint8Array[] = [];
  #count = 0;
  #isFirst = true;
  #isOver = false;

  constructor(open: OpenCall, raw: RawReply, door: ClientProtocol) {
    this.#open = open;
    this.#raw = raw;
    this.#door = door;
  }

  async next(): Promise<OutputChunk | undefined> {
    if (this.#isOver) return undefined;
    if (this.#isFirst) {
      this.#isFirst = false;
      return this.#take();
    }
    const { bytes, body } = this.#raw;
    const { scope } = this.#open.call;
    scope.reading();
    let read: IteratorResult<Uint8Array>;
    try {
      read = await body.next();
    } catch (thrown) {
      return this.#end(failureOf(thrown).error);
    }
    scope.read();
    if (read.done === true) return this.#end(undefined);
    bytes.push(read.value);
    return this.#take();
  }

  #take(): OutputChunk {
    const { bytes, secrets } = this.#raw;
    const piece = bytes.take();
    if (piece === undefined) return "";
    this.#last[this.#count++ % LAST_PIECES] = piece;
    return withoutKeys(piece, secrets);
  }

  /** `error`: why there is no more, where that is no end. */
  async #end(error: ProviderError | undefined): Promise<OutputChunk> {
    this.#isOver = true;
    const open = this.#open;
    const door = this.#door;
    const { bytes, secrets } = this.#raw;
    const isAborted = open.call.scope.ended?.by === "caller";
    const rest = error === undefined ? bytes.drain() : undefined;
    const end = error === undefined ? endIn(this.#lastPieces(rest), door.detectEnd) : undefined;
    const failure = error ?? (end === undefined ? CUT_OFF : undefined);
    if (end === "whole") await open.finish(undefined);
    else await open.fail(failure ?? FAILED, undefined, isAborted ? true : undefined);
    const said = rest === undefined ? "" : withoutKeys(rest, secrets);
    return joined([said, failure === undefined ? "" : door.failureEvent(failure)]);
  }

  /** In the order in which they came. */
  #lastPieces(rest: Uint8Array | undefined): Uint8Array[] {
    const oldest = this.#count > LAST_PIECES ? this.#count % LAST_PIECES : 0;
    const pieces = [...this.#last.slice(oldest), ...this.#last.slice(0, oldest)];
    // What ends without a blank line was meant to have one.
    if (rest !== undefined) pieces.push(rest, BLANK);
    return pieces;
  }
}

/** Providers quote keys in their complaints: events that may be such ones are looked at. */
function withoutKeys(piece: Uint8Array, secrets: Secrets): Uint8Array {
  const text = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  return text.includes('"error"') ? secrets.bytes(piece) : piece;
}

const BLANK = Buffer.from("\n\n");
const FAILED: ProviderError = { kind: "server", message: "The provider's stream ended with an error." };

const CUT_OFF: ProviderError = { kind: "truncated", message: "The provider's stream ended before its answer did." };

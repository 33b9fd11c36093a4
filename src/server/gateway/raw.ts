// A stream in the client's own dialect that nobody records: the upstream's bytes go on as they come, and nothing is read
// of them but where events end and whether the last one was there.
import type { OpenAttempt } from "../../client/calls/attempts.ts";
import type { Ready, Target } from "../../client/calls/call.ts";
import { failureOf } from "../../client/calls/failure.ts";
import { isEventStream, send } from "../../client/calls/http.ts";
import { exchangeOf } from "../../client/calls/open.ts";
import type { HttpReply } from "../../client/types.ts";
import type { ProviderError } from "../../model/index.ts";
import type { Door } from "./doors.ts";
import { EventBytes } from "./event-bytes.ts";
import type { Opened } from "./live.ts";
import { openStream, readReply } from "./live.ts";
import type { OpenCall } from "./open-call.ts";
import type { Outgoing, Piece } from "./outgoing.ts";
import { joined } from "./outgoing.ts";

/** A reply whose first bytes have come. */
export interface RawReply {
  reply: HttpReply;
  body: AsyncIterator<Uint8Array>;
  bytes: EventBytes;
}

/** One try at a stream that is handed on unread; an answer in another form, or dialect, is read. */
export async function openRaw(
  { call }: OpenCall,
  target: Target,
  ready: Ready,
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
  const raw: RawReply = { reply, body: reply.body[Symbol.asyncIterator](), bytes: new EventBytes() };
  call.scope.reading();
  // A reply that breaks off before it has said anything can be asked for again.
  const first = await raw.body.next();
  call.scope.read();
  if (first.done !== true) raw.bytes.push(first.value);
  call.scope.keepTurn();
  return raw;
}

/** So many of the last pieces are looked at for the end: usage and the like may follow it. */
const LAST_PIECES = 4;

export class Raw implements Outgoing {
  private readonly open: OpenCall;
  private readonly raw: RawReply;
  private readonly door: Door;
  /** The last pieces, in a ring. */
  private readonly last: Uint8Array[] = [];
  private count = 0;
  private isFirst = true;
  private isOver = false;

  constructor(open: OpenCall, raw: RawReply, door: Door) {
    this.open = open;
    this.raw = raw;
    this.door = door;
  }

  async next(): Promise<Piece | undefined> {
    if (this.isOver) return undefined;
    if (this.isFirst) {
      this.isFirst = false;
      return this.take();
    }
    const { bytes, body } = this.raw;
    const { scope } = this.open.call;
    scope.reading();
    let read: IteratorResult<Uint8Array>;
    try {
      read = await body.next();
    } catch (thrown) {
      return this.end(failureOf(thrown).error);
    }
    scope.read();
    if (read.done === true) return this.end(undefined);
    bytes.push(read.value);
    return this.take();
  }

  private take(): Piece {
    const piece = this.raw.bytes.take();
    if (piece === undefined) return "";
    this.last[this.count++ % LAST_PIECES] = piece;
    return piece;
  }

  /** `error`: why there is no more, where that is no end. */
  private async end(error: ProviderError | undefined): Promise<Piece> {
    this.isOver = true;
    const { open, door } = this;
    const { bytes } = this.raw;
    const isAborted = open.call.scope.ended?.by === "caller";
    const rest = error === undefined ? bytes.drain() : undefined;
    if (rest !== undefined) this.last.push(rest);
    const failure = error ?? (this.hasEnding() ? undefined : CUT_OFF);
    if (failure === undefined) await open.finish(undefined);
    else await open.fail(failure, undefined, isAborted ? true : undefined);
    return joined([rest ?? "", failure === undefined ? "" : door.failureEvent(failure)]);
  }

  private hasEnding(): boolean {
    const text = Buffer.concat(this.last).toString();
    return this.door.endings.some((ending) => text.includes(ending));
  }
}

const CUT_OFF: ProviderError = { kind: "truncated", message: "The provider's stream ended before its answer did." };

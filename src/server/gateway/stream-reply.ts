// The reply to a request for a stream: its head goes out with the first words of the answer, or when those have been
// waited for so long that the client must hear something.
import { disassemble } from "../../assembly/index.ts";
import type { Response } from "../../model/index.ts";
import type { Reply, Sink } from "../types.ts";
import { failureOfCall } from "./failure.ts";
import { countLosses } from "./counters.ts";
import type { Heartbeats } from "./heartbeats.ts";
import type { Opened } from "./live.ts";
import { LiveAnswer, openStream } from "./live.ts";
import type { OpenCall } from "./open-call.ts";
import type { ClientStream, OutputChunk, StreamEncodingOptions } from "./outgoing.ts";
import { firstWords, restated, RecordedPassThrough, TranslatedStream } from "./outgoing.ts";
import type { RawReply } from "./raw.ts";
import { openRaw, PassThroughStream } from "./raw.ts";
import { koineHeaders, recordHeaders, upstreamHeaders } from "./reply-headers.ts";

/** A stream on its way, and what its head says. */
interface Begun {
  out: ClientStream;
  /** Goes out together with the head. */
  first: OutputChunk;
  headers: Record<string, string>;
}

export interface Streaming extends StreamEncodingOptions {
  contentType: string;
  /** What keeps the stream alive. */
  beat: string;
  /** Whether the upstream's own bytes may be handed on. */
  takesBytes: boolean;
}

async function begin(open: OpenCall, streaming: Streaming): Promise<Begun> {
  const { takesBytes } = streaming;
  const isUnread = takesBytes && open.recording === undefined;
  const opened = await open.ask((...tried) => (isUnread ? openRaw(open, ...tried) : openStream(open.call, ...tried)));
  const out = outgoingOf(open, opened, streaming);
  const { reply } = opened;
  const upstream = reply === undefined || !takesBytes ? undefined : upstreamHeaders(reply);
  return { out, first: (await out.next()) ?? "", headers: headOf(open, streaming, upstream) };
}

function outgoingOf(open: OpenCall, opened: RawReply | Opened, streaming: Streaming): ClientStream {
  const { door, takesBytes } = streaming;
  if ("body" in opened) return new PassThroughStream(open, opened, door);
  const live = new LiveAnswer(open, opened);
  return live.bytes === undefined || !takesBytes
    ? new TranslatedStream(live, streaming)
    : new RecordedPassThrough(live, door);
}

function headOf(
  open: OpenCall,
  { contentType }: Pick<Streaming, "contentType">,
  upstream: Readonly<Record<string, string>> = {},
  isLate = false,
): Record<string, string> {
  return {
    ...upstream,
    "content-type": contentType,
    "cache-control": "no-cache",
    // Proxies that collect replies would hold back what is meant to be seen at once.
    "x-accel-buffering": "no",
    // Nobody knows yet who will answer, where the head cannot wait for it.
    ...(isLate ? recordHeaders(open) : koineHeaders(open, countLosses(open.losses))),
  };
}

const LATE = Symbol("late");

/** Rejects where the call fails before anything was sent: the caller says so with a status. */
export async function streamReply(open: OpenCall, streaming: Streaming, heartbeats: Heartbeats): Promise<Reply> {
  const { services } = open;
  const beginning = begin(open, streaming);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  // A recorded run goes on without its client (B89), from its first moment, and a shutdown waits for it.
  if (open.recording !== undefined) services.background(over);
  beginning.catch(() => end());
  const first = await orLate(beginning, services.config.heartbeatMs);
  const begun = first === LATE ? undefined : first;
  const headers = begun?.headers ?? headOf(open, streaming, {}, true);
  return {
    status: 200,
    headers,
    body(sink) {
      return write(open, begun ?? beginning, streaming, heartbeats, sink).finally(end);
    },
  };
}

async function orLate<T>(promise: Promise<T>, ms: number): Promise<T | typeof LATE> {
  const late = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => late.resolve(LATE), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Writes what comes, one write for each read of the upstream. */
async function write(
  open: OpenCall,
  beginning: Begun | Promise<Begun>,
  { framing, beat }: Streaming,
  heartbeats: Heartbeats,
  sink: Sink,
): Promise<void> {
  const pulse = heartbeats.begin(sink, beat);
  try {
    if (beginning instanceof Promise) void sink.write(beat);
    const { out, first } = beginning instanceof Promise ? await beginning : beginning;
    for (let piece: OutputChunk | undefined = first; piece !== undefined; piece = await out.next()) {
      if (piece.length === 0) continue;
      pulse.touch();
      const room = sink.write(piece);
      if (room !== undefined) await room;
    }
  } catch (thrown) {
    await open.giveUp(thrown);
    const failure = failureOfCall(thrown);
    if (failure.code === "internal") throw thrown;
    open.services.log.debug("gateway.failed-late", { kind: failure.error.kind });
    void sink.write(framing.failure(failure.error));
    const end = framing.end();
    if (end !== "") void sink.write(end);
  } finally {
    pulse.end();
  }
}

/** An answer that was given before, as a stream (B95). */
export function earlierStream(open: OpenCall, earlier: Response, streaming: Streaming): Reply {
  const { door, framing, includeUsage } = streaming;
  const encoder = door.dialect.streamEncoder({ includeUsage });
  let text = "";
  for (const delta of firstWords(streaming, disassemble(earlier))) {
    for (const event of encoder.push(delta)) text += String(framing.event(restated(event, streaming)));
  }
  open.discard();
  return { status: 200, headers: headOf(open, streaming), body: text + framing.end() };
}

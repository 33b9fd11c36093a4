// Creates the reply to a stream request. The headers are sent with the first content, or after `heartbeatMs` if there
// is no content by then, so that the client does not time out.
import { disassemble } from "../../assembly/index.ts";
import type { ModelResponse } from "../../model/index.ts";
import type { ServerReply, Sink } from "../types.ts";
import { toCallFailure } from "./call-failure.ts";
import { countLosses } from "./call-counters.ts";
import type { Heartbeats } from "./heartbeats.ts";
import type { OpenedStream } from "./live-answer.ts";
import { LiveAnswer, openStream } from "./live-answer.ts";
import type { OpenCall } from "./open-call.ts";
import type { ClientStream, OutputChunk, StreamEncodingOptions } from "./client-stream.ts";
import { completeFirstDeltas, withEchoedSettings, RecordedPassThrough, TranslatedStream } from "./client-stream.ts";
import type { PassThroughReply } from "./pass-through.ts";
import { openPassThrough, PassThroughStream } from "./pass-through.ts";
import { koineHeaders, recordHeaders, upstreamHeaders } from "./reply-headers.ts";

/** A stream whose first chunk has been read. */
interface StartedStream {
  stream: ClientStream;
  /** The first chunk, which is sent together with the headers. */
  first: OutputChunk;
  headers: Record<string, string>;
}

export interface StreamReplyOptions extends StreamEncodingOptions {
  contentType: string;
  /** The text that keeps the connection open while the upstream sends nothing. */
  heartbeat: string;
  /** True if the upstream's bytes may be forwarded when they are in the client's dialect. */
  canPassBytes: boolean;
}

async function startStream(open: OpenCall, streaming: StreamReplyOptions): Promise<StartedStream> {
  const { canPassBytes } = streaming;
  const isPassThrough = canPassBytes && open.recording === undefined;
  const opened = await open.runAttempts((...attempt) =>
    isPassThrough ? openPassThrough(open, ...attempt) : openStream(open.call, ...attempt),
  );
  const out = createClientStream(open, opened, streaming);
  const { reply } = opened;
  const upstream = reply === undefined || !canPassBytes ? undefined : upstreamHeaders(reply);
  return { stream: out, first: (await out.next()) ?? "", headers: createStreamHeaders(open, streaming, upstream) };
}

function createClientStream(
  open: OpenCall,
  opened: PassThroughReply | OpenedStream,
  streaming: StreamReplyOptions,
): ClientStream {
  const { protocol, canPassBytes } = streaming;
  if ("body" in opened) return new PassThroughStream(open, opened, protocol);
  const live = new LiveAnswer(open, opened);
  return live.bytes === undefined || !canPassBytes
    ? new TranslatedStream(live, streaming)
    : new RecordedPassThrough(live, protocol);
}

function createStreamHeaders(
  open: OpenCall,
  { contentType }: Pick<StreamReplyOptions, "contentType">,
  upstream: Readonly<Record<string, string>> = {},
  isLate = false,
): Record<string, string> {
  return {
    ...upstream,
    "content-type": contentType,
    "cache-control": "no-cache",
    // Stops proxies such as nginx from buffering the stream.
    "x-accel-buffering": "no",
    // If the headers are sent before the first content, the provider is not known yet, so the headers contain only the
    // ids of the recorded thread and run.
    ...(isLate ? recordHeaders(open) : koineHeaders(open, countLosses(open.losses))),
  };
}

const TIMED_OUT = Symbol("late");

/**
 * Returns the reply of a stream. Rejects if the call fails before the headers are sent, so that the caller can reply
 * with an error status.
 */
export async function streamReply(
  open: OpenCall,
  streaming: StreamReplyOptions,
  heartbeats: Heartbeats,
): Promise<ServerReply> {
  const { services } = open;
  const starting = startStream(open, streaming);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  // A recorded run continues if its client disconnects (B89), so shutdown waits for the run.
  if (open.recording !== undefined) services.background(over);
  starting.catch(() => end());
  const first = await orTimeout(starting, services.config.heartbeatMs);
  const started = first === TIMED_OUT ? undefined : first;
  const headers = started?.headers ?? createStreamHeaders(open, streaming, {}, true);
  return {
    status: 200,
    headers,
    body(sink) {
      return writeStream(open, started ?? starting, streaming, heartbeats, sink).finally(end);
    },
  };
}

async function orTimeout<T>(promise: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> {
  const late = Promise.withResolvers<typeof TIMED_OUT>();
  const timer = setTimeout(() => late.resolve(TIMED_OUT), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Writes the chunks of a stream, with one write for each read of the upstream. */
async function writeStream(
  open: OpenCall,
  starting: StartedStream | Promise<StartedStream>,
  { framing, heartbeat }: StreamReplyOptions,
  heartbeats: Heartbeats,
  sink: Sink,
): Promise<void> {
  const heartbeatTimer = heartbeats.start(sink, heartbeat);
  try {
    if (starting instanceof Promise) void sink.write(heartbeat);
    const { stream: out, first } = starting instanceof Promise ? await starting : starting;
    for (let chunk: OutputChunk | undefined = first; chunk !== undefined; chunk = await out.next()) {
      if (chunk.length === 0) continue;
      heartbeatTimer.touch();
      const drained = sink.write(chunk);
      if (drained !== undefined) await drained;
    }
  } catch (thrown) {
    await open.giveUp(thrown);
    const failure = toCallFailure(thrown);
    if (failure.code === "internal") throw thrown;
    open.services.log.debug("gateway.failed-late", { kind: failure.error.kind });
    void sink.write(framing.failure(failure.error));
    const end = framing.end();
    if (end !== "") void sink.write(end);
  } finally {
    heartbeatTimer.end();
  }
}

/** Replies with a stream of the stored answer of an earlier call that has the same idempotency key (B95). */
export function replayStreamReply(
  open: OpenCall,
  earlierAnswer: ModelResponse,
  streaming: StreamReplyOptions,
): ServerReply {
  const { protocol, framing, includeUsage } = streaming;
  const encoder = protocol.dialect.streamEncoder({ includeUsage });
  let text = "";
  for (const delta of completeFirstDeltas(streaming, disassemble(earlierAnswer))) {
    for (const event of encoder.push(delta)) text += String(framing.event(withEchoedSettings(event, streaming)));
  }
  open.discard();
  return { status: 200, headers: createStreamHeaders(open, streaming), body: text + framing.end() };
}

// The dialect contract: what everything outside uses (`Dialect`), and what the author of a dialect writes
// (`DialectSpec`). `defineDialect` makes the one from the other.
import type { Clock } from "../assembly/stamp.ts";
import type { Delta } from "../model/delta.ts";
import type { JsonObject } from "../model/json.ts";
import type { Loss } from "../model/loss.ts";
import type { Message } from "../model/message.ts";
import type { ProviderError } from "../model/provider-error.ts";
import type { ModelRequest } from "../model/request.ts";
import type { ModelResponse } from "../model/response.ts";
import type { DialectErrorCode } from "./errors.ts";
import type { LossTable, Report } from "./kit/report.ts";
import type { PathTracker } from "./kit/trail.ts";

/** What travels outside the body: a model or stream flag in the URL, headers. It counts as arrived. */
export interface RequestEnvelope {
  model?: string;
  stream?: boolean;
  headers?: Record<string, string>;
}

/** What had to change for the target, so that the decoder of the reply can undo it. */
export interface Renames {
  /** Tool ids and names: what the wire says → what the model says. */
  toolCallIds?: Record<string, string>;
  toolNames?: Record<string, string>;
  /** The tools, by the model's names, whose free text was put into an object. */
  textTools?: string[];
}

export interface Encoded<Wire = unknown> {
  wire: Wire;
  /** Everything that did not arrive as it was. */
  losses: Loss[];
  address?: RequestEnvelope;
  names?: Renames;
}

export interface WireEvent {
  event?: string;
  data: object | "[DONE]";
}

export interface StreamDecoder {
  /**
   * An event: the parsed data, `{ event?, data }` with the data parsed or as an `SseParser` gives it, or "[DONE]". Or
   * the next bytes of a reply, cut anywhere; any other text counts as such, too.
   */
  push(event: unknown): Delta[];
  /** The input has ended. */
  end(): Delta[];
}

/** One event as it lay in the bytes: its name where it has one, and its data; text is JSON still to be read. */
export interface Frame {
  event?: string;
  data: unknown;
}

/** Finds the events in the bytes of a stream. */
export interface FrameReader {
  push(chunk: Uint8Array | string): Frame[];
  end(): Frame[];
}

/** What the author of a dialect writes to read its streams: one event at a time, unwrapped. */
export interface EventDecoder {
  push(data: unknown, event: string | undefined): Delta[];
  /** No more events come. An answer that has not ended fails for the reason given, else as truncated (B73). */
  end(reason?: Delta): Delta[];
}

export interface StreamEncoder {
  push(delta: Delta): WireEvent[];
  end(): WireEvent[];
  /** The losses so far; paths point into the assembled response. */
  readonly losses: Loss[];
}

export interface DialectOptions {
  /** Stamped on what is read, compared with what is sent (B5). */
  provider?: string | undefined;
  /** Whose habits the wire has, where a vendor speaks a dialect with quirks. */
  vendor?: string | undefined;
}
export interface DecodeRequestOptions {
  address?: RequestEnvelope;
}
export interface EncodeRequestOptions {
  /** false: no repairs. */
  repair?: boolean | undefined;
}
export interface DecodeReplyOptions {
  names?: Renames | undefined;
}
export interface EncodeStreamOptions {
  includeUsage?: boolean | undefined;
  /** The run that stamped deltas belong to. */
  runId?: string | undefined;
  clock?: Clock | undefined;
}
export interface EncodeMessagesOptions {
  /** The version to write, for shapes that have several. */
  version?: number | undefined;
  /** Makes ids, for shapes that need one on every message. */
  newId?: (() => string) | undefined;
  /** The run that messages without one belong to. */
  runId?: string | undefined;
  clock?: Clock | undefined;
}

/** The five things a dialect may carry. */
export const CAPABILITIES = ["messages", "requests", "responses", "errors", "streams"] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** What a payload may be: a body, or one event of a stream. */
export type PayloadKind = "request" | "response" | "stream" | "error";

/** One wire format, both ways. What it does not carry throws a `DialectError` with the code `not-carried`. */
export interface Dialect {
  readonly id: string;
  readonly title: string;
  readonly supports: ReadonlySet<Capability>;
  /** Every loss that encoding into this dialect can cause. */
  readonly losses: LossTable;
  /** What a payload is, where it shows that it is of this dialect. */
  detectKind(wire: unknown): PayloadKind | undefined;
  decodeRequest(wire: unknown, options?: DecodeRequestOptions): ModelRequest;
  encodeRequest(request: ModelRequest, options?: EncodeRequestOptions): Encoded;
  decodeResponse(wire: unknown, options?: DecodeReplyOptions): ModelResponse;
  encodeResponse(response: ModelResponse, options?: EncodeRequestOptions): Encoded;
  decodeError(wire: unknown, status?: number): ProviderError;
  encodeError(error: ProviderError): { status: number; wire: unknown };
  streamDecoder(options?: DecodeReplyOptions): StreamDecoder;
  streamEncoder(options?: EncodeStreamOptions): StreamEncoder;
  /** The bytes or text of one event of a stream, as they go over the wire. */
  formatEvent(event: WireEvent): Uint8Array | string;
  /** A fragment such as `{ system?, messages }`, or a bare list. */
  decodeMessages(wire: unknown): Message[];
  encodeMessages(messages: readonly Message[], options?: EncodeMessagesOptions): Encoded;
}

/** What a decoder is given beside the wire. */
export interface DecodeContext extends DialectOptions {
  readonly dialect: string;
  readonly pathTracker: PathTracker;
  /** Throws a `DialectError` at the value in hand, or at a field of it. */
  fail(code: DialectErrorCode, message: string, field?: string | number): never;
}

/** What an encoder is given beside the value. */
export interface EncodeContext<Code extends string = string> extends DialectOptions {
  readonly dialect: string;
  readonly pathTracker: PathTracker;
  readonly report: Report<Code>;
  /** Whether what the target would refuse is mended, and reported. */
  readonly repair: boolean;
}

type WithoutLosses = Omit<Encoded, "losses">;

/** What the author of a dialect writes: its losses, and a pair of functions for each thing it carries. */
export interface DialectSpec<Code extends string = string> {
  id: string;
  title: string;
  losses: Readonly<Record<Code, LossTable[string]>>;
  /** What a payload is, if it can be nothing else; how `detect` knows. */
  detectKind?(wire: JsonObject): PayloadKind | undefined;
  messages: {
    decode(wire: unknown, context: DecodeContext): Message[];
    encode(messages: readonly Message[], context: EncodeContext<Code>, options: EncodeMessagesOptions): unknown;
  };
  requests?: {
    decode(wire: unknown, context: DecodeContext, options: DecodeRequestOptions): ModelRequest;
    encode(request: ModelRequest, context: EncodeContext<Code>, options: EncodeRequestOptions): WithoutLosses;
  };
  responses?: {
    decode(wire: unknown, context: DecodeContext, options: DecodeReplyOptions): ModelResponse;
    encode(response: ModelResponse, context: EncodeContext<Code>, options: EncodeRequestOptions): WithoutLosses;
  };
  errors?: {
    decode(wire: unknown, context: DecodeContext, status: number | undefined): ProviderError;
    encode(error: ProviderError): { status: number; wire: unknown };
  };
  streams?: {
    decoder(context: DecodeContext, options: DecodeReplyOptions): EventDecoder;
    encoder(context: EncodeContext<Code>, options: EncodeStreamOptions): Omit<StreamEncoder, "losses">;
    /** How events lie in bytes, where it is not as server-sent events. */
    frames?: StreamFrames;
  };
}

export interface StreamFrames {
  reader(): FrameReader;
  write(event: WireEvent): Uint8Array;
}

/** Makes a dialect for some options; what the registry holds. */
export interface DialectFactory {
  readonly id: string;
  (options?: DialectOptions): Dialect;
}

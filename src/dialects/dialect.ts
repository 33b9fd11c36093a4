// Defines the dialect contract: `Dialect` is the interface for callers, `DialectSpec` is the specification that the
// author of a dialect writes. `defineDialect` creates a `Dialect` from a `DialectSpec`.
import type { Clock } from "../assembly/stamp.ts";
import type { Delta } from "../model/delta.ts";
import type { JsonObject } from "../model/json/index.ts";
import type { Loss } from "../model/loss.ts";
import type { Message } from "../model/message.ts";
import type { ProviderError } from "../model/provider-error.ts";
import type { ModelRequest } from "../model/request.ts";
import type { ModelResponse } from "../model/response.ts";
import type { DialectErrorCode } from "./errors.ts";
import type { LossTable, LossReport } from "./kit/losses/report.ts";
import type { PathTracker } from "./kit/fields/path-tracker.ts";

/**
 * The data that a request sends outside its body, such as headers, or a model in the URL. It is not reported as a loss,
 * because the caller sends it with the request.
 */
export interface RequestEnvelope {
  model?: string;
  stream?: boolean;
  headers?: Record<string, string>;
}

/**
 * The call ids and tool names that an encoder changed for the target, so that the decoder of the reply can restore
 * them.
 */
export interface Renames {
  /** The original id of each changed call id, by wire id. */
  toolCallIds?: Record<string, string>;
  /** The original name of each renamed tool, by wire name. */
  toolNames?: Record<string, string>;
  /** The original names of the free-text tools whose input was wrapped in an object. */
  textTools?: string[];
}

/**
 * The result of an encoder: the wire value, the losses, the data that is sent outside the body (`address`), and the
 * renames for the decoder of the reply (`names`).
 */
export interface Encoded<Wire = unknown> {
  wire: Wire;
  /** The data that the target does not receive unchanged. */
  losses: Loss[];
  address?: RequestEnvelope;
  names?: Renames;
}

/** One event of a stream in a dialect. */
export interface WireEvent {
  event?: string;
  data: object | "[DONE]";
}

/** Decodes a stream into deltas. */
export interface StreamDecoder {
  /**
   * Decodes the next input: a chunk of the reply (bytes or text, cut anywhere), or one event, given as its parsed data,
   * as `{ event?, data }` with parsed or raw data, or as "[DONE]".
   */
  push(event: unknown): Delta[];
  /** Ends the input and returns the remaining deltas. An answer that is not finished ends with an error delta. */
  end(): Delta[];
}

/** One event that was read from the bytes of a stream. If `data` is a string, it is unparsed JSON or "[DONE]". */
export interface Frame {
  event?: string;
  data: unknown;
}

/** Splits the bytes of a stream into events. */
export interface FrameReader {
  push(chunk: Uint8Array | string): Frame[];
  end(): Frame[];
}

/** The stream decoder that the author of a dialect writes. It receives the parsed data of one event at a time. */
export interface EventDecoder {
  push(data: unknown, event: string | undefined): Delta[];
  /** Ends the input. An unfinished answer fails with the error delta `reason`, by default "truncated" (B73). */
  end(reason?: Delta): Delta[];
}

/** Encodes deltas as the events of a dialect. */
export interface StreamEncoder {
  push(delta: Delta): WireEvent[];
  end(): WireEvent[];
  /** The losses so far. Their paths are JSON pointers into the assembled response. */
  readonly losses: Loss[];
}

/** Options of a dialect. */
export interface DialectOptions {
  /** The provider's name. Decoders write it into seals; encoders do not send the seals of a different provider (B5). */
  provider?: string | undefined;
  /** The vendor, if its wire format deviates from the dialect. */
  vendor?: string | undefined;
}
/** Options of `decodeRequest`. */
export interface DecodeRequestOptions {
  address?: RequestEnvelope;
}
/** Options of `encodeRequest` and `encodeResponse`. */
export interface EncodeRequestOptions {
  /** False turns repairs off; the default is true. */
  repair?: boolean | undefined;
}
/** Options of `decodeResponse` and `streamDecoder`. */
export interface DecodeReplyOptions {
  names?: Renames | undefined;
}
/** Options of `streamEncoder`. */
export interface EncodeStreamOptions {
  includeUsage?: boolean | undefined;
  /** The run id of the written deltas, for the dialects whose events have a run id. */
  runId?: string | undefined;
  clock?: Clock | undefined;
}
/** Options of `encodeMessages`. */
export interface EncodeMessagesOptions {
  /** The version of the wire format to write, for dialects with several versions. */
  version?: number | undefined;
  /** Creates the id of a message that has no id, for dialects that require an id on every message. */
  newId?: (() => string) | undefined;
  /** The run id that is written for a message without a run id. */
  runId?: string | undefined;
  clock?: Clock | undefined;
}

/** The kinds of payloads that a dialect can support. */
export const CAPABILITIES = ["messages", "requests", "responses", "errors", "streams"] as const;
/** One of `CAPABILITIES`. */
export type Capability = (typeof CAPABILITIES)[number];

/** The kind of a payload: "stream" is one event of a stream, the other kinds are bodies. */
export type PayloadKind = "request" | "response" | "stream" | "error";

/**
 * One wire format in both directions. A method for an unsupported capability throws a `DialectError` "not-supported".
 */
export interface Dialect {
  readonly id: string;
  readonly title: string;
  readonly supports: ReadonlySet<Capability>;
  /** Every loss that encoding into this dialect can cause. */
  readonly losses: LossTable;
  /** Returns the kind of a payload, or undefined if the payload cannot be recognized as one of this dialect. */
  detectKind(wire: unknown): PayloadKind | undefined;
  decodeRequest(wire: unknown, options?: DecodeRequestOptions): ModelRequest;
  encodeRequest(request: ModelRequest, options?: EncodeRequestOptions): Encoded;
  decodeResponse(wire: unknown, options?: DecodeReplyOptions): ModelResponse;
  encodeResponse(response: ModelResponse, options?: EncodeRequestOptions): Encoded;
  decodeError(wire: unknown, status?: number): ProviderError;
  encodeError(error: ProviderError): { status: number; wire: unknown };
  streamDecoder(options?: DecodeReplyOptions): StreamDecoder;
  streamEncoder(options?: EncodeStreamOptions): StreamEncoder;
  /** Formats one event as bytes or text for the wire. */
  formatEvent(event: WireEvent): Uint8Array | string;
  /** Decodes a fragment of a request, such as `{ system?, messages }`, or a list of messages. */
  decodeMessages(wire: unknown): Message[];
  encodeMessages(messages: readonly Message[], options?: EncodeMessagesOptions): Encoded;
}

/** The context of a decoder: the data that all its functions share during one call. */
export interface DecodeContext extends DialectOptions {
  readonly dialect: string;
  readonly pathTracker: PathTracker;
  /** Throws a `DialectError` with the path of the current value, or of its field `field`. */
  fail(code: DialectErrorCode, message: string, field?: string | number): never;
}

/** The context of an encoder: the data that all its functions share during one call. */
export interface EncodeContext<Code extends string = string> extends DialectOptions {
  readonly dialect: string;
  readonly pathTracker: PathTracker;
  readonly report: LossReport<Code>;
  /** True if the encoder repairs values that the target rejects; every repair is reported. */
  readonly repair: boolean;
}

type WithoutLosses = Omit<Encoded, "losses">;

/** The specification of a dialect: its losses, and a pair of functions for each capability. */
export interface DialectSpec<Code extends string = string> {
  id: string;
  title: string;
  losses: Readonly<Record<Code, LossTable[string]>>;
  /** Returns the kind of a payload that only this dialect can have written, else undefined. For `detectDialect`. */
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
    /** The binary framing of events; absent for server-sent events. */
    frames?: StreamFrames;
  };
}

/** The binary framing of a stream. */
export interface StreamFrames {
  reader(): FrameReader;
  write(event: WireEvent): Uint8Array;
}

/** Creates a dialect with options. */
export interface DialectFactory {
  readonly id: string;
  (options?: DialectOptions): Dialect;
}

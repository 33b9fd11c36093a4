// Defines one interface for decoding and encoding requests and responses, so that each check is written once for both.
import type { RequestEnvelope, Dialect, Encoded, EncodeRequestOptions } from "../../dialects/dialect.ts";
import type { Issue } from "../../model/validation/issue.ts";
import type { Message } from "../../model/message.ts";
import type { ModelRequest } from "../../model/request.ts";
import type { ModelResponse } from "../../model/response.ts";
import { validateRequest, validateResponse } from "../../model/validation/validate.ts";

/** A wire value that the dialect decodes; encoding the decoded value must return equal JSON. */
export interface WireSample {
  name: string;
  wire: unknown;
  /** The request envelope, which the encoder must return too. */
  address?: RequestEnvelope;
  /** The HTTP status of an error. */
  status?: number;
}

/** A canonical value with a name for test titles. */
export interface NamedValue<T> {
  name: string;
  value: T;
}

interface LocatedMessage {
  keys: readonly (string | number)[];
  message: Message;
}

/** Decodes, encodes and validates one kind of payload: requests or responses. */
export interface PayloadCodec<T> {
  readonly capability: "requests" | "responses";
  readonly noun: "request" | "response";
  decode(dialect: Dialect, wire: unknown, sample?: Pick<WireSample, "address">): T;
  encode(dialect: Dialect, value: T, options?: EncodeRequestOptions): Encoded;
  validate(value: unknown): Issue[];
  listMessages(value: T): LocatedMessage[];
}

/** A check of a dialect with one wire sample; throws if the check fails. */
export type WireSampleCheck = <T>(codec: PayloadCodec<T>, dialect: Dialect, sample: WireSample) => void;
/** A check of a dialect with one canonical value; throws if the check fails. */
export type CanonicalValueCheck = <T>(codec: PayloadCodec<T>, dialect: Dialect, value: T) => void;

export const REQUEST_CODEC: PayloadCodec<ModelRequest> = {
  capability: "requests",
  noun: "request",
  decode: (dialect, wire, { address } = {}) =>
    address === undefined ? dialect.decodeRequest(wire) : dialect.decodeRequest(wire, { address }),
  encode: (dialect, value, options) => dialect.encodeRequest(value, options),
  validate: validateRequest,
  listMessages: ({ messages }) => messages.map((message, index) => ({ keys: ["messages", index], message })),
};

export const RESPONSE_CODEC: PayloadCodec<ModelResponse> = {
  capability: "responses",
  noun: "response",
  decode: (dialect, wire) => dialect.decodeResponse(wire),
  encode: (dialect, value, options) => dialect.encodeResponse(value, options),
  validate: validateResponse,
  listMessages: ({ message, alternatives = [] }) => [
    { keys: ["message"], message },
    ...alternatives.map((each, index) => ({ keys: ["alternatives", index, "message"], message: each.message })),
  ],
};

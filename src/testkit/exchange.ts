// Requests and responses under one contract, so that a check is written once for both.
import type { RequestEnvelope, Dialect, Encoded, EncodeRequestOptions } from "../dialects/dialect.ts";
import type { Issue } from "../model/validation/issue.ts";
import type { Message } from "../model/message.ts";
import type { ModelRequest } from "../model/request.ts";
import type { ModelResponse } from "../model/response.ts";
import { validateRequest, validateResponse } from "../model/validation/validate.ts";

/** A wire value that the dialect reads, and that must come back as equal JSON. */
export interface WireSample {
  name: string;
  wire: unknown;
  /** What travels beside the body; it must come back, too. */
  address?: RequestEnvelope;
  /** Of an error: the HTTP status that it came with. */
  status?: number;
}

/** A canonical value with a name. */
export interface Exhibit<T> {
  name: string;
  value: T;
}

interface PlacedMessage {
  keys: readonly (string | number)[];
  message: Message;
}

/** One of the two things that are exchanged with a provider. */
export interface Exchange<T> {
  readonly cargo: "requests" | "responses";
  readonly noun: "request" | "response";
  decode(dialect: Dialect, wire: unknown, sample?: Pick<WireSample, "address">): T;
  encode(dialect: Dialect, value: T, options?: EncodeRequestOptions): Encoded;
  issues(value: unknown): Issue[];
  messages(value: T): PlacedMessage[];
}

/** Something that must hold for a dialect and one of its samples; it throws where it does not. */
export type SampleCheck = <T>(exchange: Exchange<T>, dialect: Dialect, sample: WireSample) => void;
/** Something that must hold for a dialect and a canonical value. */
export type ValueCheck = <T>(exchange: Exchange<T>, dialect: Dialect, value: T) => void;

export const REQUESTS: Exchange<ModelRequest> = {
  cargo: "requests",
  noun: "request",
  decode: (dialect, wire, { address } = {}) =>
    address === undefined ? dialect.decodeRequest(wire) : dialect.decodeRequest(wire, { address }),
  encode: (dialect, value, options) => dialect.encodeRequest(value, options),
  issues: validateRequest,
  messages: ({ messages }) => messages.map((message, index) => ({ keys: ["messages", index], message })),
};

export const RESPONSES: Exchange<ModelResponse> = {
  cargo: "responses",
  noun: "response",
  decode: (dialect, wire) => dialect.decodeResponse(wire),
  encode: (dialect, value, options) => dialect.encodeResponse(value, options),
  issues: validateResponse,
  messages: ({ message, alternatives = [] }) => [
    { keys: ["message"], message },
    ...alternatives.map((each, index) => ({ keys: ["alternatives", index, "message"], message: each.message })),
  ],
};

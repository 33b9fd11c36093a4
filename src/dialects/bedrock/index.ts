// Defines the dialect of Amazon Bedrock's Converse and ConverseStream APIs.
import { defineDialect } from "../define.ts";
import { detectKind } from "./detect-kind.ts";
import { BEDROCK_LOSSES } from "./losses.ts";
import { decodeMessages } from "./request/decode-messages.ts";
import { encodeMessages } from "./request/encode-history.ts";
import { decodeRequest, encodeRequest } from "./request/request.ts";
import { decodeError, encodeError } from "./response/errors.ts";
import { decodeResponse, encodeResponse } from "./response/response.ts";
import { createStreamDecoder } from "./stream/decode-stream.ts";
import { createStreamEncoder } from "./stream/encode-stream.ts";
import { eventStreamFrames } from "./stream/event-stream-frames.ts";
import { ID } from "./terms.ts";

export type {
  BedrockError,
  BedrockEvent,
  BedrockMessage,
  BedrockRequest,
  BedrockResponse,
  BedrockUsage,
  ContentBlock as BedrockBlock,
} from "./types.ts";

/** The dialect of Amazon Bedrock's Converse and ConverseStream APIs. */
export const bedrock = defineDialect({
  id: ID,
  title: "Amazon Bedrock Converse",
  losses: BEDROCK_LOSSES,
  detectKind,
  messages: { decode: decodeMessages, encode: encodeMessages },
  requests: { decode: decodeRequest, encode: encodeRequest },
  responses: { decode: decodeResponse, encode: encodeResponse },
  errors: { decode: decodeError, encode: encodeError },
  streams: { decoder: createStreamDecoder, encoder: createStreamEncoder, frames: eventStreamFrames },
});

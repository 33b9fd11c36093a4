// Amazon Bedrock's Converse and ConverseStream.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode-messages.ts";
import { encodeMessages } from "./encode-history.ts";
import { decodeError, encodeError } from "./errors.ts";
import { frames } from "./event-stream.ts";
import { LOSSES } from "./losses.ts";
import { recognise } from "./recognise.ts";
import { decodeRequest, encodeRequest } from "./request.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
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

export const bedrock = defineDialect({
  id: ID,
  title: "Amazon Bedrock Converse",
  losses: LOSSES,
  detectKind: recognise,
  messages: { decode: decodeMessages, encode: encodeMessages },
  requests: { decode: decodeRequest, encode: encodeRequest },
  responses: { decode: decodeResponse, encode: encodeResponse },
  errors: { decode: decodeError, encode: encodeError },
  streams: { decoder: streamDecoder, encoder: streamEncoder, frames },
});

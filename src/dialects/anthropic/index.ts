// Anthropic's Messages.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode-messages.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeMessages } from "./encode-history.ts";
import { encodeRequest } from "./encode-request.ts";
import { decodeError, encodeError } from "./errors.ts";
import { LOSSES } from "./losses.ts";
import { recognise } from "./recognise.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";
import { ID } from "./terms.ts";

export type {
  AnthropicError,
  AnthropicMessage,
  AnthropicRequest,
  AnthropicResponse,
  AnthropicUsage,
  ContentBlock as AnthropicBlock,
} from "./types.ts";

export const anthropic = defineDialect({
  id: ID,
  title: "Anthropic Messages",
  losses: LOSSES,
  detectKind: recognise,
  messages: { decode: decodeMessages, encode: encodeMessages },
  requests: { decode: decodeRequest, encode: encodeRequest },
  responses: { decode: decodeResponse, encode: encodeResponse },
  errors: { decode: decodeError, encode: encodeError },
  streams: { decoder: streamDecoder, encoder: streamEncoder },
});

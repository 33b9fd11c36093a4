// Defines the Anthropic dialect, and exports its wire types.
import { defineDialect } from "../define.ts";
import { detectKind } from "./detect-kind.ts";
import { ANTHROPIC_LOSSES } from "./losses.ts";
import { decodeMessages } from "./request/decode-messages.ts";
import { decodeRequest } from "./request/decode-request.ts";
import { encodeMessages } from "./request/encode-history.ts";
import { encodeRequest } from "./request/encode-request.ts";
import { decodeError, encodeError } from "./response/errors.ts";
import { decodeResponse, encodeResponse } from "./response/response.ts";
import { createStreamDecoder } from "./stream/decode-stream.ts";
import { createStreamEncoder } from "./stream/encode-stream.ts";
import { ID } from "./terms.ts";

export type {
  AnthropicError,
  AnthropicMessage,
  AnthropicRequest,
  AnthropicResponse,
  AnthropicUsage,
  ContentBlock as AnthropicBlock,
} from "./types.ts";

/** The dialect of Anthropic's Messages API. */
export const anthropic = defineDialect({
  id: ID,
  title: "Anthropic Messages",
  losses: ANTHROPIC_LOSSES,
  detectKind,
  messages: { decode: decodeMessages, encode: encodeMessages },
  requests: { decode: decodeRequest, encode: encodeRequest },
  responses: { decode: decodeResponse, encode: encodeResponse },
  errors: { decode: decodeError, encode: encodeError },
  streams: { decoder: createStreamDecoder, encoder: createStreamEncoder },
});

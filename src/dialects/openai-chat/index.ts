// OpenAI's Chat Completions, and what speaks like it.
import { defineDialect } from "../define.ts";
import { decodeOpenAiError, encodeOpenAiError } from "../kit/openai-errors.ts";
import { LOSSES } from "./losses.ts";
import { recognise } from "./recognise.ts";
import { decodeMessages, decodeRequest, encodeMessages, encodeRequest } from "./request.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { chunkDecoder } from "./stream-decode.ts";
import { chunkEncoder } from "./stream-encode.ts";

export type * from "./types.ts";

export const openaiChat = defineDialect({
  id: "openai-chat",
  title: "OpenAI Chat Completions",
  losses: LOSSES,
  detectKind: recognise,
  messages: { decode: decodeMessages, encode: encodeMessages },
  requests: { decode: decodeRequest, encode: encodeRequest },
  responses: { decode: decodeResponse, encode: encodeResponse },
  streams: { decoder: chunkDecoder, encoder: chunkEncoder },
  errors: { decode: (wire, _, status) => decodeOpenAiError(wire, status), encode: encodeOpenAiError },
});

// OpenAI's Responses.
import { defineDialect } from "../define.ts";
import { decodeOpenAiError, encodeOpenAiError } from "../kit/openai-errors.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { LOSSES } from "./losses.ts";
import { recognise } from "./recognise.ts";
import { decodeRequest, encodeRequest } from "./request.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";

export type * from "./types.ts";

export const openaiResponses = defineDialect({
  id: "openai-responses",
  title: "OpenAI Responses",
  losses: LOSSES,
  detectKind: recognise,
  messages: { decode: decodeMessages, encode: encodeMessages },
  requests: { decode: decodeRequest, encode: encodeRequest },
  responses: { decode: decodeResponse, encode: encodeResponse },
  errors: { decode: (wire, _context, status) => decodeOpenAiError(wire, status), encode: encodeOpenAiError },
  streams: { decoder: streamDecoder, encoder: streamEncoder },
});

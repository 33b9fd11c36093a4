// Gemini's generateContent and streamGenerateContent.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { decodeError, encodeError } from "./errors.ts";
import { LOSSES } from "./losses.ts";
import { recognise } from "./recognise.ts";
import { decodeRequest, encodeRequest } from "./request.ts";
import { decodeResponse, encodeResponse } from "./response.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";

export type * from "./types.ts";

export const gemini = defineDialect({
  id: "gemini",
  title: "Gemini generateContent",
  losses: LOSSES,
  detectKind: recognise,
  messages: {
    decode: decodeMessages,
    encode: encodeMessages,
  },
  requests: {
    decode: decodeRequest,
    encode: encodeRequest,
  },
  responses: {
    decode: decodeResponse,
    encode: encodeResponse,
  },
  errors: {
    decode: (wire, _, status) => decodeError(wire, status),
    encode: (error) => encodeError(error),
  },
  streams: {
    decoder: streamDecoder,
    encoder: streamEncoder,
  },
});
